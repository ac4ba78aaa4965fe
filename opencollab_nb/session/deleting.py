"""Deleting a run: its files, and what was remembered of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.folder import EVENTS, LOCK, OPEN, TRANSCRIPT
from opencollab_nb.session.snapshots import FOLDER as SNAPSHOTS
from opencollab_nb.session.starting import stop_what_runs

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session

FILES = (EVENTS, TRANSCRIPT, "handoff.md", "handoff.json", "branches.jsonl", LOCK)
"""What a session writes into its run folder. The lock goes last."""
WORKSPACE = "workspace"


def delete(session: Session, *, memories: bool = True) -> list[Path]:
    """Stop the run, close it, and delete what it left: it cannot be resumed, and nothing of it comes back.

    Transcript, events, snapshots, handoff, and what its memory has from it. The workspace goes too where
    it lies in the run folder and no other session of this process works there. Branches and sessions
    that continue this one are runs of their own, with copies of what they began with: delete them too.

    Args:
        session: at work, at rest or closed.
        memories: delete what was remembered of it, too.

    Returns:
        What was deleted. Files of yours in the run folder stay, and then the folder does.

    Raises:
        UsageProblem: the run had a memory that this session was not given; nothing is deleted then.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    label = bench.trace.events[0].get("memory")
    if memories and label and bench.direction.memory is None:
        raise UsageProblem(
            f"what was remembered of this run lies in the memory of {label}: open it by "
            f"Session.resume({str(bench.path)!r}, memory=...), or leave that with delete(memories=False)"
        )
    stop_what_runs(bench, closing=True)
    bench.close()
    memory, workspace = bench.direction.memory, bench.path / WORKSPACE
    if memories and memory is not None:
        memory.forget(source=bench.direction.id)
    gone = [bench.path / SNAPSHOTS]
    if not worked_in(workspace):
        gone.append(workspace)
    deleted = [folder for folder in gone if folder.is_dir() and not folder.is_symlink()]
    for folder in deleted:
        shutil.rmtree(folder)
    for file in (bench.path / name for name in FILES):
        if file.is_file():
            file.unlink()
            deleted.append(file)
    if bench.path.is_dir() and not any(bench.path.iterdir()):
        bench.path.rmdir()
        deleted.append(bench.path)
    OPEN.pop(bench.path.resolve(), None)
    return deleted


def worked_in(folder: Path) -> bool:
    """True where a session of this process that is not closed has this workspace."""
    folder = folder.resolve()
    roots = (getattr(b.workspace, "root", None) for b in list(OPEN.values()) if not b.closed)
    return any(isinstance(root, Path) and root.resolve() == folder for root in roots)
