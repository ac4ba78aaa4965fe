"""The tools of the harness, beside those of the workspace: `read_result`, `todo` and `recall`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget import restate
from opencollab_nb.budget.todo_tool import TODO, changed_by_call
from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.extras import ExtraTool
from opencollab_nb.shaping import ShaperPipeline, name_of
from opencollab_nb.shelf import ByPlace
from opencollab_nb.ticket import Ticket

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Schema = dict[str, Any]
Act = Callable[["Bench", Mapping[str, Any], Ticket], str]
OFFLOADING = "OffloadShaper"


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


def offered(
    workspace: Any, chain: ShaperPipeline, moves: Iterable[str], extras: Iterable[ExtraTool] = ()
) -> tuple[Schema, ...]:
    """All tools that a request of this moment offers."""
    return with_harness(given(workspace, extras), [name_of(shaper) for shaper in chain.shapers], moves)


def given(workspace: Any, extras: Iterable[ExtraTool]) -> tuple[Schema, ...]:
    """The tools that a session was given: those of its workspace, then the extra ones."""
    own = () if workspace is None else workspace.schemas()
    return (*own, *(tool.schema for tool in extras))


def offered_at(
    workspace: Any, moves: Iterable[str], force: Mapping[str, Any], extras: Iterable[ExtraTool] = ()
) -> tuple[Schema, ...]:
    """The tools that were offered while a chain was in force: those the session was given as they are now.

    Args:
        workspace: of the session.
        moves: of the session.
        force: the `start` or `swap` event that tells of the chain.
        extras: tools given from outside.
    """
    layers = [str(spec["shaper"]).rpartition(":")[2] for spec in force["chain"]]
    return with_harness(given(workspace, extras), layers, moves)


def act_of(bench: Bench, name: str) -> Act | None:
    """What answers a call of this tool; None where the workspace does."""
    if bench.workspace is not None and name in [t["function"]["name"] for t in bench.workspace.schemas()]:
        return None
    for tool in bench.extras:
        if tool.name == name:
            return lambda _bench, arguments, _ticket, tool=tool: tool(arguments)  # type: ignore[misc]
    return ACTS.get(name)


def read_result(bench: Bench, arguments: Mapping[str, Any], ticket: Ticket) -> str:
    """Lines of a result that was offloaded, from the transcript."""
    from opencollab_nb.budget.offload import answer_read_result

    text = answer_read_result(ByPlace[Any](bench.transcript.stored), arguments)
    with bench.lock:
        ticket.check()
        tell_rereads(bench)
    return text


def tell_rereads(bench: Bench) -> None:
    """Say so where a result is read again and again, once for each."""
    from opencollab_nb.budget.offload import too_tight

    told = [event["text"] for event in bench.trace.of("notice")]
    known = bench.direction.rereads
    known.take(bench.transcript.stored[known.taken :])
    for own, count in (+known.counts).items():
        notice = too_tight({own: count})
        if notice and not any(text.startswith(f"Result {own} was read again") for text in told):
            bench.notice(notice)


def todo(bench: Bench, arguments: Mapping[str, Any], ticket: Ticket) -> str:
    """Change the todos as the agent says, all or nothing; the end of one of the user's is a milestone."""
    from opencollab_nb.session.anchoring import finished, write_todos

    try:
        with bench.lock:
            ticket.check()
            todos = changed_by_call(bench.direction.todos, arguments)
            done = write_todos(bench, todos, "agent")
    except UsageProblem as problem:
        return f"Error: {problem}. Nothing was changed."
    for one in done:
        bench.order(partial(finished, bench, one))
    return "\n".join(restate.state_lines(bench.direction.anchors, todos)) or "There are no todos."


def recall(bench: Bench, arguments: Mapping[str, Any], _ticket: Ticket) -> str:
    """What the memory holds about something."""
    from opencollab_nb.budget.memory import recall_text

    if bench.direction.memory is None:
        return "Error: no memory is open in this session."
    if unknown := sorted(set(arguments) - {"query", "limit"}):
        return f"Error: recall has no argument {unknown[0]!r}. It takes: query, limit."
    return recall_text(bench.direction.memory, **{"query": None, **arguments})


ACTS: dict[str, Act] = {"read_result": read_result, "todo": todo, "recall": recall}
