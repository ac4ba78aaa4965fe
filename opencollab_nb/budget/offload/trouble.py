"""The lines of a long text that speak of errors, found without looking at every line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ENGLISH = ("error", "exception", "traceback", "fail", "fatal", "panic", "critical", "denied", "not found")
WORDS = (*_ENGLISH, "错误", "异常", "失败")
LOOKED_AT = 400
"""Places at most that are looked at for each word, from the start and from the end."""
LINE_CHARS = 300
_NOTHING = re.compile(r"\b(?:0|no|without) (?:errors?|failures?|failed|exceptions?)\b|\berrors?[=:] ?0\b")
_NUMBERS = re.compile(r"\d+")


class Line(NamedTuple):
    """One line of the text."""

    start: int
    """Its first character, or the first one shown of a long line."""
    text: str


class Trouble(NamedTuple):
    """What was found."""

    lines: list[Line]
    """In order; of lines that differ only in numbers the first."""
    total: int
    more: bool
    """True where there may be more than `total` such lines."""


def trouble_in(text: str) -> Trouble:
    r"""Lines that speak of errors.

    >>> found = trouble_in("all well\nValueError: no 3\nValueError: no 4\n0 errors")
    >>> [line.text for line in found.lines], found.total, found.more
    (['ValueError: no 3'], 2, False)
    """
    # The one letter whose small form is longer: positions must stay what they are.
    low = text.replace("\u0130", "i").lower()
    starts: dict[int, Line] = {}
    more = False
    for word in WORDS:
        for count, at in enumerate(_places(low, word)):
            line = _line(text, at)
            if line.start not in starts and not _NOTHING.search(line.text.lower()):
                starts[line.start] = line
            more = more or count + 1 >= LOOKED_AT
    found = [starts[start] for start in sorted(starts)]
    alike = {_NUMBERS.sub("0", line.text): line for line in reversed(found)}
    return Trouble(sorted(alike.values()), len(found), more)


def _places(low: str, word: str) -> Iterator[int]:
    """Where the word stands, once a line."""
    at = low.find(word)
    for _ in range(LOOKED_AT):
        if at < 0:
            return
        yield at
        line_end = low.find("\n", at, at + LINE_CHARS)
        at = low.find(word, line_end if line_end >= 0 else at + LINE_CHARS)


def _line(text: str, at: int) -> Line:
    """The line around this place; of a long line only what stands near."""
    near = max(0, at - LINE_CHARS // 3)
    start = text.rfind("\n", near, at) + 1 or near
    stop = text.find("\n", at, start + LINE_CHARS)
    return Line(start, text[start : stop if stop >= 0 else start + LINE_CHARS].strip())
