"""The tools of the harness, beside those of the workspace: `read_result`, `todo` and `recall`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget import restate
from opencollab_nb.errors import OpenCollabError
from opencollab_nb.shaping import ShaperPipeline, name_of
from opencollab_nb.ticket import Ticket

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Schema = dict[str, Any]
Act = Callable[["Bench", Mapping[str, Any], Ticket], str]
OFFLOADING = "OffloadShaper"

TODO: Schema = {
    "type": "function",
    "function": {
        "name": "todo",
        "description": (
            "Say how far the todos are, as soon as it changes; without arguments it shows them. "
            "done and dropped are final."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "updates": {
                    "type": "array",
                    "description": "Todos whose status changes.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string", "description": "Such as t1."},
                            "status": {
                                "type": "string",
                                "enum": ["open", "in_progress", "done", "dropped"],
                            },
                        },
                        "required": ["id", "status"],
                        "additionalProperties": False,
                    },
                },
                "add": {
                    "type": "array",
                    "description": "New todos, one line of at most 120 characters each.",
                    "items": {"type": "string"},
                },
            },
            "additionalProperties": False,
        },
    },
}


def names(layers: Iterable[str], moves: Iterable[str]) -> tuple[str, ...]:
    """The tools that the harness offers, in order.

    Args:
        layers: names of the shapers in force.
        moves: the moves in force.

    >>> names(["OffloadShaper"], {"restate"}), names([], ())
    (('read_result', 'todo'), ())
    """
    asked = {"read_result": OFFLOADING in layers, "todo": "restate" in moves, "recall": "memory" in moves}
    return tuple(name for name, offered in asked.items() if offered)


def schema_of(name: str) -> Schema:
    """The schema of one of these tools, in the OpenAI shape."""
    if name == "read_result":
        from opencollab_nb.budget.offload import READ_RESULT

        return READ_RESULT
    if name == "recall":
        from opencollab_nb.budget.memory import RECALL

        return RECALL
    return TODO


def with_harness(tools: Iterable[Schema], layers: Iterable[str], moves: Iterable[str]) -> tuple[Schema, ...]:
    """The workspace's tools and those of the harness; where both have a name, it is the workspace's."""
    tools = tuple(tools)
    taken = {tool["function"]["name"] for tool in tools}
    return (*tools, *(schema_of(name) for name in names(layers, moves) if name not in taken))


def offered(workspace: Any, chain: ShaperPipeline, moves: Iterable[str]) -> tuple[Schema, ...]:
    """All tools that a request of this moment offers."""
    tools = () if workspace is None else workspace.schemas()
    return with_harness(tools, [name_of(shaper) for shaper in chain.shapers], moves)


def offered_at(workspace: Any, moves: Iterable[str], force: Mapping[str, Any]) -> tuple[Schema, ...]:
    """The tools that were offered while a chain was in force: the workspace's as they are now.

    Args:
        workspace: of the session.
        moves: of the session.
        force: the `start` or `swap` event that tells of the chain.
    """
    tools = () if workspace is None else workspace.schemas()
    return with_harness(tools, [str(spec["shaper"]).rpartition(":")[2] for spec in force["chain"]], moves)


def act_of(bench: Bench, name: str) -> Act | None:
    """What answers a call of this tool; None where the workspace does."""
    if bench.workspace is not None and name in [t["function"]["name"] for t in bench.workspace.schemas()]:
        return None
    return ACTS.get(name)


def read_result(bench: Bench, arguments: Mapping[str, Any], _ticket: Ticket) -> str:
    """Lines of a result that was offloaded, from the transcript."""
    from opencollab_nb.budget.offload import answer_read_result

    return answer_read_result(dict(enumerate(bench.transcript.stored)), arguments)


def todo(bench: Bench, arguments: Mapping[str, Any], ticket: Ticket) -> str:
    """Change the todos as the agent says, all or nothing; the end of one of the user's is a milestone."""
    from opencollab_nb.session.anchoring import finished, write_todos

    try:
        with bench.lock:
            ticket.check()
            todos = bench.direction.todos
            for one in _list(arguments, "updates"):
                if not isinstance(one, Mapping):
                    form = '{"id": "t1", "status": "done"}'
                    return f"Error: an update is {form}, not {one!r}. Nothing was changed."
                todos = todos.changed(one.get("id"), one.get("status"))  # type: ignore[arg-type]
            for text in _list(arguments, "add"):
                todos = todos.added(text, "agent")
            done = write_todos(bench, todos, "agent")
    except OpenCollabError as problem:
        return f"Error: {problem}. Nothing was changed."
    for one in done:
        bench.order(partial(finished, bench, one))
    return "\n".join(restate.state_lines(bench.direction.anchors, todos)) or "There are no todos."


def recall(bench: Bench, arguments: Mapping[str, Any], _ticket: Ticket) -> str:
    """What the memory holds about something."""
    from opencollab_nb.budget.memory import recall_text

    if bench.direction.memory is None:
        return "Error: no memory is open in this session."
    return recall_text(bench.direction.memory, **{"query": None, **arguments})


ACTS: dict[str, Act] = {"read_result": read_result, "todo": todo, "recall": recall}


def _list(arguments: Mapping[str, Any], name: str) -> list[Any]:
    value = arguments.get(name) or []
    return value if isinstance(value, list) else [value]
