"""Registering anchors and changing todos: by the user or the harness; the agent only through its tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.anchors import Anchor, anchor_message
from opencollab_nb.budget.todos import Todo, Todos, listed
from opencollab_nb.messages import id_of, meta_of, text_of
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.accounts import one_line
from opencollab_nb.session.bench import Bench

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session

BULLETS = ("- ", "* ")


def register(session: Session, kind: str, text: str) -> None:
    """Keep this word for word, in every request from the next one on.

    It stands in a message of its own that no shaper may change, or in a pinned one that has it as
    lines already; goal and constraints, finished milestones and todos are restated besides, where
    the session has a budget with that move. During a step it takes effect at the step's end.

    Args:
        session: one at work or at rest.
        kind: `goal`, `constraints`, `milestones`, or a word of your own.
        text: the words.

    Raises:
        UsageProblem: (a ValueError) no such kind, no text, or more than may stand in every restatement.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    kind, text = bench.direction.anchors.checked(kind, KNOWN.struck_value(text))
    bench.order(partial(anchored, bench, kind, text, by="user"))


def update_todos(session: Session, items: Iterable[Mapping[str, Any] | str]) -> None:
    """Change the todos: texts are added, `{"id": "t1", "status": "done"}` changes one.

    A todo of yours that is done is kept as a finished milestone.

    Raises:
        UsageProblem: (a ValueError) no such todo, status or change; nothing is changed then.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    wanted = KNOWN.struck_value(listed(items))
    bench.direction.todos.updated(wanted)
    bench.order(partial(updated, bench, wanted))


def anchored(
    bench: Bench, kind: str, text: str, *, by: str, todo: str | None = None, message_id: int | None = None
) -> None:
    """Register one anchor; what is in force already is not kept twice.

    Args:
        bench: the session's.
        kind: as in `Anchors.register`.
        text: the words.
        by: `user` or `harness`.
        todo: the todo whose end it is.
        message_id: the pinned message in which the words stand; None to look for one, or make it.
    """
    with bench.lock:
        register = bench.direction.anchors
        many = len(register)
        anchor = register.register(kind, text, at=bench.number)
        if len(register) == many:
            return
        message_id = standing(bench, text) if message_id is None else message_id
        if message_id is None:
            bench.settle()
            message = anchor_message(anchor)
            kept = bench.keep(message, "anchor", meta_of(message)["priority"])
            message_id = kept["meta"]["id"]
        told(bench, anchor, message_id, by=by, todo=todo)


def told(bench: Bench, anchor: Anchor, message_id: int, *, by: str, todo: str | None = None) -> None:
    """Write one anchor down."""
    bench.next.forget()
    bench.note(
        "anchor",
        kind_of_anchor=anchor.kind,
        text=anchor.text,
        number=anchor.number,
        message_id=message_id,
        by=by,
        todo=todo,
    )


def standing(bench: Bench, text: str) -> int | None:
    """The pinned message that has this text as whole lines, by its id; None where there is none."""
    wanted = f"\n{text}\n"
    for message in bench.transcript.pinned:
        if text in (whole := text_of(message)) and wanted in f"\n{plain(whole)}\n":
            return id_of(message)
    return None


def plain(text: str) -> str:
    r"""The lines without the marks of a list.

    >>> plain("Mind:\n- No new tables.")
    'Mind:\nNo new tables.'
    """
    return "\n".join(line[2:] if line.startswith(BULLETS) else line for line in text.split("\n"))


def updated(bench: Bench, items: list[Any]) -> None:
    """Change the todos as the user said, at rest."""
    with bench.lock:
        for todo in write_todos(bench, bench.direction.todos.updated(items), "user"):
            finished(bench, todo)


def write_todos(bench: Bench, todos: Todos, by: str) -> list[Todo]:
    """Put the todos in force; returns those of the user's that are done by it."""
    with bench.lock:
        former = bench.direction.todos
        if todos == former:
            return []
        bench.next.forget()
        bench.note("todos", todos=todos.to_list(), by=by, change=change(former, todos))
        return newly_done(former, todos)


def newly_done(former: Todos, todos: Todos) -> list[Todo]:
    """The user's todos that are done now and were not before."""
    before = {todo.id for todo in former.done}
    return [todo for todo in todos.done if todo.by == "user" and todo.id not in before]


def finished(bench: Bench, todo: Todo) -> None:
    """Register the milestone that the end of a todo of the user's is."""
    anchored(bench, "milestones", todo.text, by="harness", todo=todo.id)


def change(former: Todos, todos: Todos) -> str:
    """What is other than before, in one line."""
    before = {todo.id: todo for todo in former}
    return one_line("; ".join(todo.line for todo in todos if before.get(todo.id) != todo))


def catch_up(bench: Bench) -> None:
    """Do what a process that ended had still to do: note its anchors, register its milestones."""
    with bench.lock:
        noted = {event["message_id"] for event in bench.trace.of("anchor")}
        for message in bench.transcript.pinned:
            meta = meta_of(message)
            if meta.get("source") != "anchor" or meta["id"] in noted:
                continue
            number, text = len(bench.direction.anchors) + 1, text_of(message).partition("] ")[2]
            anchor = Anchor(meta["kind"], text, number, meta["step"])
            if text_of(anchor_message(anchor)) == text_of(message):
                told(bench, anchor, meta["id"], by="user")
        known = bench.direction.anchors.texts("milestones")
        for todo in bench.direction.todos.done:
            if todo.by == "user" and todo.text not in known:
                finished(bench, todo)
