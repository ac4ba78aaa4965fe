"""A disk that writes down what reaches it, and the folders that a power cut could leave of that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opencollab_nb.jsonl import Disk
from opencollab_nb.session import Session

Act = tuple[str, str, bytes]
"""What was done, to which file, with which bytes."""


class Watched(Disk):
    """Does what a disk does, and keeps the order of it in `log`, with what else is put there."""

    def __init__(self) -> None:
        self.log: list[Act] = []

    def write(self, descriptor: int, data: bytes) -> int:
        taken = super().write(descriptor, data)
        self.log.append(("write", name_of(descriptor), data[:taken]))
        return taken

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        self.log.append(("sync", name_of(descriptor), b""))

    def mark(self, what: str) -> None:
        """Something that happens between two acts of the disk."""
        self.log.append(("mark", what, b""))


def name_of(descriptor: int) -> str:
    return Path(f"/proc/self/fd/{descriptor}").readlink().name


def watching(session: Session, disk: Watched) -> None:
    """Let what the session writes from now on pass through this disk."""
    for store in (session._bench.transcript, session._bench.trace):
        store._lines.disk = disk


def lost(log: list[Act], held: dict[str, bytes]) -> Iterator[tuple[int, dict[str, bytes], dict[str, bytes]]]:
    """After each act: what is surely on the disk, and what is written and may be lost from any byte on."""
    sure = dict(held)
    pending = dict.fromkeys(held, b"")
    for number, (what, name, data) in enumerate(log):
        if what == "write":
            pending[name] += data
        elif what == "sync":
            sure[name], pending[name] = sure[name] + pending[name], b""
        else:
            continue
        yield number, dict(sure), dict(pending)


def put(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def held_by(session: Session) -> dict[str, Any]:
    """The two files as they are now."""
    return {name: (session.path / name).read_bytes() for name in ("transcript.jsonl", "events.jsonl")}
