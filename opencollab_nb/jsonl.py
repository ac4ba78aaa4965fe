"""One JSON value a line, on the disk before `append` returns: how transcript and trace are kept."""

from __future__ import annotations

import contextlib
import json
import os
import weakref
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.secrecy import KNOWN


class Disk:
    """The calls that reach the file system: the seam where tests watch order and make a disk full."""

    def open(self, path: Path) -> int:
        """A descriptor for reading and appending; folder and file are made where they are missing."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        if new:
            # The name of a new file is on the disk only after its folder is.
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        """Write at the end; how many bytes were taken."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Wait until what was written is on the disk."""
        os.fsync(descriptor)

    def cut(self, descriptor: int, size_bytes: int) -> None:
        """Cut the file off."""
        os.ftruncate(descriptor, size_bytes)

    def close(self, descriptor: int) -> None:
        """Give the descriptor back."""
        os.close(descriptor)


DISK = Disk()


@dataclass
class Lines:
    """What a file held when it was read."""

    values: list[dict[str, Any]] = field(default_factory=list)
    starts: array[int] = field(default_factory=lambda: array("Q"))
    """Where in the file each of them begins, in bytes."""
    size_bytes: int = 0
    """Where the last sound line ends."""
    unended: bool = False
    """True where the last value is whole and only its line end is missing."""
    notices: list[str] = field(default_factory=list)


class JsonLines:
    """Appends values to one file. What cannot be written whole is taken back and reported.

    The file is made at the first value. Text is written in ASCII, so lone surrogates survive and a
    value never spans two lines.
    """

    def __init__(self, path: Path, found: Lines | None = None, *, disk: Disk = DISK) -> None:
        found = found or Lines()
        self.path, self.disk = path, disk
        self._size, self._unended = found.size_bytes, found.unended
        self._starts = found.starts[:]
        self._descriptor, self._unsure = -1, True
        self._give_back: Callable[[], object] = bool

    def append(self, value: dict[str, Any], count: int, *, sync: bool = True) -> dict[str, Any]:
        """Write one value; returns it as it will be read back.

        Args:
            value: JSON-able.
            count: how many values the caller has taken over. One that was written but never taken
                over, because an interrupt struck between the two, is cut off first.
            sync: wait until it is on the disk.

        Raises:
            TranscriptError: the value is not JSON, or the disk refused it. The file is as before.
        """
        line = encoded(value)
        back: dict[str, Any] = decoded(line)
        if count == len(self._starts) - 1:
            self._size, self._unsure = self._starts.pop(), True
        try:
            self._ready()
            try:
                self._write(line + b"\n")
                if sync:
                    self.disk.sync(self._descriptor)
            except BaseException:
                self._take_back()
                raise
        except OSError as problem:
            raise TranscriptError(
                f"{self.path} cannot be written: {problem.strerror or problem}. Nothing of this entry was "
                "kept; free the disk or correct the folder's permissions, then go on"
            ) from problem
        self._starts.append(self._size)
        self._size += len(line) + 1
        return back

    def size_bytes(self, line: int) -> int:
        """How long a line is in the file, with its end."""
        starts = self._starts
        return (starts[line + 1] if line + 1 < len(starts) else self._size) - starts[line]

    def read(self, first: int, end: int) -> list[dict[str, Any]]:
        """The values of lines that were written, from one line up to, not including, another.

        Raises:
            TranscriptError: the file was changed by somebody else, or cannot be read.
        """
        begin, last = self._starts[first], self._starts[end - 1]
        size = last + self.size_bytes(end - 1) - begin
        try:
            with self.path.open("rb") as file:
                file.seek(begin)
                found = [decoded(line) for line in file.read(size).rstrip(b"\n").split(b"\n")]
        except (OSError, ValueError, RecursionError) as problem:
            raise TranscriptError(
                f"{self.path}, line {first + 1}: cannot be read again ({problem})"
            ) from problem
        if len(found) != end - first:
            raise TranscriptError(f"{self.path}, line {first + 1}: the file is not as it was written")
        return found

    def sync(self) -> None:
        """Wait until all that was appended is on the disk."""
        if self._descriptor >= 0:
            self.disk.sync(self._descriptor)

    def close(self) -> None:
        """Give the file back; a later `append` opens it again."""
        self._descriptor = -1
        self._give_back()

    def _ready(self) -> None:
        if self._descriptor < 0:
            self._descriptor = self.disk.open(self.path)
            # A session that is only dropped must not keep its files open.
            self._give_back = weakref.finalize(self, self.disk.close, self._descriptor)
            self._unsure = True
        if self._unsure:
            self.disk.cut(self._descriptor, self._size)
            self._unsure = False
        if self._unended:
            self._write(b"\n")
            self._size, self._unended = self._size + 1, False

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self.disk.write(self._descriptor, data) :]

    def _take_back(self) -> None:
        self._unsure = True
        # A disk that refuses this too is asked again before the next line is written.
        with contextlib.suppress(OSError):
            self.disk.cut(self._descriptor, self._size)
            self._unsure = False


def encoded(value: dict[str, Any]) -> bytes:
    r"""One line of JSON, without its end and without known secrets.

    Raises:
        TranscriptError: the value holds something that JSON has no form for.

    >>> encoded({"text": "a\n" + chr(0xD83E)})
    b'{"text":"a\\n\\ud83e"}'
    """
    try:
        return KNOWN.struck_bytes(json.dumps(value, separators=(",", ":")).encode("ascii"))
    except (TypeError, ValueError, RecursionError) as problem:
        raise TranscriptError(f"an entry cannot be written as JSON: {problem}") from problem


def without_secrets(value: dict[str, Any]) -> dict[str, Any]:
    """The value as a file would give it back, where it holds a known secret; else the value itself.

    Raises:
        TranscriptError: the value holds something that JSON has no form for.
    """
    line = encoded(value)
    return decoded(line) if b"[secret " in line else value


def decoded(line: bytes) -> Any:
    """The value of a line."""
    return json.loads(line)


def read_lines(path: Path) -> Lines:
    """All values of a file.

    A last line that was not written to its end is left out, with a notice.

    Raises:
        TranscriptError: the file cannot be read, or a line before the last is damaged; it is named.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Lines()
    except OSError as problem:
        raise TranscriptError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    found = Lines()
    raw = data.split(b"\n")
    last = len(raw) - 1 if raw[-1] else len(raw) - 2
    for number, line in enumerate(raw[: last + 1]):
        try:
            value = decoded(line)
            if not isinstance(value, dict):
                raise ValueError("not a JSON object")
        except (ValueError, RecursionError) as problem:
            if number < last:
                raise TranscriptError(
                    f"{path}, line {number + 1}: damaged ({problem}). All other lines are still there: "
                    "correct or remove this one in a copy of the folder, then resume the copy"
                ) from problem
            found.notices.append(
                f"{path.name}, line {number + 1}: torn ({len(line):,} bytes, the last line); it is left out"
            )
            break
        found.values.append(value)
        found.starts.append(found.size_bytes)
        found.size_bytes += len(line) + 1
    if found.size_bytes > len(data):
        found.size_bytes, found.unended = len(data), True
    return found
