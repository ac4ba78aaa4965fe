"""The summarizers that a chain and its shapers hold: time spent in them is not the shaper's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import partial
from types import CodeType
from typing import Any

_WORD = "summarizer"
_DEEPEST = 4
"""A summarizer may stand behind another one, which books it or records what it is asked."""


def summarizer_codes(shapers: Iterable[Any]) -> frozenset[CodeType]:
    """The code of every summarizer that these shapers hold in a field.

    >>> from opencollab_nb.shaping.compact import AutoCompactShaper
    >>> def short(request):
    ...     return "short"
    >>> summarizer_codes([AutoCompactShaper(short)]) == {short.__code__}
    True
    """
    return frozenset(code for shaper in shapers for held in _held(shaper) for code in _codes(held))


def _held(thing: Any) -> Iterator[Any]:
    """What a field named or declared as a summarizer holds."""
    names = {name for name in getattr(thing, "__dict__", None) or {} if _WORD in name.lower()}
    if dataclasses.is_dataclass(thing):
        names |= {f.name for f in dataclasses.fields(thing) if _WORD in f"{f.name} {f.type}".lower()}
    held = (getattr(thing, name, None) for name in sorted(names))
    return (one for one in held if one is not None)


def _codes(summarizer: Any, depth: int = 0) -> Iterator[CodeType]:
    if isinstance(summarizer, partial):
        yield from _codes(summarizer.func, depth)
        return
    asked = getattr(summarizer, "summarize", None)
    if asked is None:
        asked = summarizer
    code = getattr(asked, "__code__", None) or getattr(type(asked).__call__, "__code__", None)
    if isinstance(code, CodeType):
        yield code
    if depth < _DEEPEST:
        for inner in _held(summarizer):
            yield from _codes(inner, depth + 1)
