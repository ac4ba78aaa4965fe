"""Work done again: readings of what was read, writes that change nothing, runs on unchanged files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from opencollab_nb.tasks.acts import Act

READING = ("file_read", "grep", "git_diff", "read_result")
EDITING = ("file_write", "apply_patch")
BESIDE = ("todo", "recall")
"""Tools of the harness: what is done with them is no work on the task."""
KNOWN_SHARE = 0.9
"""A reading is done again if this share of its lines had been given before."""
READS_ONLY = re.compile(
    r"\s*(git (log|status|show|diff|ls-tree|ls-files|branch)|ls|cat|head|tail|grep|wc|find|pwd|echo|"
    r"python3? -m pytest|pytest)\b[^;&|>]*(\|\| true\s*)?"
)
"""Commands that leave the files as they are."""


@dataclass(frozen=True)
class Rework:
    """How often something was done again."""

    total: int = 0
    narrowed: int = 0
    """Of these, readings of lines that a tool had given, but that no request had shown."""


def rework_of(acts: Iterable[Act], shown: Callable[[Act], set[str]]) -> Rework:
    """Count the rework in these acts.

    Args:
        acts: all acts of a run, in order.
        shown: the lines of an act's result that the request after it showed; a cap may have cut some.
    """
    given: dict[str, Act] = {}
    made: set[str] = set()
    runs: set[tuple[str, int]] = set()
    version = total = narrowed = 0
    for act in acts:
        again = False
        if act.name in BESIDE:
            continue
        if act.name in READING:
            lines = [] if act.failed else act.lines
            known = [line for line in lines if line in given]
            again = bool(lines) and len(known) >= KNOWN_SHARE * len(lines)
            if again and not seen_before(known, given, shown, len(lines)):
                narrowed += 1
            for line in lines:
                given.setdefault(line, act)
        elif act.name in EDITING:
            again = "(unchanged)" in act.result or act.key in made
            if not act.failed and not again:
                made.add(act.key)
                version += 1
        else:
            again = (act.key, version) in runs or "nothing to commit" in act.result
            runs.add((act.key, version))
            command = str(act.arguments.get("command", ""))
            if act.name == "bash" and not again and not READS_ONLY.fullmatch(command):
                version += 1
        total += again
    return Rework(total, narrowed)


def seen_before(
    known: list[str], given: dict[str, Act], shown: Callable[[Act], set[str]], lines: int
) -> bool:
    """Had a request shown nearly all of these lines?"""
    visible = sum(line in shown(given[line]) for line in known)
    return visible >= KNOWN_SHARE * lines
