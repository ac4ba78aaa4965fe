"""The store of a run's events."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import DISK, Disk, JsonLines, read_lines, without_secrets
from opencollab_nb.trace.kind import Kind
from opencollab_nb.trace.schema import EVENTS, unreadable

Event = dict[str, Any]


class Trace:
    """Events in order, each `{"n", "kind", "step", "at", ...}` as `schema.py` says.

    With a path, every event is on the disk before `add` returns: those that a later request depends
    on are waited for, the others follow with the next of these.

    Args:
        path: the file, made at the first event; None for memory.
        kinds: the kinds of events that it holds.
        disk: the calls that reach the file system.

    >>> trace = Trace()
    >>> event = trace.add("notice", 0, text="hello")
    >>> event["n"], event["kind"], event["text"]
    (0, 'notice', 'hello')
    >>> len(trace.of("notice"))
    1
    """

    def __init__(
        self, path: Path | str | None = None, *, kinds: Mapping[str, Kind] = EVENTS, disk: Disk = DISK
    ) -> None:
        self.kinds = kinds
        self.path = Path(path) if path is not None else None
        self.events: list[Event] = []
        """In order, never edited."""
        self.notices: list[str] = []
        """What had to be left out when the file was read."""
        self._lines = JsonLines(self.path, disk=disk) if self.path else None
        self._kinds: dict[str, list[Event]] = defaultdict(list)
        self._filed = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.events)

    def __repr__(self) -> str:
        return f"Trace({len(self)} events, {str(self.path or 'memory')!r})"

    @classmethod
    def open(cls, path: Path | str, *, kinds: Mapping[str, Kind] = EVENTS, disk: Disk = DISK) -> Trace:
        """The trace of a file, ready to go on; a torn last line is dropped, with a notice.

        Raises:
            TranscriptError: there is no such file, it cannot be read, or a line is damaged; it is named.
        """
        path = Path(path)
        if not path.is_file():
            raise TranscriptError(f"there is no trace {path}; check the path")
        found = read_lines(path)
        for line, event in enumerate(found.values, 1):
            if event.get("n") != line - 1 or not isinstance(event.get("kind"), str):
                raise TranscriptError(
                    f"{path}, line {line}: event {event.get('n')!r} where {line - 1} is due"
                )
        for line, event in enumerate(found.values, 1):
            fault = unreadable(event, kinds)
            if fault:
                raise TranscriptError(f"{path}, line {line}: {fault}")
        trace = cls(path, kinds=kinds, disk=disk)
        trace.events, trace.notices = found.values, found.notices
        trace._lines = JsonLines(path, found, disk=disk)
        return trace

    def add(self, kind: str, step: int, **facts: Any) -> Event:
        """Keep one event; returns it as stored.

        Raises:
            TranscriptError: it is not JSON or could not be written; then it is not in `events` either.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        event: Event = {"n": len(self.events), "kind": kind, "step": step, "at": now, **facts}
        if self._lines:
            event = self._lines.append(event, len(self.events), sync=self.kinds[kind].durable)
        else:
            event = without_secrets(event)
        self.events.append(event)
        return event

    def of(self, kind: str) -> list[Event]:
        """All events of one kind, in order."""
        return list(self._of_kind(kind))

    def last(self, kind: str) -> Event | None:
        """The newest event of one kind, or None."""
        found = self._of_kind(kind)
        return found[-1] if found else None

    def _of_kind(self, kind: str) -> list[Event]:
        """From an index, since a long run's steps ask for a few events among very many."""
        with self._lock:
            for event in self.events[self._filed :]:
                self._kinds[event["kind"]].append(event)
                self._filed += 1
            return self._kinds.get(kind, [])

    def to_frame(self) -> Any:
        """One row an event, as a pandas `DataFrame`; see `frame.py`."""
        from opencollab_nb.trace.frame import to_frame

        return to_frame(self.events)

    def close(self) -> None:
        """Wait for what was written and give the file back."""
        if self._lines:
            self._lines.sync()
            self._lines.close()
