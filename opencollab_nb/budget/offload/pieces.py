"""Putting a digest together from pieces, so that it never takes more room than it may."""

from __future__ import annotations

import json
import re

from opencollab_nb.messages import encodable
from opencollab_nb.shaping.cut import cut_at

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def plain(text: str) -> str:
    r"""The text without what acts on a terminal or a reader, and without halves of surrogate pairs.

    >>> plain("\x1b[31mred\x1b[0m\x00")
    'red·'
    """
    return _ACTING.sub("·", _ESCAPE.sub("", encodable(text)))


def room_of(text: str) -> int:
    r"""The bytes that a text takes in a request.

    >>> room_of("abc"), room_of("a\n"), room_of("错")
    (3, 3, 3)
    """
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


def fitted(text: str, room: int) -> str:
    """The head of the text that takes at most `room` bytes.

    >>> fitted("abcdef", 5), fitted("错错错", 7), fitted("abc", 3)
    ('ab…', '错…', 'abc')
    """
    if len(text) <= room and room_of(text) <= room:
        return text
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if room_of(cut_at(text, middle)) <= room - 3 else (low, middle - 1)
    return cut_at(text, low) + "…" if low else ""


def lines_fitted(lines: list[str], room: int) -> list[str]:
    """The first of these lines that fit; the first of all cut rather than left out.

    >>> lines_fitted(["abc", "def", "ghi"], 10), lines_fitted(["abcdefgh"], 7)
    (['abc', 'def'], ['ab…'])
    """
    out: list[str] = []
    for line in lines:
        cost = room_of(line) + 2
        if cost > room:
            cut = fitted(line, room - 2) if not out and room > 2 else ""
            return [*out, cut] if cut else out
        out.append(line)
        room -= cost
    return out
