"""Small files of foreign formats, made in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from opencollab_nb.importers.source import Held, Source

WRONG: tuple[Any, ...] = (None, 5, "x", [], {}, [None], [[]], True)
"""What may stand where something else is due."""


def source_of(value: Any, name: str = "made.json") -> Source:
    """A file that holds the value as JSON."""
    return Source(Held(json.dumps(value).encode(), name))


def lines_of(values: list[Any], name: str = "made.jsonl") -> Source:
    """A file with one value on each line."""
    return Source(Held("\n".join(map(json.dumps, values)).encode(), name))


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


def cuts(data: bytes, count: int = 40) -> Iterator[Source]:
    """The file cut off at so many places."""
    for n in range(count):
        yield Source(Held(data[: len(data) * n // count], "cut"))
