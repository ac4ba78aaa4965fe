"""grep: a regular expression over the files of the workspace, bounded whatever the pattern.

Python's matcher can be neither interrupted nor limited, so only patterns whose cost grows with
the text alone run in this process; the others run in a child with a time limit.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from opencollab_nb.messages import encodable
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.paths import DEPTH_AT_MOST, Folder, Place, open_file, printable
from opencollab_nb.workspace.problem import ToolProblem, shown

HITS_AT_MOST = 200
SHOWN_CHARS = 400
"""Of a matching line; a longer one is cut around the match."""
LINE_BYTES = 1 << 20
"""Longer lines are searched in pieces."""
LINEAR_PATTERN_CHARS = 200
"""A longer one runs in the child: alternatives multiply the cost."""
STRETCH_CHARS = 1 << 18
"""Between two looks at clock and ticket."""
SNIFFED_BYTES = 8192
"""A NUL among the first of them makes a file binary, as for git."""
DEEPER = f"[folders more than {DEPTH_AT_MOST} deep were left out]"
TIME_LIMIT_SECONDS = 10.0
"""At most; less where the workspace allows its commands less."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHILD = (
    "import sys; sys.path.insert(0, sys.argv[1]); from opencollab_nb.workspace.search import main; main()"
)
_REFUSED_STATUS = 3


def grep(
    folder: Folder,
    pattern: str,
    path: str,
    *,
    env: Callable[[], Mapping[str, str]],
    time_limit_seconds: float = TIME_LIMIT_SECONDS,
    ticket: Ticket | None = None,
) -> str:
    """Matching lines as `path:line:text`, in the order of the names; binary files and `.git` are skipped.

    A pattern that is no regular expression is searched as plain text, and the answer says so.

    Raises:
        ToolProblem: the path leads out or to nothing, or the search took too long.
    """
    if not pattern:
        raise ToolProblem("pattern is empty; give the text or regular expression to look for.")
    pattern = encodable(pattern)
    limit_seconds = min(time_limit_seconds, TIME_LIMIT_SECONDS)
    if is_linear(pattern):
        return search(folder, pattern, path, time_limit_seconds=limit_seconds, ticket=ticket)
    return _search_in_child(folder, pattern, path, env(), limit_seconds, ticket)


def is_linear(pattern: str) -> bool:
    r"""True without repetition and groups: nothing in it can go back over the text.

    >>> is_linear(r"def f\(x\)|accepted after"), is_linear("(a+)+b")
    (True, False)
    """
    bare = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    return len(pattern) <= LINEAR_PATTERN_CHARS and not re.search(r"[*+?{(]", bare)


def search(
    folder: Folder,
    pattern: str,
    path: str,
    *,
    time_limit_seconds: float = TIME_LIMIT_SECONDS,
    ticket: Ticket | None = None,
) -> str:
    """What `grep` answers, in this process."""
    wanted, note = compiled(pattern)
    deadline = time.monotonic() + time_limit_seconds
    hits: list[str] = []
    with folder.place(path) as place:
        for name, fd in _files(place, path, note):
            with os.fdopen(fd, "rb", buffering=1 << 16) as file:
                lines = enumerate_lines(file)
                for number, line in watched(lines, deadline, ticket, _too_long(pattern, time_limit_seconds)):
                    found = wanted.search(line)
                    if found is None:
                        continue
                    if len(hits) == HITS_AT_MOST:
                        more = f"[only the first {HITS_AT_MOST} matches; narrow the pattern or the path]"
                        return "\n".join([*note, *hits, more])
                    hits.append(f"{name}:{number}:{around(line, found.start())}")
    return "\n".join([*note, *hits]) if hits else "\n".join([*note, "no match"])


def watched(
    lines: Iterable[tuple[int, str]],
    deadline: float,
    ticket: Ticket | None,
    problem: ToolProblem,
    *,
    stretch_chars: int = STRETCH_CHARS,
) -> Iterator[tuple[int, str]]:
    """The numbered lines, with a look at clock and ticket at the first and after each stretch of them.

    Raises:
        ToolProblem: the one given, once `time.monotonic()` is past the deadline.
        StepCancelled: the ticket was cancelled.
    """
    stretch = stretch_chars
    for number, line in lines:
        stretch += len(line) + 1
        if stretch > stretch_chars:
            stretch = 0
            if ticket is not None:
                ticket.check()
            if time.monotonic() > deadline:
                raise problem
        yield number, line


