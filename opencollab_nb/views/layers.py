"""The layers of a chain that is edited: each with a key, an on and an off; which are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from opencollab_nb.errors import UnknownName
from opencollab_nb.shaping import AutoCompactShaper


@dataclass(frozen=True)
class Layer:
    """One shaper of an edited chain."""

    key: int
    """Names it to a browser for as long as it is there."""
    shaper: Any
    on: bool = True


def found(layers: Sequence[Layer], key: int) -> Layer:
    """The layer with this key.

    Raises:
        UnknownName: it is not there any more.
    """
    for layer in layers:
        if layer.key == key:
            return layer
    raise UnknownName("layer", key, [str(layer.key) for layer in layers])


def alike(one: Any, other: Any) -> bool:
    """True for the same layer, whoever writes its summaries: a session fills that in."""
    if one is other:
        return True
    if isinstance(one, AutoCompactShaper) and isinstance(other, AutoCompactShaper):
        return replace(one, summarizer=None) == replace(other, summarizer=None)
    return type(one) is type(other) and bool(one == other)


def all_alike(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """True for the same layers in the same order."""
    return len(some) == len(others) and all(map(alike, some, others))
