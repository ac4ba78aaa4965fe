"""The lines of a long text that speak of errors, found without looking at every line."""

from __future__ import annotations

import re
from typing import AnyStr, NamedTuple

ENGLISH = ("error", "exception", "traceback", "fail", "fatal", "panic", "critical", "denied", "not found")
CHINESE = ("错误", "异常", "失败")
LOOKED_AT = 400
"""Places at most that are looked at for each word."""
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
    places, more = _all_places(text)
    starts: dict[int, Line] = {}
    for at in places:
        line = _line(text, at)
        if line.start not in starts and not _NOTHING.search(line.text.lower()):
            starts[line.start] = line
    found = [starts[start] for start in sorted(starts)]
    alike = {_NUMBERS.sub("0", line.text): line for line in reversed(found)}
    return Trouble(sorted(alike.values()), len(found), more)


def _all_places(text: str) -> tuple[list[int], bool]:
    """Where any of the words stands, and whether there may be more places."""
    # One byte for each character: searched fastest, and every place stays what it is.
    low = text.encode("ascii", "replace").lower()
    by_word = [_places(low, word.encode(), b"\n") for word in ENGLISH]
    by_word += [_places(text, word, "\n") for word in CHINESE]
    places = sorted({at for places in by_word for at in places})
    return places, any(len(places) >= LOOKED_AT for places in by_word)


def _places(text: AnyStr, word: AnyStr, line_end: AnyStr) -> list[int]:
    """Where the word stands, once a line."""
    found: list[int] = []
    at = text.find(word)
    while at >= 0 and len(found) < LOOKED_AT:
        found.append(at)
        end = text.find(line_end, at, at + LINE_CHARS)
        at = text.find(word, end if end >= 0 else at + LINE_CHARS)
    return found


def _line(text: str, at: int) -> Line:
    """The line around this place; of a long line only what stands near."""
    near = max(0, at - LINE_CHARS // 3)
    start = text.rfind("\n", near, at) + 1 or near
    stop = text.find("\n", at, start + LINE_CHARS)
    return Line(start, text[start : stop if stop >= 0 else start + LINE_CHARS].strip())
