"""The handoff: what a session leaves to the next one, from the harness's state first."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self, TypeVar

from opencollab_nb.budget.anchors import Anchors
from opencollab_nb.budget.handoff_facts import facts_of
from opencollab_nb.budget.handoff_text import markdown
from opencollab_nb.budget.noted import Noted
from opencollab_nb.budget.restate import finished_items
from opencollab_nb.budget.todos import Todo, Todos
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import TASK_PRIORITY, Message, encodable
from opencollab_nb.secrecy import KNOWN

MARKDOWN, DATA = "handoff.md", "handoff.json"
VERSION = 1
_T = TypeVar("_T")


@dataclass(frozen=True)
class Handoff:
    """The state of the work at a session's end, to go on from.

    Goal, constraints and what the user said stand word for word; todos and milestones come from the
    harness. What a model or a tool said is marked as theirs and quoted.

    >>> anchors = Anchors()
    >>> _ = anchors.register("goal", "Add tests for the shop.")
    >>> todos = Todos().updated(["login: tests", "mail: tests"]).changed("t1", "done")
    >>> handoff = Handoff.of(anchors=anchors, todos=todos, session="run-1", reason="stopped(budget)")
    >>> handoff.to_markdown().splitlines()[1:3]
    ['Finished (1): t1 "login: tests"', 'Open (1): t2 "mail: tests"']
    >>> Handoff.from_dict(handoff.to_dict()) == handoff
    True
    >>> handoff
    <Handoff of 'run-1', stopped(budget) after 0 steps: 1 finished, 1 open; to_markdown() is the text>
    """

    goal: str | None = None
    constraints: tuple[str, ...] = ()
    user_instructions: tuple[str, ...] = ()
    """What the user said after the task, the oldest first."""
    state: tuple[str, ...] = ()
    """Where the work stands, as the harness saw it: a sentence each."""
    finished: tuple[str, ...] = ()
    """Milestones and todos, the newest last, as they stand in a restatement."""
    open_todos: tuple[Todo, ...] = ()
    """In their order; they keep their ids in the next session."""
    decisions: tuple[Noted, ...] = ()
    ruled_out: tuple[Noted, ...] = ()
    next_steps: tuple[Noted, ...] = ()
    cautions: tuple[Noted, ...] = ()
    model_text: str = ""
    """The model's last words and its notes: its own view, checked by nobody."""
    session: str = ""
    """Id of the session that ended."""
    reason: str = ""
    """How it ended, as in the session's state."""
    steps: int = 0
    spent_tokens: int = 0
    """By the session that ended."""
    chain_spent_tokens: int = 0
    """By all sessions of this work."""
    sessions: tuple[str, ...] = ()
    """All sessions of this work, the one that ended last."""

    def __repr__(self) -> str:
        ended = f", {self.reason} after {self.steps:,} steps" if self.reason else ""
        state = f"{len(self.finished):,} finished, {len(self.open_todos):,} open"
        return f"<Handoff of {self.session!r}{ended}: {state}; to_markdown() is the text>"

    @classmethod
    def of(
        cls,
        *,
        anchors: Anchors | Iterable[Mapping[str, Any]] = (),
        todos: Todos | Iterable[Mapping[str, Any]] = (),
        events: Sequence[Mapping[str, Any]] = (),
        messages: Sequence[Message] = (),
        session: str = "",
        reason: str = "",
        detail: str = "",
        steps: int | None = None,
        spent_tokens: int = 0,
        former: Handoff | None = None,
    ) -> Self:
        """The handoff of a session.

        Args:
            anchors: the register, or its `to_list()`.
            todos: the list, or its `to_list()`.
            events: the run's trace.
            messages: its transcript, with `meta`.
            session: its id.
            reason: the state it ended in, `stopped(budget)`.
            detail: the sentence that explains it.
            steps: committed steps; None to count them in the events.
            spent_tokens: by this session.
            former: the handoff it had started from; what was decided and ruled out then still holds.
        """
        register = anchors if isinstance(anchors, Anchors) else Anchors.from_list(anchors)
        plan = todos if isinstance(todos, Todos) else Todos.from_list(todos)
        done = steps if steps is not None else sum(e.get("kind") == "commit" for e in events)
        found = facts_of(register, plan, events, messages, steps=done, detail=detail)
        before = former or cls()
        return cls(
            goal=register.goal or found.goal or before.goal,
            constraints=_joined(before.constraints, register.texts("constraints")),
            user_instructions=_joined(before.user_instructions, found.user_instructions),
            state=found.state,
            finished=_joined(before.finished, finished_items(register, plan)),
            open_todos=plan.open if len(plan) else before.open_todos,
            decisions=_joined(before.decisions, found.decisions),
            ruled_out=_joined(before.ruled_out, found.ruled_out),
            next_steps=found.next_steps,
            cautions=found.cautions,
            model_text=found.model_text,
            session=session,
            reason=reason,
            steps=done,
            spent_tokens=spent_tokens,
            chain_spent_tokens=before.chain_spent_tokens + spent_tokens,
            sessions=(*before.sessions, session),
        )

    def to_markdown(self) -> str:
        """As the next session's model reads it; begins with `[Handoff`."""
        return markdown(self)

    def as_message(self) -> Message:
        """The pinned message that opens the next session."""
        meta = {"source": "handoff", "kind": "handoff", "priority": TASK_PRIORITY}
        return {"role": "user", "content": self.to_markdown(), "meta": meta}

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The handoff that `to_dict` gave, also after JSON.

        Raises:
            UsageProblem: something else.
        """
        known = {field.name for field in fields(cls)}
        if (
            not isinstance(data, Mapping)
            or data.get("version") != VERSION
            or set(data) != known | {"version"}
        ):
            raise UsageProblem(
                f"this is no handoff of version {VERSION}; give a {DATA} that this library wrote."
            )
        try:
            return cls(**{name: _read(name, data[name]) for name in known})
        except (TypeError, KeyError, AttributeError) as problem:
            raise UsageProblem(f"a field of the handoff cannot be read: {problem}.") from problem

    def save(self, folder: str | Path) -> Path:
        """Write `handoff.md` and `handoff.json` into a folder, each whole or not at all; gives the first."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(place / DATA, json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n")
        _write(place / MARKDOWN, self.to_markdown() + "\n")
        return place / MARKDOWN

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The handoff in a run folder, or in its `handoff.json` (or the `handoff.md` beside it).

        Raises:
            UsageProblem: there is none that can be read.
        """
        place = Path(path)
        file = place / DATA if place.is_dir() else place.with_name(DATA) if place.suffix == ".md" else place
        try:
            return cls.from_dict(json.loads(file.read_text("utf-8")))
        except FileNotFoundError as problem:
            raise UsageProblem(f"there is no {file}; a session writes it when it ends.") from problem
        except (OSError, ValueError, RecursionError) as problem:
            raise UsageProblem(f"{file} cannot be read as a handoff: {problem}") from problem


def _joined(before: Iterable[_T], after: Iterable[_T]) -> tuple[_T, ...]:
    """Both, each once, at its later place."""
    return tuple(reversed(dict.fromkeys(reversed([*before, *after]))))


_NOTED = ("decisions", "ruled_out", "next_steps", "cautions")
_TEXTS = ("constraints", "user_instructions", "state", "finished", "sessions")
_NUMBERS = ("steps", "spent_tokens", "chain_spent_tokens")


def _read(name: str, value: Any) -> Any:
    if name in _NOTED:
        return tuple(Noted(**_all_texts(item)) for item in value)
    if name == "open_todos":
        return Todos.from_list(value).items
    if name in _TEXTS:
        return tuple(_text(item) for item in value)
    if name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} is {value!r}, not a whole number")
        return value
    return None if name == "goal" and value is None else _text(value)


def _all_texts(item: Mapping[str, Any]) -> dict[str, str]:
    return {key: _text(value) for key, value in item.items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(
            os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(KNOWN.struck(encodable(text)))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
