"""What a session begins with besides its task: direction, a handoff, what the memory holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.anchors import Anchor, Anchors, head_message, is_head
from opencollab_nb.budget.quotas import DEFAULT
from opencollab_nb.budget.todos import Todo, Todos
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import PIN_FLOOR, Message, id_of, meta_of, text_of
from opencollab_nb.session.anchoring import anchored, standing, told, write_todos
from opencollab_nb.session.direction import Direction

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

MEMORY_PRIORITY = 30
"""That of project context: under pressure it is shed before anything that was said."""
HANDOFF_PRIORITY = 80
"""That of the task."""
BEGINNING = ("start", "anchor", "todos", "notice", "injection")
"""Events of a session before its first step."""
HEAD_KINDS = ("goal", "constraints")
_FINISHED = re.compile(r'(?:(?P<id>t[1-9]\d*) )?(?P<text>"(?:[^"\\]|\\.)*")')
_POINTER = re.compile(r"^- \[m(\d+)\]", re.MULTILINE)


def direction_of(budget: Any, memory: Any) -> Direction:
    """What the session was given, checked; the budget is its own copy, so several sessions may be given one.

    Raises:
        UsageProblem: something else than a `ContextBudget` or a `MemoryStore`.
    """
    from opencollab_nb.budget.context_budget import ContextBudget

    if budget is not None and not isinstance(budget, ContextBudget):
        raise UsageProblem(f"budget is {budget!r}: give a ContextBudget(...); tokens go to budget_tokens=")
    if memory is not None and not callable(getattr(memory, "summaries", None)):
        raise UsageProblem(f"memory is {memory!r}: give a MemoryStore(...)")
    moves = frozenset({"memory"}) if budget is None else budget.settings.moves
    own = None if budget is None else budget.fresh()
    return Direction(own, memory, moves if memory is not None else moves - {"memory"})


def label_of_memory(memory: Any) -> str | None:
    """How a trace names a memory: whose it is, never where it lies."""
    if memory is None:
        return None
    return "/".join(str(name) for name in (memory.tenant, memory.project) if name)


def handoff_of(given: Any) -> Any:
    """The handoff itself, or the one in this file or run folder.

    Raises:
        UsageProblem: neither.
    """
    if given is None:
        return None
    from opencollab_nb.budget.handoff import Handoff

    if isinstance(given, (str, Path)):
        return Handoff.load(given)
    if not isinstance(given, Handoff):
        raise UsageProblem(f"handoff is {given!r}: give a Handoff, or the path of one")
    return given


def beside_the_task(context: Any) -> tuple[Message, ...]:
    """What a session is told besides its task, checked: user messages, each with the priority in its `meta`.

    Raises:
        UsageProblem: something else.
    """
    if isinstance(context, Mapping) or not isinstance(context, Iterable) or isinstance(context, str):
        raise UsageProblem("context is a list of messages, which stand before the task")
    messages = tuple(context)
    for message in messages:
        if not isinstance(message, Mapping) or message.get("role") != "user" or not text_of(message).strip():
            raise UsageProblem(f"context holds {message!r}: give user messages with some text")
        priority = meta_of(message).get("priority")
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise UsageProblem(
                f'a message of context has the priority {priority!r}: give "meta": {{"priority": 30}}; '
                f"from {PIN_FLOOR} up it is pinned"
            )
    return messages


@dataclass(frozen=True)
class Given:
    """What a context budget held when the session was made with it."""

    anchors: tuple[Anchor, ...] = ()
    todos: tuple[Todo, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"anchors": [asdict(a) for a in self.anchors], "todos": Todos(self.todos).to_list()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Given:
        """The same again."""
        anchors = tuple(Anchor(**anchor) for anchor in data["anchors"])
        return cls(anchors, tuple(Todos.from_list(data["todos"])))


def given_in(budget: Any) -> Given | None:
    """What the budget holds; None without one."""
    return None if budget is None else Given(tuple(budget.anchors), tuple(budget.todos))


def begin(bench: Bench, *, given: Given | None = None, handoff: Any = None) -> None:
    """Put what there is into the transcript, right after the task; what is there already stays as it is."""
    with bench.lock:
        if handoff is not None:
            take_over(bench, handoff)
        if given is not None:
            take_anchors(bench, given.anchors)
            take_todos(bench, given.todos)
            take_goal(bench)
            notice = bench.direction.filled().fixed_notice(bench.transcript.stored, bench.tools)
            if notice:
                told_once(bench, f"{notice}. Shorten them, or give the system a larger quota")
        if "memory" in bench.direction.moves and bench.direction.memory is not None:
            inject(bench)


def go_on_beginning(bench: Bench, start: Mapping[str, Any]) -> None:
    """Do the rest, where the process ended between the task and all that belongs after it."""
    with bench.lock:
        if "given" not in start or any(event["kind"] not in BEGINNING for event in bench.trace.stored):
            return
        given, handoff = start["given"], start["handoff"]
        if handoff is not None:
            from opencollab_nb.budget.handoff import Handoff

            handoff = Handoff.from_dict(handoff)
        begin(bench, given=None if given is None else Given.from_dict(given), handoff=handoff)


def kept_before(bench: Bench, source: str) -> Message | None:
    """The message of this source that a former process had kept; None where it had not."""
    return next((m for m in bench.transcript.stored if m["meta"]["source"] == source), None)


def told_once(bench: Bench, text: str) -> None:
    """A notice, unless it was given before."""
    if not any(event["text"] == text for event in bench.trace.of("notice")):
        bench.notice(text)


def take_over(bench: Bench, handoff: Any) -> None:
    """The handoff as a pinned message, and its direction as anchors and todos of this session."""
    message = kept_before(bench, "handoff")
    if message is None:
        message = bench.keep(handoff.as_message(), "handoff", HANDOFF_PRIORITY)
    whole, own = text_of(message), message["meta"]["id"]
    wanted = [("goal", handoff.goal)] if handoff.goal else []
    wanted += [("constraints", text) for text in handoff.constraints]
    done = [done_in(line) for line in handoff.finished]
    wanted += [("milestones", todo.text) for todo in done]
    for kind, text in wanted:
        anchored(bench, kind, text, by="harness", message_id=own if text in whole else None)
    take_todos(bench, [*(todo for todo in done if todo.id), *handoff.open_todos])


def done_in(line: str) -> Todo:
    """What a line of a restatement's finished items stands for; without an id where it was no todo.

    >>> done_in('t1 "login: tests"'), done_in('"ready"').id
    (Todo(id='t1', text='login: tests', status='done', by='user'), '')
    """
    found = _FINISHED.fullmatch(line)
    if found is None:
        return Todo("", line, "done")
    return Todo(found["id"] or "", json.loads(found["text"]), "done")


def take_anchors(bench: Bench, given: Iterable[Anchor]) -> None:
    """Those that a budget was given before: goal and constraints in one message at the head."""
    head = Anchors(limit_tokens=bench.direction.limit_tokens)
    kept = next(filter(is_head, bench.transcript.pinned), None)
    later = []
    for anchor in given:
        if anchor.kind in HEAD_KINDS and standing(bench, anchor.text) in (None, id_of(kept or {})):
            head.register(anchor.kind, anchor.text)
        else:
            later.append(anchor)
    message = head_message(head)
    if message is not None:
        kept = kept or bench.keep(message, "anchor", message["meta"]["priority"])
        own = kept["meta"]["id"]
        for anchor in head.in_force():
            anchored(bench, anchor.kind, anchor.text, by="user", message_id=own)
    for anchor in later:
        anchored(bench, anchor.kind, anchor.text, by="user")


def take_todos(bench: Bench, given: Iterable[Any]) -> None:
    """Todos from elsewhere, with their ids where there are none yet; none whose text is here already."""
    items, here = tuple(given), bench.direction.todos
    if not len(here):
        write_todos(bench, Todos(items), "harness")
        return
    texts = {todo.text for todo in here}
    for todo in items:
        here = here if todo.text in texts else here.added(todo.text, todo.by)
    write_todos(bench, here, "harness")


def take_goal(bench: Bench) -> None:
    """The task is the goal, unless one was registered, or it is too long to be said again and again."""
    register = bench.direction.anchors
    if register.goal is not None:
        return
    try:
        anchor = register.register("goal", bench.task)
    except UsageProblem:
        bench.notice(
            f"the task is too long to be restated as the goal, which may have {register.limit_tokens:,} "
            "tokens: say it in a few lines with register('goal', ...)"
        )
        return
    task = next(m for m in bench.transcript.stored if m["meta"]["source"] == "task")
    told(bench, anchor, task["meta"]["id"], by="harness")


def inject(bench: Bench) -> None:
    """Summaries of what the memory holds, with pointers, within the share that it may have."""
    direction = bench.direction
    quotas = DEFAULT if direction.budget is None else direction.budget.settings.quotas
    limit_tokens = quotas.memory_tokens(direction.total_tokens)
    text = direction.memory.summaries(limit_tokens, about=bench.task)
    if not text:
        return
    message = kept_before(bench, "memory")
    if message is not None and bench.trace.last("injection") is not None:
        return
    if message is None:
        message = bench.keep({"role": "user", "content": text}, "memory", MEMORY_PRIORITY)
    text = text_of(message)
    bench.note(
        "injection",
        tokens=bench.pressure.snapshot().weight([message]),
        memories=[int(number) for number in _POINTER.findall(text)],
        message_id=message["meta"]["id"],
    )
