r"""Foreign text made fit to be shown: bounded, on one line, with nothing in it that acts.

Text of models and tools may hold escape sequences for terminals, characters that turn the reading
direction of all that follows, lone surrogates. They are shown as `\x1b`, `\u202e`, ... instead.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from math import floor
from typing import Any, TypeVar

from opencollab_nb.secrecy import KNOWN

T = TypeVar("T")
LONGEST_SECRET_CHARS = 8_192
"""What is looked at beyond a cut: no key or token is longer."""

_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: object) -> str:
    r"""The text with every acting character spelt out, and no known secret; newlines and tabs stay.

    >>> visible("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    return _ACTING.sub(lambda found: ascii(found[0])[1:-1], KNOWN.struck(str(text)).replace("\r\n", "\n"))


def sendable(message: T) -> T:
    r"""A message that every wire takes: a lone surrogate anywhere in it would end the sending.

    >>> sendable({"name": ["a" + chr(0xD83E)]}), sendable({"step": 3})
    ({'name': ['a\\ud83e']}, {'step': 3})
    """
    try:
        json.dumps(message, ensure_ascii=False, default=repr).encode()
    except UnicodeEncodeError:
        return _spelt_out(message)
    return message


def _spelt_out(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {_spelt_out(key): _spelt_out(part) for key, part in value.items()}
    return [_spelt_out(part) for part in value] if isinstance(value, (list, tuple)) else value


def first(text: str, limit_chars: int) -> str:
    """The beginning of a text; a known secret across the cut is struck out before it is cut."""
    return KNOWN.struck(text[: limit_chars + LONGEST_SECRET_CHARS])[:limit_chars]


def last(text: str, limit_chars: int) -> str:
    """The end of a text, likewise."""
    return KNOWN.struck(text[-limit_chars - LONGEST_SECRET_CHARS :])[-limit_chars:]


def head(text: object, limit_chars: int = 80) -> str:
    r"""The beginning of a text on one line, `…` where it was cut.

    >>> head("one\ntwo  three", 9)
    'one ⏎ tw…'
    """
    text = str(text)
    line = re.sub(r"\s*\n\s*", " ⏎ ", visible(first(text, limit_chars * 2).strip()))
    line = line.replace("\t", " ")
    cut = len(line) > limit_chars or len(text.strip()) > limit_chars * 2
    return line[: limit_chars - 1] + "…" if cut else line


def ends(text: object, limit_chars: int, where: str) -> str:
    """Beginning and end of a long text, saying in between how much is left out and where it is."""
    text = str(text)
    if len(text) <= limit_chars:
        return visible(text)
    begin, end = limit_chars * 2 // 3, limit_chars // 3
    left_out = len(text) - begin - end
    told = f"… {left_out:,} characters more: {where} …"
    return f"{visible(first(text, begin))}\n{told}\n{visible(last(text, end))}"


def escaped(text: object) -> str:
    """The text for HTML, acting characters spelt out."""
    return html.escape(visible(text), quote=True)


def percent(ratio: float) -> str:
    """A share in whole percents, rounded down: nothing is full, or over, before it is.

    >>> percent(0.9986), percent(0.29), percent(1), percent(0.004), percent(0)
    ('99%', '29%', '100%', '<1%', '0%')
    """
    whole = floor(100 * ratio + 1e-9)
    return "<1%" if ratio > 0 and whole == 0 else f"{whole}%"


def columns(text: str) -> int:
    """How many columns a terminal gives the text: wide characters take two.

    >>> columns("日本a")
    5
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
