"""What the verbs of the four moves give back: values that show themselves as text and as escaped HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opencollab_nb.messages import id_of, meta_of
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.results import Shown
from opencollab_nb.views.sent import content_of
from opencollab_nb.views.snapshot import counted
from opencollab_nb.views.tables import Table, long_table
from opencollab_nb.views.text import ends, escaped, head, visible

LINE_CHARS = 300
MOST_CHARS = 20_000
AUDIT_COLUMNS = ("step", "what", "layer", "ids", "where", "tokens_before", "tokens_after", "note")
LATER = "a step is under way: what was just said holds from its end on"


@dataclass(frozen=True, repr=False)
class AnchorTable(Shown):
    """All anchors, in the order in which they were registered."""

    anchors: Sequence[Any]
    in_force: frozenset[int]
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, session: Any) -> AnchorTable:
        """The session's register."""
        register = session.anchors
        notes = [LATER] if session.state in IN_FLIGHT else []
        return cls(tuple(register), frozenset(a.number for a in register.in_force()), notes)

    def table(self) -> Table:
        """A row an anchor."""
        rows = [
            (
                a.number,
                a.kind,
                a.at,
                "" if a.number in self.in_force else "replaced",
                head(a.text, LINE_CHARS),
            )
            for a in self.anchors
        ]
        title = f"{counted(len(rows), 'anchor')}, kept word for word" if rows else "no anchor yet"
        return long_table(("number", "kind", "step", "", "text"), rows, title, self.notes)


@dataclass(frozen=True, repr=False)
class TodoTable(Shown):
    """The todos as they are now."""

    todos: Any
    """A `Todos`."""
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, session: Any) -> TodoTable:
        """The session's todos."""
        return cls(session.todos, [LATER] if session.state in IN_FLIGHT else [])

    def table(self) -> Table:
        """A row a todo."""
        rows = [(t.id, t.status.replace("_", " "), t.by, head(t.text, LINE_CHARS)) for t in self.todos]
        done = len(self.todos.done)
        title = f"{len(self.todos.open):,} open, {done:,} done" if rows else "no todo yet"
        return long_table(("id", "status", "by", "text"), rows, title, self.notes)


@dataclass(frozen=True, repr=False)
class AuditView(Shown):
    """The audit of a run, and whether it was proved."""

    frame: Any
    """The `Audit`, a DataFrame."""
    verified: Any
    """What `frame.verify()` found; true where every original can be read back."""

    def table(self) -> Table:
        """A row an event."""
        rows = [tuple(_plain(row[name]) for name in AUDIT_COLUMNS) for row in self.frame.to_dict("records")]
        notes = [
            head(str(self.verified), 600),
            "all columns: .frame; one request as it was sent: %oc audit STEP",
        ]
        return long_table(
            AUDIT_COLUMNS, rows, f"audit: {counted(len(rows), 'event') or 'nothing yet'}", notes
        )


def _plain(value: Any) -> Any:
    """A cell of a frame: what is missing there is None here, whole numbers are whole."""
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else head(value, LINE_CHARS)


@dataclass(frozen=True, repr=False)
class ReplayTable(Shown):
    """The raw messages of one request, as they were sent."""

    step: int
    messages: Sequence[Any]

    def table(self) -> Table:
        """A row a message."""
        rows = [
            (_id(m), m.get("role"), meta_of(m).get("source"), len(content_of(m)), head(content_of(m)))
            for m in self.messages
        ]
        title = f"sent at step {self.step:,}: {counted(len(rows), 'message')}"
        notes = [".messages holds them whole, .messages.originals the transcript of that moment"]
        return long_table(("id", "role", "source", "chars", "begins"), rows, title, notes)


def _id(message: Any) -> str:
    number = id_of(message)
    return "" if number is None else str(number)


@dataclass(frozen=True, repr=False)
class HandoffView:
    """A handoff, as the next session's model reads it."""

    handoff: Any
    """The `Handoff`."""
    path: str

    def __repr__(self) -> str:
        return f"{ends(self.handoff.to_markdown(), MOST_CHARS, self.path)}\n\n{visible(self._where())}"

    def _repr_html_(self) -> str:
        text = ends(self.handoff.to_markdown(), MOST_CHARS, self.path)
        style = "white-space:pre-wrap;overflow-wrap:anywhere;max-height:32em;overflow:auto"
        return f"<div><pre style='{style}'>{escaped(text)}</pre><p>{escaped(self._where())}</p></div>"

    def _where(self) -> str:
        return f"written to {self.path}; Session.continued(session, model=...) goes on from it"


@dataclass(frozen=True, repr=False)
class MemoryTable(Shown):
    """Memories."""

    memories: Sequence[Any]
    title: str = ""

    def table(self) -> Table:
        """A row a memory."""
        rows = [
            (
                m.pointer,
                m.kind,
                m.by,
                f"{m.confidence:.2f}",
                m.hits,
                _flags(m),
                head(m.source, 40),
                head(m.text, LINE_CHARS),
            )
            for m in self.memories
        ]
        header = ("id", "kind", "by", "confidence", "hits", "flags", "source", "text")
        title = f"{counted(len(rows), 'note') or 'no note'}: {self.title}" if self.title else ""
        return long_table(header, rows, title, ["%oc memory forget ID deletes one for good"] if rows else [])


def _flags(memory: Any) -> str:
    return ", ".join([*memory.flags, *(f"{sort} taken out" for sort in memory.redacted)])


@dataclass(frozen=True, repr=False)
class ForgottenLine:
    """What was forgotten."""

    forgotten: Any
    """A `Forgotten`."""

    def __repr__(self) -> str:
        if not self.forgotten:
            return "nothing was found to forget"
        numbers = ", ".join(f"m{number}" for number in self.forgotten.ids[:20])
        more = f" and {self.forgotten.count - 20:,} more" if self.forgotten.count > 20 else ""
        erased = "" if self.forgotten.erased else "; the file's bytes follow once no other process reads it"
        return f"forgotten for good: {numbers}{more}{erased}"

    def _repr_html_(self) -> str:
        return f"<div>{escaped(repr(self))}</div>"


@dataclass(frozen=True, repr=False)
class DeletedTable(Shown):
    """What was deleted of one run."""

    name: str
    paths: Sequence[Path]

    def table(self) -> Table:
        """A row a path."""
        title = (
            f"agent {self.name!r} is gone, and all that is left of it; branches of it are runs of their own"
        )
        return long_table(("deleted",), [(str(path),) for path in self.paths], title)


@dataclass(frozen=True, repr=False)
class PurgedTable(Shown):
    """What a purge deleted."""

    purged: Any
    """The `Purged`."""

    def table(self) -> Table:
        """A row a run."""
        p = self.purged
        rows = [(str(path), "would be deleted" if p.dry else "deleted") for path in p.runs]
        rows += [(str(path), f"kept: {head(why, 200)}") for path, why in (p.kept or {}).items()]
        runs = counted(len(p.runs), "run") or "no run"
        title = f"{runs} {'would be ' * p.dry}deleted in {p.folder}"
        if p.memories:
            title += f", and {counted(p.memories, 'note')} remembered of them"
        return long_table(("run", "what became of it"), rows, title)
