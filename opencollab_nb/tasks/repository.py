"""Git in a workspace: its first commit, the same in every run, and the files of its newest one."""

from __future__ import annotations

import tarfile
from pathlib import Path

from opencollab_nb.errors import UsageProblem
from opencollab_nb.workspace.child import Finished, run_child
from opencollab_nb.workspace.environment import Surroundings
from opencollab_nb.workspace.git import git_environment

TIME_LIMIT_SECONDS = 30.0


def start_repository(root: Path) -> None:
    """Put a folder under git with one commit; author, dates and settings are fixed.

    Raises:
        UsageProblem: git is missing or fails; the message says how.
    """
    surroundings = Surroundings(root)
    try:
        for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "start")):
            finished = git(root, surroundings, *arguments)
            if finished.code != 0:
                said = finished.output.strip()[:500]
                raise UsageProblem(f"git {arguments[0]} failed in {root}: {said}")
    except FileNotFoundError as problem:
        raise UsageProblem(
            "a task needs git, which is not installed; install git and try again."
        ) from problem
    finally:
        surroundings.close()


def newest_commit(root: Path, folder: Path, surroundings: Surroundings) -> Path | None:
    """The files of the newest commit, unpacked into `folder`; None where there is none."""
    if not (root / ".git").exists():
        return None
    archive, head = folder / "head.tar", folder / "head"
    finished = git(root, surroundings, "archive", "--format=tar", f"--output={archive}", "HEAD")
    if finished.code != 0 or not archive.is_file():
        return None
    with tarfile.open(archive) as tar:
        tar.extractall(head, filter="data")
    return head


def git(root: Path, surroundings: Surroundings, *arguments: str) -> Finished:
    """Run git with everything off that the repository's own settings could start."""
    env = git_environment(root, surroundings.env())
    return run_child(
        ["git", "--no-pager", *arguments], cwd=root, env=env, time_limit_seconds=TIME_LIMIT_SECONDS
    )
