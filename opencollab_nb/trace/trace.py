"""The store of a run's events."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import DISK, Disk, JsonLines, read_lines, without_secrets
from opencollab_nb.shelf import Shelf
from opencollab_nb.trace.kind import Kind
from opencollab_nb.trace.schema import EVENTS, unreadable

Event = dict[str, Any]


class Trace:
    """Events in order, each `{"n", "kind", "step", "at", ...}` as `schema.py` says.

    With a path, every event is on the disk before `add` returns: those that a later request depends
    on are waited for, the others follow with the next of these. Older ones are only there.

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
        self.stored: Shelf[Event] = Shelf(self._read if self.path else None, kept_in=self.path or "memory")
        """In order, never edited; older ones are read when asked for."""
        self.notices: list[str] = []
        """What had to be left out when the file was read."""
        self._lines = JsonLines(self.path, disk=disk) if self.path else None
        self._kinds: dict[str, array[int]] = {}
        self._newest: dict[str, Event] = {}
        self._filed = 0
        self._lock = threading.Lock()

    @property
    def events(self) -> list[Event]:
        """All events in order, in a new list."""
        return list(self.stored)

    def __len__(self) -> int:
        return len(self.stored)

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
        trace.notices, trace._lines = found.notices, JsonLines(path, found, disk=disk)
        for event in found.values:
            trace._take(event)
        return trace

    def add(self, kind: str, step: int, **facts: Any) -> Event:
        """Keep one event; returns it as stored.

        Raises:
            TranscriptError: it is not JSON or could not be written; then it is not in `events` either.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        event: Event = {"n": len(self.stored), "kind": kind, "step": step, "at": now, **facts}
        if self._lines:
            event = self._lines.append(event, len(self.stored), sync=self.kinds[kind].durable)
        else:
            event = without_secrets(event)
        return self._take(event)

    def of(self, kind: str) -> list[Event]:
        """All events of one kind, in order."""
        with self._lock:
            places = list(self._file().get(kind, ()))
        return self.stored.at(places)

    def last(self, kind: str) -> Event | None:
        """The newest event of one kind, or None."""
        with self._lock:
            self._file()
            return self._newest.get(kind)

    def _file(self) -> dict[str, array[int]]:
        """The places of each kind, since a long run's steps ask for a few events among very many."""
        for event in self.stored[self._filed :]:
            self._kinds.setdefault(event["kind"], array("Q")).append(event["n"])
            self._newest[event["kind"]] = event
            self._filed += 1
        return self._kinds

    def _take(self, event: Event) -> Event:
        at = len(self.stored)
        return self.stored.append(event, 0 if self._lines is None else self._lines.size_bytes(at))

    def _read(self, first: int, end: int) -> list[Event]:
        assert self._lines is not None
        found = self._lines.read(first, end)
        if [event.get("n") for event in found] != list(range(first, end)):
            raise TranscriptError(f"{self.path}: events {first} to {end - 1} are not as they were written")
        return found

    def to_frame(self) -> Any:
        """One row an event, as a pandas `DataFrame`; see `frame.py`."""
        from opencollab_nb.trace.frame import to_frame

        return to_frame(self.stored)

    def close(self) -> None:
        """Wait for what was written and give the file back."""
        if self._lines:
            self._lines.sync()
            self._lines.close()
