"""The append-only store of a run's messages."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import DISK, Disk, JsonLines, encoded, read_lines, without_secrets
from opencollab_nb.messages import Message, Messages, is_pinned, meta_of
from opencollab_nb.shelf import Shelf
from opencollab_nb.transcript.entries import checked, commit_entry, digest_of, head, message_entry
from opencollab_nb.transcript.origin import Origin
from opencollab_nb.transcript.origin_record import origin_of
from opencollab_nb.transcript.shown import as_html, as_text


class Transcript:
    """Messages in the order they came, each with its number in `meta["id"]`.

    With a path, every entry is on the disk before `append` returns, and older ones are only there;
    without one all is kept in memory.

    Args:
        path: the file, made at the first entry; None for memory.
        disk: the calls that reach the file system.

    >>> transcript = Transcript()
    >>> transcript.append({"role": "user", "content": "hi"}, source="task", step=0, priority=80)["meta"]
    {'id': 0, 'source': 'task', 'step': 0, 'priority': 80}
    >>> transcript.commit(1); len(transcript), transcript.committed
    (1, 1)
    """

    def __init__(self, path: Path | str | None = None, *, disk: Disk = DISK) -> None:
        self.path = Path(path) if path is not None else None
        self.stored: Shelf[Message] = Shelf(self._read if self.path else None, kept_in=self.path or "memory")
        """In order, never to be edited; older ones are read back when asked for."""
        self.notices: list[str] = []
        """What had to be left out when the file was read."""
        self.origin: Origin | None = None
        """Where it was imported from and what is known of the calls there; None for a run of our own."""
        self._lines = JsonLines(self.path, disk=disk) if self.path else None
        self._begun = False
        self._commits: list[int] = []
        self._others = 0
        self._line_of = array("Q")
        self._pinned: list[int] = []

    @property
    def messages(self) -> Messages:
        """All messages in order, in a new list: what is done to it reaches nothing here."""
        return list(self.stored)

    @property
    def pinned(self) -> Messages:
        """Those that no shaper may change, whatever was pinned by hand."""
        return self.stored.at(self._pinned)

    @property
    def committed(self) -> int:
        """The last step whose reply and results are all there; 0 before the first."""
        return self._commits[-1] if self._commits else 0

    def __len__(self) -> int:
        return len(self.stored)

    def __repr__(self) -> str:
        where = self.path or "memory"
        return f"Transcript({len(self)} messages, {self.committed} steps, {str(where)!r})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """As the value of a cell: with all that is known of where it came from."""
        printer.text(repr(self) if cycle or self.origin is None else as_text(self))

    def _repr_html_(self) -> str:
        return as_html(self)

    @classmethod
    def of(cls, messages: Iterable[Message], *, steps: int = 0, origin: Origin | None = None) -> Transcript:
        """A transcript in memory of messages that have their numbers, the first `steps` steps finished.

        >>> Transcript.of([{"role": "user", "content": "hi", "meta": {"id": 0}}])
        Transcript(1 messages, 0 steps, 'memory')
        """
        transcript = cls()
        for line, message in enumerate(messages, 1):
            transcript._take(message, line)
        transcript._commits = list(range(1, steps + 1))
        transcript.origin = origin
        return transcript

    @classmethod
    def open(cls, path: Path | str, *, disk: Disk = DISK) -> Transcript:
        """The transcript of a file, ready to go on.

        A last line that was not written to its end is dropped, with a notice in `notices`.

        Raises:
            TranscriptError: there is no such file, it cannot be read, or a line is damaged; it is named.
        """
        path = Path(path)
        if not path.is_file():
            raise TranscriptError(f"there is no transcript {path}; check the path")
        found = read_lines(path)
        transcript = cls(path, disk=disk)
        transcript._lines = JsonLines(path, found, disk=disk)
        for line, entry in enumerate(found.values, 1):
            checked(entry, line=line, next_id=len(transcript.stored), where=str(path))
            if entry["entry"] == "message":
                transcript._take(entry["message"], line - 1)
            elif entry["entry"] == "commit":
                transcript._commits.append(entry["step"])
            elif entry["entry"] == "origin":
                transcript.origin = replace(origin_of(entry["origin"]), path=str(path), name=path.name)
                transcript._others += 1
        transcript.notices = found.notices
        transcript._begun = bool(found.values)
        return transcript

    def append(self, message: Message, *, source: str, step: int, priority: int | None = None) -> Message:
        """Keep one message; returns it as stored, with its `meta`.

        Args:
            message: in the OpenAI chat shape; what it has under `meta` is kept too.
            source: who it comes from, see `messages`.
            step: the step that brought it, 0 before the first.
            priority: at or above `PIN_FLOOR` it is pinned.

        Raises:
            TranscriptError: it is not JSON or could not be written; then it is not in `messages` either.
        """
        meta: dict[str, Any] = {**meta_of(message), "id": len(self.stored)}
        meta |= {"source": source, "step": step}
        if priority is not None:
            meta["priority"] = priority
        line = self._next_line
        return self._take(self._write(message_entry({**message, "meta": meta}))["message"], line)

    def commit(self, step: int) -> None:
        """Mark a step as finished.

        Raises:
            TranscriptError: the mark could not be written; the step is not finished then.
        """
        self._write(commit_entry(step))
        self._commits.append(step)

    def digest(self, since: int = 0) -> str:
        """What proves later that the messages from this id on are those that came."""
        return digest_of(encoded(message_entry(message)) for message in self.stored[since:])

    def close(self) -> None:
        """Give the file back."""
        if self._lines:
            self._lines.close()

    @property
    def _next_line(self) -> int:
        """The line after those that were taken over; the head is the first."""
        return 1 + len(self.stored) + len(self._commits) + self._others

    def _take(self, message: Message, line: int) -> Message:
        # An interrupt may strike before the last of these, which is what counts.
        del self._line_of[len(self.stored) :]
        self._line_of.append(line)
        if is_pinned(message):
            self._pinned = [own for own in self._pinned if own < len(self.stored)]
            self._pinned.append(len(self.stored))
        return self.stored.append(message, 0 if self._lines is None else self._lines.size_bytes(line))

    def _read(self, first: int, end: int) -> list[dict[str, Any]]:
        assert self._lines is not None
        entries = self._lines.read(self._line_of[first], self._line_of[end - 1] + 1)
        found = [entry["message"] for entry in entries if entry.get("entry") == "message"]
        if [message["meta"]["id"] for message in found] != list(range(first, end)):
            raise TranscriptError(f"{self.path}: messages {first} to {end - 1} are not as they were written")
        return found

    def _write(self, entry: dict[str, Any]) -> dict[str, Any]:
        if self._lines is None:
            return without_secrets(entry)
        if not self._begun:
            self._lines.append(head(), 0)
            self._begun = True
        return self._lines.append(entry, self._next_line)
