"""Values with every kind of damage to their form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

WRONG: tuple[Any, ...] = (None, 5, "x", [], {}, [None], [[]], True)
"""What may stand where something else is due."""


def spoilt(value: Any) -> Iterator[Any]:
    """The value with each of its parts left out, put in twice, and replaced by each wrong thing."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {k: v for k, v in value.items() if k != key}
            for other in WRONG:
                yield {**value, key: other}
            for changed in spoilt(inner):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield [*value[:at], *value[at + 1 :]]
            yield [*value[:at], inner, inner, *value[at + 1 :]]
            for other in WRONG:
                yield [*value[:at], other, *value[at + 1 :]]
            for changed in spoilt(inner):
                yield [*value[:at], changed, *value[at + 1 :]]