def compiled(pattern: str) -> tuple[re.Pattern[str], list[str]]:
    """The pattern, or its plain text and a note why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern), []
    except (re.error, OverflowError, RecursionError) as problem:
        note = f"[{shown(pattern)} is no regular expression ({problem}); searched as plain text]"
        return re.compile(re.escape(pattern)), [note]


def around(line: str, at: int) -> str:
    """The line, cut around its match where it is long."""
    if len(line) <= SHOWN_CHARS:
        return line
    start = max(0, min(at - SHOWN_CHARS // 4, len(line) - SHOWN_CHARS))
    end = start + SHOWN_CHARS
    return "…" * (start > 0) + line[start:end] + "…" * (end < len(line))


def enumerate_lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends, a very long one in pieces of one number; none of a binary file."""
    if b"\0" in file.read(SNIFFED_BYTES):
        return
    file.seek(0)
    number = 1
    while piece := file.readline(LINE_BYTES):
        whole = piece.endswith(b"\n")
        yield number, piece.rstrip(b"\r\n").decode("utf-8", "replace")
        number += whole


def _too_long(pattern: str, time_limit_seconds: float) -> ToolProblem:
    return ToolProblem(
        f"searching for {shown(pattern)} took longer than {time_limit_seconds:g} s; "
        "use a simpler pattern or a narrower path."
    )


def _files(place: Place, path: str, note: list[str]) -> Iterator[tuple[str, int]]:
    status = place.status()
    if status is not None and stat.S_ISDIR(status.st_mode):
        yield from _tree(place, note)
    else:
        yield printable(place.path), open_file(place, path)


def _tree(place: Place, note: list[str]) -> Iterator[tuple[str, int]]:
    # fwalk opens each folder relative to the one above and checks that it is still the one it listed.
    above = place.path if place.path != "." else ""
    for here, folders, names, fd in os.fwalk(place.name, dir_fd=place.folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        below = os.path.relpath(here, place.name)
        if folders and below.count("/") + 1 >= DEPTH_AT_MOST:
            folders.clear()
            note[:] = [*note, DEEPER] if DEEPER not in note else note
        for name in sorted(names):
            file = _opened(name, fd)
            if file is not None:
                parts = (above, "" if below == "." else below, name)
                yield printable("/".join(part for part in parts if part)), file


def _opened(name: str, folder: int) -> int | None:
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return None
        fd = os.open(name, _FILE, dir_fd=folder)
    except OSError:
        return None  # gone or closed to us meanwhile: not searchable, like a binary file
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    return None


def _search_in_child(
    folder: Folder,
    pattern: str,
    path: str,
    env: Mapping[str, str],
    time_limit_seconds: float,
    ticket: Ticket | None,
) -> str:
    from opencollab_nb.workspace.child import run_child

    if "\0" in pattern:
        raise ToolProblem("the pattern holds a NUL character; write it as \\x00.")
    package = str(Path(__file__).parents[2])
    finished = run_child(
        [sys.executable, "-I", "-S", "-c", _CHILD, package, str(folder.root), pattern, path],
        cwd=folder.root,
        env=env,
        time_limit_seconds=time_limit_seconds,
        ticket=ticket,
    )
    if finished.timed_out:
        raise _too_long(pattern, time_limit_seconds)
    if finished.code == _REFUSED_STATUS:
        raise ToolProblem(finished.output)
    if finished.code:
        raise ToolProblem(f"the search ended with status {finished.code}: {finished.output.strip()[-500:]}")
    return finished.output


def main() -> None:
    """The child: root, pattern and path are its arguments, the answer is its output."""
    root, pattern, path = sys.argv[2:5]
    status = 0
    try:
        answer = search(Folder(Path(root)), pattern, path)
    except ToolProblem as problem:
        answer, status = str(problem), _REFUSED_STATUS
    sys.stdout.buffer.write(answer.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    sys.exit(status)
