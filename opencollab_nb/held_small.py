"""Dictionaries of the same few keys, held in a third of their usual memory."""

from __future__ import annotations

import sys
from typing import Any

MOST_SHAPES = 512
"""Lines have some forty shapes; whatever is stranger is held as any dictionary is."""
SHORT_CHARS = 32
"""Texts up to here are mostly words of ours, which come again in every line."""
_shapes: dict[tuple[str, ...], type] = {}


def held_small(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A plain dictionary of these pairs; the table of its keys is shared with all others that have the same.

    That is what Python does for the attributes of objects of one class, so a class is made for each
    shape, and the dictionary taken from an object of it.

    >>> held_small([("n", 1), ("kind", "notice")])
    {'n': 1, 'kind': 'notice'}
    """
    shape = tuple([key for key, _ in pairs])
    holder = _shapes.get(shape) or _made(shape)
    if holder is None:
        return dict(pairs)
    held = holder()
    attributes: dict[str, Any] = vars(held)
    for key, value in pairs:
        # Interning costs more than it saves for what comes only once: numbered ids, times, texts.
        word = type(value) is str and len(value) <= SHORT_CHARS and value.replace("_", "").isalpha()
        setattr(held, key, sys.intern(value) if word else value)
    return attributes


def _made(shape: tuple[str, ...]) -> type | None:
    # Python gives names with two underscores a meaning of their own.
    odd = not shape or len(shape) > 25 or len(set(shape)) < len(shape) or any("__" in key for key in shape)
    if odd or len(_shapes) >= MOST_SHAPES:
        return None
    return _shapes.setdefault(shape, type("Shape", (), {}))
