"""Retention: deleting all runs that were last written to a while ago, and what was remembered of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from opencollab_nb.errors import OpenCollabError, TranscriptError, UsageProblem
from opencollab_nb.session.deleting import delete_files
from opencollab_nb.session.folder import EVENTS, OPEN, TRANSCRIPT, FolderLock, id_of_run, new_run_folder
from opencollab_nb.session.run_folders import first_event, run_folders


@dataclass(frozen=True)
class Purged:
    """What a purge deleted, or would delete."""

    runs: tuple[Path, ...] = ()
    """Run folders."""
    memories: int = 0
    """Memories of these runs."""
    kept: Mapping[Path, str] | None = None
    """Old runs that could not be deleted, or not wholly, and why."""
    folder: Path = Path()
    """Where runs were looked for."""
    dry: bool = False
    """True where nothing was deleted."""


def purge(
    older_than: timedelta, *, folder: Path | str | None = None, memory: Any = None, dry: bool = False
) -> Purged:
    """Delete every run that was last written to longer ago than that: files, snapshots, and memories.

    A run that a session has open, here or in another process, is kept.

    Args:
        older_than: the age.
        folder: that holds the run folders; None for the one where sessions without a path keep theirs.
        memory: a `MemoryStore` to forget them in; None for the one in the user's data folder.
        dry: only say what would be deleted.

    Raises:
        UsageProblem: (a ValueError) no age, or one below zero.
    """
    if not isinstance(older_than, timedelta):
        raise UsageProblem(f"older_than={older_than!r} is no age: give a timedelta, timedelta(days=30) say")
    if older_than < timedelta():
        raise UsageProblem(f"older_than={older_than} is below zero: give an age, timedelta(days=30) say")
    root = new_run_folder("any").parent if folder is None else Path(folder)
    before = time.time() - older_than.total_seconds()
    gone, kept, memories = [], {}, 0
    for path in sorted(run_folders(root)):
        if last_written(path) > before:
            continue
        try:
            memories += delete_run(path, memory, dry=dry)
            gone.append(path)
        except (OpenCollabError, OSError) as problem:
            kept[path] = str(problem)
    return Purged(tuple(gone), memories, kept, root, dry)


def last_written(path: Path) -> float:
    """When transcript or events were written to last, in seconds since the epoch."""
    files = (path / EVENTS, path / TRANSCRIPT)
    return max(file.stat().st_mtime for file in files if file.is_file())


def delete_run(path: Path, memory: Any, *, dry: bool = False) -> int:
    """Delete one run that nobody has open; returns how many memories went with it.

    Raises:
        TranscriptError: a session has it open.
        OSError: something cannot be deleted.
    """
    holder = OPEN.get(path.resolve())
    if holder is not None and not holder.closed:
        raise TranscriptError("it is open in this process")
    lock = FolderLock(path)
    try:
        if dry:
            return 0
        # The memories first: what cannot be deleted whole is not deleted.
        start = first_event(path / EVENTS)
        forgotten = forget_run(path, start, memory) if start else 0
        delete_files(path)
    finally:
        lock.release()
    if path.is_dir():
        raise TranscriptError("its own files are deleted; it holds other files, which stay")
    return forgotten


def forget_run(path: Path, start: Mapping[str, Any], memory: Any) -> int:
    """Forget what is remembered of a run; returns how much it was.

    Raises:
        UsageProblem: it remembered something, and nobody says where.
    """
    source, label = id_of_run(path, start["at"]), start.get("memory")
    if not isinstance(label, str) or not label:
        return 0
    if memory is not None:
        return int(memory.forget(source=source).count)
    from opencollab_nb.budget.memory import MemoryStore
    from opencollab_nb.budget.memory.database import standard_path

    if not standard_path().is_file():
        raise UsageProblem(f"what was remembered of it lies in a memory of {label}: give that as memory=")
    with MemoryStore(tenant=label.partition("/")[0]) as store:
        return int(store.forget(source=source).count)
