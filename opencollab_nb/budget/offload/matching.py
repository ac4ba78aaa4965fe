"""A regular expression over the rows of a text, bounded whatever the pattern.

What can go back over the text runs in a child process with a time limit, as the workspace's grep
does; plain patterns run here.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from opencollab_nb.messages import encodable
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.problem import ToolProblem
from opencollab_nb.workspace.search import around, compiled, grep, is_linear

TIME_LIMIT_SECONDS = 5.0
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
    if is_linear(pattern):
        wanted, notes = compiled(pattern)
        return notes, list(_first(_found(rows, wanted), at_most))
    return _in_child(rows, pattern, at_most)


def _found(rows: Sequence[str], wanted: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    for index, row in enumerate(rows):
        found = wanted.search(row)
        if found is not None:
            yield index, around(row, found.start())


def _first(hits: Iterator[tuple[int, str]], at_most: int) -> Iterator[tuple[int, str]]:
    yield from (hit for hit, _ in zip(hits, range(at_most), strict=False))


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
