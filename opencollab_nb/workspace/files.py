"""file_read and file_write."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator

from opencollab_nb.messages import encodable
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.paths import Folder, Place, must_be_regular
from opencollab_nb.workspace.problem import ToolProblem, shown

CHUNK_BYTES = 1 << 20
COUNTED_BYTES = 256 << 20
"""Up to here the lines after the ones shown are counted; beyond, the note says `at least`."""
SOUGHT_BYTES = 4 << 30
"""Up to here the lines asked for are looked for: a file may be endless, or hold a terabyte of nothing."""


def file_read(
    folder: Folder,
    path: str,
    offset: int = 1,
    limit: int = 200,
    *,
    output_chars: int,
    ticket: Ticket | None = None,
) -> str:
    """Lines `offset` to `offset + limit - 1`, numbered, and a note of how many remain.

    Memory stays bounded whatever the size of the file or of one line.

    Raises:
        ToolProblem: no regular file of the workspace, or `offset` lies past its end.
    """
    with folder.file(path) as (fd, status):
        page = Page(offset, limit, output_chars)
        size = 0
        for chunk in _chunks(fd, ticket):
            size += len(chunk)
            page.add(chunk)
            if page.full and size > COUNTED_BYTES:
                page.cut_off = True
                break
            if size > SOUGHT_BYTES:
                raise ToolProblem(
                    f"line {offset} of {shown(path)} lies beyond {SOUGHT_BYTES} bytes; use bash."
                )
        page.end()
        return page.text(path) + _hard_link_note(status)


def _chunks(fd: int, ticket: Ticket | None) -> Iterator[bytes]:
    while chunk := os.read(fd, CHUNK_BYTES):
        if ticket is not None:
            ticket.check()
        yield chunk


def _hard_link_note(status: os.stat_result) -> str:
    if status.st_nlink <= 1:
        return ""
    return f"\n[note: this file has {status.st_nlink} hard links; another may lie outside the workspace]"


class Page:
    """The wanted lines of a file that comes in chunks."""

    def __init__(self, offset: int, limit: int, output_chars: int) -> None:
        self.offset, self.last, self.left_bytes = offset, offset + limit - 1, output_chars
        self.line = 1
        self.lines: list[str] = []
        self.begun = b""
        self.begun_bytes = 0
        self.open_line = False
        self.cut_off = False

    @property
    def full(self) -> bool:
        """Nothing more will be shown; what comes is only counted."""
        return self.line > self.last or self.left_bytes <= 0

    def add(self, chunk: bytes) -> None:
        """Take the next piece of the file."""
        start = 0
        while start < len(chunk):
            if self.line < self.offset and (end := chunk.find(b"\n", start)) >= 0:
                self.line, start = self.line + 1, end + 1
                self.open_line = False
                continue
            if self.full:
                self.line += chunk.count(b"\n", start)
                self.open_line = not chunk.endswith(b"\n")
                return
            end = chunk.find(b"\n", start)
            self._take(chunk[start : end if end >= 0 else len(chunk)])
            self.open_line = end < 0
            if end < 0:
                return
            self._close()
            start = end + 1

    def _take(self, piece: bytes) -> None:
        if self.line >= self.offset:
            room = max(0, self.left_bytes - len(self.begun))
            self.begun += piece[:room]
            self.begun_bytes += len(piece)

    def _close(self) -> None:
        if self.line >= self.offset:
            cut = self.begun_bytes - len(self.begun)
            text = self.begun.removesuffix(b"\r").decode("utf-8", "replace")
            self.lines.append(f"{self.line:5d}\t{text}" + (f" [line cut: {cut} more bytes]" if cut else ""))
            # A line's number and end count too: empty lines must not be endless.
            self.left_bytes -= self.begun_bytes + 7
            self.begun, self.begun_bytes = b"", 0
        self.line += 1

    def end(self) -> None:
        """The file has ended, perhaps within a line."""
        if self.open_line and not self.full:
            self._close()
        elif self.open_line:
            self.line += 1

    def text(self, path: str) -> str:
        """The numbered lines and the note.

        Raises:
            ToolProblem: the file has no line `offset`.
        """
        total = self.line - 1
        if not self.lines:
            if total == 0 and self.offset == 1:
                return "(empty file)"
            raise ToolProblem(f"offset {self.offset} is past the end: {shown(path)} has {total} lines.")
        following = self.offset + len(self.lines)
        remaining = total - following + 1
        if remaining <= 0 and not self.cut_off:
            return "\n".join(self.lines)
        count = f"at least {remaining}" if self.cut_off else f"{remaining}"
        lines = "line" if count == "1" else "lines"
        return "\n".join(self.lines) + f"\n[{count} more {lines}; go on with offset={following}]"


def file_write(folder: Folder, path: str, content: str) -> str:
    """Make or replace a file, and the folders it lies in.

    The new text appears at once or not at all; lone surrogates become U+FFFD.

    Raises:
        ToolProblem: the path leads out, into `.git`, or to something that is no regular file.
    """
    data = encodable(content).encode()
    with folder.place(path, make_folders=True) as place:
        before = writable(place, path)
        size = f"{len(content)} character{'s' * (len(content) != 1)}"
        if before is not None and before.st_size == len(data) and _same(place, data):
            return f"wrote {size} to {path} (unchanged)"
        replace_file(place, data, before)
        new = " (new file)" if before is None else ""
        return f"wrote {size} to {path}{new}{link_note(before)}"


def writable(place: Place, path: str) -> os.stat_result | None:
    """The status of the file to be replaced, None for a new one.

    Raises:
        ToolProblem: no tool may write there.
    """
    if place.in_git:
        # Its config and hooks start programs as soon as anyone runs git in this folder.
        raise ToolProblem(f"{shown(path)} lies in .git, which no tool writes; use git through bash.")
    status = place.status()
    if status is not None or place.name == ".":
        must_be_regular(status or os.fstat(place.folder), place, path)
    if status is not None and not status.st_mode & stat.S_IWUSR:
        raise ToolProblem(f"{shown(path)} is read-only; leave it as it is, or write another file.")
    return status


def replace_file(place: Place, data: bytes, before: os.stat_result | None) -> None:
    """Write beside it and rename: readers see the old or the new text, other hard links keep the old."""
    beside = f".{secrets.token_hex(8)}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(beside, flags, 0o666, dir_fd=place.folder)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode) & 0o777)
        os.rename(beside, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        os.unlink(beside, dir_fd=place.folder)
        raise


def link_note(before: os.stat_result | None) -> str:
    """What to say when the replaced file had other names."""
    return " (its other hard links keep the old text)" if before is not None and before.st_nlink > 1 else ""


def _same(place: Place, data: bytes) -> bool:
    fd = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place.folder)
    with os.fdopen(fd, "rb") as file:
        return file.read(len(data) + 1) == data
