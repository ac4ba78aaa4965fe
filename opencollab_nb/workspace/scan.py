"""All files of a folder, with what tells whether one has changed since it was last looked at."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from opencollab_nb.ticket import Ticket

REMADE = frozenset(
    {
        "__pycache__",
        ".hypothesis",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    }
)
"""Folders that programs make again by themselves; nothing of them is kept or missed."""
BULKY = frozenset({".nox", ".tox", ".venv", "node_modules", "venv"})
"""Folders that are installed again; nothing of them is kept, and that is told."""


@dataclass(frozen=True)
class Limits:
    """What is too much for a snapshot at every step."""

    files: int = 20_000
    total_bytes: int = 300_000_000
    file_bytes: int = 20_000_000
    """A longer file is left out; the rest is kept."""


class Entry(NamedTuple):
    """One file or link, as it was seen."""

    name: bytes
    """Relative to the folder."""
    mode: int
    size: int
    changed_ns: int
    status_ns: int
    inode: int

    @property
    def changed_at(self) -> float:
        """When it last changed, in seconds."""
        return max(self.changed_ns, self.status_ns) / 1e9

    @property
    def git_mode(self) -> bytes:
        """What git calls this kind of file."""
        if stat.S_ISLNK(self.mode):
            return b"120000"
        return b"100755" if self.mode & stat.S_IXUSR else b"100644"

    def content(self, root: Path) -> bytes | None:
        """The bytes of the file, or where the link leads; None where it is gone or another thing now."""
        path = os.path.join(os.fsencode(root), self.name)  # noqa: PTH118 - names are bytes, and may be no text
        try:
            if stat.S_ISLNK(self.mode):
                return os.readlink(path)  # noqa: PTH115 - as above
            # A FIFO put in its place must not be waited for, a link not be followed.
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
                return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
        except OSError:
            return None


@dataclass
class Scan:
    """What a folder holds."""

    entries: dict[bytes, Entry] = field(default_factory=dict)
    empty: list[bytes] = field(default_factory=list)
    """Folders without any file, which git has no place for."""
    left_out: list[bytes] = field(default_factory=list)
    """What is not kept: folders installed again, files that are too long or cannot be read."""
    total_bytes: int = 0
    too_much: str | None = None
    """Why all of it is too much; the scan ended there."""


def scanned(
    root: Path, *, spare: Iterable[Path] = (), limits: Limits | None = None, ticket: Ticket | None = None
) -> Scan:
    """Look at every file under a folder; links are not followed, devices and sockets passed over.

    Args:
        root: the folder.
        spare: folders inside it that are none of its own.
        limits: what is too much.
        ticket: whose cancelling ends it.

    Raises:
        OSError: the folder itself cannot be read.
        StepCancelled: the ticket was cancelled.
    """
    limits = limits or Limits()
    found, top = Scan(), os.fsencode(root)
    spared = {os.fsencode(path) for path in spare}
    waiting = [top]
    while waiting and not found.too_much:
        if ticket is not None:
            ticket.check()
        folder = waiting.pop()
        try:
            with os.scandir(folder) as inside:
                listed = sorted(inside, key=lambda entry: entry.name)
        except OSError:
            if folder == top:
                raise
            found.left_out.append(folder[len(top) + 1 :])
            continue
        if not listed and folder != top:
            found.empty.append(folder[len(top) + 1 :])
        for entry in listed:
            if entry.path not in spared:
                _take(entry, entry.path[len(top) + 1 :], found, waiting, limits)
    return found


def _take(entry: os.DirEntry[bytes], name: bytes, found: Scan, waiting: list[bytes], limits: Limits) -> None:
    if entry.is_dir(follow_symlinks=False):
        own = os.fsdecode(entry.name)
        if own in BULKY:
            found.left_out.append(name)
        elif own not in REMADE:
            waiting.append(entry.path)
        return
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return  # gone since it was listed
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return
    if status.st_size > limits.file_bytes or (
        stat.S_ISREG(status.st_mode) and not os.access(entry.path, os.R_OK, follow_symlinks=False)
    ):
        found.left_out.append(name)
        return
    found.entries[name] = Entry(
        name, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )
    found.total_bytes += status.st_size
    if len(found.entries) > limits.files:
        found.too_much = f"it holds more than {limits.files:,} files"
    elif found.total_bytes > limits.total_bytes:
        found.too_much = f"it holds more than {limits.total_bytes // 1_000_000:,} MB"
