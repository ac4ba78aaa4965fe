"""Commits of a workspace, and how many lines each changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from opencollab_nb.tasks.acceptance import scratch
from opencollab_nb.tasks.repository import git

MARK = "commit "


class Commit(NamedTuple):
    """One commit: its first line, and the lines it adds and takes away."""

    subject: str
    changed_lines: int


def commits_of(root: Path) -> list[Commit]:
    """Every commit but the first, the oldest first; amended and abandoned ones too, merges not.

    Empty where there is no repository.
    """
    if not (root / ".git").exists():
        return []
    with scratch() as (_, surroundings):
        finished = git(
            *(root, surroundings, "log", "--all", "--reflog", "--no-merges", "--min-parents=1"),
            *("--topo-order", "--reverse", "--no-renames", "--numstat", f"--format={MARK}%s"),
        )
    return list(parsed(finished.output)) if finished.code == 0 else []


def parsed(log: str) -> Iterator[Commit]:
    r"""The commits of a log with `--numstat`; a binary file counts no lines.

    >>> list(parsed("commit one\n\n3\t1\ta.py\n-\t-\tb.png\ncommit two\n"))
    [Commit(subject='one', changed_lines=4), Commit(subject='two', changed_lines=0)]
    """
    subject, lines = None, 0
    for line in log.split("\n"):
        if line.startswith(MARK):
            if subject is not None:
                yield Commit(subject, lines)
            subject, lines = line.removeprefix(MARK), 0
        elif line.count("\t") >= 2:
            added, taken, _ = line.split("\t", 2)
            lines += sum(int(count) for count in (added, taken) if count.isdigit())
    if subject is not None:
        yield Commit(subject, lines)
