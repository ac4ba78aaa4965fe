"""What the verbs of the four moves do: each is one call deep into the Python API."""

from __future__ import annotations

import ast
from datetime import timedelta
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import KEEP_KEYS
from opencollab_nb.views.budget_flags import memory_named
from opencollab_nb.views.deeds import Order
from opencollab_nb.views.lines import COUNT, Word
from opencollab_nb.views.moves_results import (
    AnchorTable,
    AuditView,
    DeletedTable,
    ForgottenLine,
    HandoffView,
    MemoryTable,
    PurgedTable,
    ReplayTable,
    TodoTable,
)

MEMORY_ACTS = ("list", "recall", "forget")
_SINGULAR = {"goals": "goal", "constraint": "constraints", "milestone": "milestones"}


def anchor(order: Order) -> AnchorTable:
    """Register an anchor; without a kind, all anchors."""
    session = order.session
    if not order.words and order.body is None:
        return AnchorTable.of(session)
    if not order.words:
        raise UsageProblem(f"an anchor of which kind? %%oc anchor {' | '.join(KEEP_KEYS)}")
    kind, *rest = order.words
    text = _text(rest, order.body, "anchor KIND")
    session.register(_kind(kind.text, session, own=bool(order.flags.get("own"))), text)
    return AnchorTable.of(session)


def _kind(name: str, session: Any, *, own: bool) -> str:
    """A word of the user's own needs a flag: a slip of the pen would be one too."""
    known = [*KEEP_KEYS, *dict.fromkeys(a.kind for a in session.anchors if a.kind not in KEEP_KEYS)]
    if own or name in known or name in _SINGULAR:
        return name
    raise UnknownName("kind of anchor (--own takes any word)", name, known)


def _text(words: list[Word], body: str | None, usage: str) -> str:
    """The text of an order: one literal on the line, or the lines below, byte for byte but the last end."""
    if body is not None and words:
        raise UsageProblem(f"the text stands on the line or below it, not in both: %%oc {usage}")
    if body is not None:
        return body.removesuffix("\n")
    if len(words) != 1:
        raise UsageProblem(f'the text goes in quotes, %oc {usage} "...", or in the lines below %%oc {usage}')
    return _literal_text(words[0], usage)


def _literal_text(word: Word, usage: str) -> str:
    try:
        text = ast.literal_eval(word.raw)
    except (ValueError, SyntaxError, MemoryError):
        text = None
    if not isinstance(text, str):
        raise UsageProblem(
            f'{word.raw} is no text in quotes: %oc {usage} "..." or the lines below %%oc {usage}'
        )
    return text


def todos(order: Order) -> TodoTable:
    """Change the todos; without words, show them."""
    session = order.session
    items = _todo_items(order)
    if items:
        session.update_todos(items)
    return TodoTable.of(session)


def _todo_items(order: Order) -> list[Any]:
    """Texts in quotes, mappings, or `ID STATUS`; of a body each line is a text."""
    items: list[Any] = [line.strip() for line in (order.body or "").splitlines() if line.strip()]
    words = list(order.words)
    while words:
        word = words.pop(0)
        if word.raw[:1] in "\"'":
            items.append(_literal_text(word, "todos"))
        elif word.raw[:1] == "{":
            items.append(_mapping(word.raw))
        elif words and words[0].raw[:1] not in "\"'{":
            items.append({"id": word.text, "status": words.pop(0).text.replace("-", "_")})
        else:
            raise UsageProblem(
                f'{word.raw!r} alone is no todo: texts go in quotes, %oc todos "read the logs"; '
                "a change is %oc todos t1 done"
            )
    return items


def _mapping(raw: str) -> dict[str, Any]:
    try:
        value = ast.literal_eval(raw)
    except (ValueError, SyntaxError, MemoryError):
        value = None
    if not isinstance(value, dict):
        raise UsageProblem(f'{raw} is no todo: {{"id": "t1", "status": "done"}}')
    return value


def audit(order: Order) -> AuditView | ReplayTable:
    """The audit, verified; with a step, what was sent at it."""
    words = order.at_most(1, "audit [STEP]")
    frame = order.session.audit()
    if words:
        step = COUNT.value("audit", words[0])
        return ReplayTable(step, frame.replay(step))
    return AuditView(frame, frame.verify())


def bill(order: Order) -> Any:
    """The run's tokens and what they cost."""
    order.at_most(0, "bill [--prices MODEL]")
    return order.session.bill(order.flags.get("prices"))


def checklist(order: Order) -> Any:
    """The checks before a launch."""
    order.at_most(0, "checklist")
    return order.session.checklist()


def handoff(order: Order) -> HandoffView:
    """Write the handoff as things stand, or show the last one."""
    order.at_most(0, "handoff [--last]")
    session = order.session
    if not order.flags.get("last"):
        session.handoff_now()
    last = session.handoff
    if last is None:
        raise UsageProblem("no handoff was written yet: %oc handoff writes one")
    return HandoffView(last, session.trace.last("handoff")["path"])


def memory(order: Order) -> MemoryTable | ForgottenLine:
    """List, recall or forget."""
    act, *rest = order.texts or ["list"]
    if act not in MEMORY_ACTS:
        raise UnknownName("deed of memory", act, MEMORY_ACTS)
    store, age = _store(order), order.flags.get("older_than")
    if age is not None and act != "forget":
        raise UsageProblem("--older-than goes with forget: %oc memory forget --older-than 30d")
    if act == "list":
        if rest:
            raise UsageProblem(f"{rest[0]!r} is too much: %oc memory list, or %oc memory recall WORDS")
        return MemoryTable(store.all(), repr(store))
    if act == "recall":
        if not rest:
            raise UsageProblem("recall what? %oc memory recall WORDS, or a pointer such as m12")
        return MemoryTable(store.recall(" ".join(rest)), f"what matches {' '.join(rest)!r} best")
    return ForgottenLine(_forget(store, rest, age))


def _store(order: Order) -> Any:
    store = order.session.memory
    if store is None:
        raise UsageProblem("this agent has no memory: make it with %agent --memory default, or --memory FILE")
    return store


def _forget(store: Any, words: list[str], age: timedelta | None) -> Any:
    if (age is None) == (not words):
        raise UsageProblem("forget what? %oc memory forget m12, or WORDS, or --older-than 30d")
    if age is not None:
        return store.forget(older_than=age)
    if len(words) == 1 and words[0][:1] == "m" and words[0][1:].isdecimal():
        return store.forget(int(words[0][1:]))
    return store.forget(query=" ".join(words))


def purge(order: Order) -> PurgedTable:
    """Delete old runs."""
    from opencollab_nb.session.purging import purge as purge_runs

    order.at_most(0, "purge --older-than 30d [--memory STORE] [--dry]")
    age = order.flags.get("older_than")
    if age is None:
        raise UsageProblem("purge what? %oc purge --older-than 30d; with --dry it only says what would go")
    given = order.flags.get("memory")
    store = None if given is None else memory_named(given, order.user_names)
    try:
        return PurgedTable(purge_runs(age, memory=store, dry=bool(order.flags.get("dry"))))
    finally:
        if store is not None and store is not order.user_names.get(str(given)):
            store.close()


def delete(order: Order) -> DeletedTable:
    """Delete an agent's run, whether or not it is closed."""
    order.at_most(0, "delete [--keep-memories]")
    name = order.name or order.names.current
    known = dict(order.names.items())
    session = known[name] if name in known else order.session  # noqa: SIM401 - asked only where it is not
    deleted = session.delete(memories=not order.flags.get("keep_memories"))
    order.names.drop(str(name))
    return DeletedTable(str(name), deleted)
