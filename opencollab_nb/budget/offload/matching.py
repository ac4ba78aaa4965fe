"""A regular expression over the rows of a text, bounded whatever the pattern.

What can go back over a row again and again runs in a child process with a time limit, as in the
workspace's grep; other patterns run here.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from opencollab_nb.messages import encodable
from opencollab_nb.ticket import current_ticket
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.problem import ToolProblem, shown
from opencollab_nb.workspace.search import LINEAR_PATTERN_CHARS, around, compiled, grep, is_linear, watched

TIME_LIMIT_SECONDS = 5.0
STRETCH_CHARS = 1 << 14
"""Between two looks at clock and ticket: a few of the longest rows."""
_FILE = "result"
_HIT = re.compile(rf"^{_FILE}:(\d+):(.*)$", re.DOTALL)
_ENV = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def hits_in(rows: Sequence[str], pattern: str, at_most: int) -> tuple[list[str], list[tuple[int, str]]]:
    """Notes, and the first matching rows: (index, what stands around the match).

    A pattern that is no regular expression is searched as plain text, and a note says so.

    Raises:
        ToolProblem: an empty pattern, or the search took too long.

    >>> hits_in(["one", "two", "three"], "^t", 1)
    ([], [(1, 'two')])
    """
    if not pattern:
        raise ToolProblem(
            'pattern is empty; give the text or regular expression to look for, such as "ERROR".'
        )
    pattern = encodable(pattern)
    if is_linear(pattern) or is_mild(pattern):
        wanted, notes = compiled(pattern)
        return notes, list(_here(rows, wanted, pattern, at_most))
    return _in_child(rows, pattern, at_most)


def is_mild(pattern: str) -> bool:
    r"""True for a pattern that can go back over a row once at most: one repetition of one character.

    The cost of such a pattern is bounded by the square of a row, and a row is short.

    >>> is_mild(r"accepted after (\d+) s"), is_mild("ERROR.*timeout"), is_mild("(a+)+b"), is_mild("a*a*b")
    (True, True, False, False)
    """
    if len(pattern) > LINEAR_PATTERN_CHARS or re.search(r"\\[1-9]|\(\?", pattern):
        return False
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "c", re.sub(r"\\.", "e", pattern, flags=re.DOTALL))
    return len(re.findall(r"[*+?{]", bare)) <= 1 and not re.search(r"\)[*+?{]", bare)


def _here(
    rows: Sequence[str], wanted: re.Pattern[str], pattern: str, at_most: int
) -> Iterator[tuple[int, str]]:
    """The first hits; clock and ticket are looked at every few rows."""
    deadline = time.monotonic() + TIME_LIMIT_SECONDS
    too_long = ToolProblem(
        f"searching for {shown(pattern)} took longer than {TIME_LIMIT_SECONDS:g} s; "
        "use a simpler pattern, or a later offset."
    )
    for index, row in watched(
        enumerate(rows), deadline, current_ticket(), too_long, stretch_chars=STRETCH_CHARS
    ):
        found = wanted.search(row)
        if found is not None:
            yield index, around(row, found.start())
            at_most -= 1
            if not at_most:
                return


def _in_child(rows: Sequence[str], pattern: str, at_most: int) -> tuple[list[str], list[tuple[int, str]]]:
    with tempfile.TemporaryDirectory(prefix="oc-result-") as folder:
        # A NUL would make the file a binary one, which grep passes over.
        text = "\n".join(row.replace("\0", "\ufffd").replace("\r", "\ufffd") for row in rows)
        (Path(folder) / _FILE).write_bytes(text.encode())
        answer = grep(
            Folder(Path(folder)), pattern, _FILE, env=lambda: _ENV, time_limit_seconds=TIME_LIMIT_SECONDS
        )
    notes, hits = [], []
    for line in answer.split("\n"):
        found = _HIT.match(line)
        if found is not None:
            hits.append((int(found[1]) - 1, found[2]))
        elif line.startswith("[") and "no regular expression" in line:
            notes.append(line)
    return notes, hits[:at_most]
