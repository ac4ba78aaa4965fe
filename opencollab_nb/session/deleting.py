"""Deleting a run: its files, and what was remembered of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.folder import EVENTS, LOCK, OPEN, TRANSCRIPT
from opencollab_nb.session.run_folders import WORKSPACE, holds_a_run, needed, workspace_of
from opencollab_nb.session.snapshots import FOLDER as SNAPSHOTS
from opencollab_nb.session.starting import stop_what_runs

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session

FILES = (EVENTS, TRANSCRIPT, "handoff.md", "handoff.json", "branches.jsonl", LOCK)
"""What a session writes into its run folder. The lock goes last."""
LEFT_BEHIND = "deleted.txt"
"""Stands beside the workspace of a deleted run in which another run goes on."""


def delete(session: Session, *, memories: bool = True) -> list[Path]:
    """Stop the run, close it, and delete what it left: it cannot be resumed, and nothing of it comes back.

    Transcript, events, snapshots, handoff, and what its memory has from it. The workspace goes too where
    it lies in the run folder; where a run beside it goes on there, it goes with the last of these. Branches
    and sessions that continue this one are runs of their own, with copies of what they began with: delete
    them too.

    Args:
        session: at work, at rest or closed.
        memories: delete what was remembered of it, too.

    Returns:
        What was deleted. Files of yours in the run folder stay, and then the folder does.

    Raises:
        UsageProblem: the run had a memory that this session was not given; nothing is deleted then.
    """
    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    label = bench.trace.stored[0].get("memory")
    if memories and label and bench.direction.memory is None:
        raise UsageProblem(
            f"what was remembered of this run lies in the memory of {label}: open it by "
            f"Session.resume({str(bench.path)!r}, memory=...), or leave that with delete(memories=False)"
        )
    stop_what_runs(bench, closing=True)
    bench.close()
    if memories and bench.direction.memory is not None:
        bench.direction.memory.forget(source=bench.direction.id)
    deleted = delete_files(bench.path)
    OPEN.pop(bench.path.resolve(), None)
    return deleted


def delete_files(path: Path) -> list[Path]:
    """Delete what a run that nobody has open left in its folder, and the folder where nothing else is in it.

    Raises:
        OSError: something cannot be deleted.
    """
    inherited = workspace_of(path)
    own = path / WORKSPACE
    stays = own.is_dir() and needed(own, by_others_than=path)
    gone = [path / SNAPSHOTS, *([] if stays else [own])]
    deleted = [folder for folder in gone if folder.is_dir() and not folder.is_symlink()]
    for folder in deleted:
        shutil.rmtree(folder)
    if stays:
        (path / LEFT_BEHIND).write_text(f"This run was deleted; another one goes on in {WORKSPACE}.\n")
    for file in (path / name for name in FILES):
        if file.is_file():
            file.unlink()
            deleted.append(file)
    deleted += emptied(path)
    if inherited is not None and left_behind(inherited, by=path):
        shutil.rmtree(inherited)
        (inherited.parent / LEFT_BEHIND).unlink()
        deleted += [inherited, *emptied(inherited.parent)]
    return deleted


def left_behind(workspace: Path, *, by: Path) -> bool:
    """True for the workspace of a run that was deleted before, where the run `by` was the last to work."""
    folder = workspace.parent
    return (
        workspace.name == WORKSPACE
        and workspace.is_dir()
        and (folder / LEFT_BEHIND).is_file()
        and not holds_a_run(folder)
        and not needed(workspace, by_others_than=by)
    )


def emptied(path: Path) -> list[Path]:
    """Remove a folder in which nothing is left."""
    if not path.is_dir() or any(path.iterdir()):
        return []
    path.rmdir()
    return [path]
