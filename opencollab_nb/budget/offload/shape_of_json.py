"""The shape of a JSON text: keys, kinds and sizes instead of values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

PARSED_CHARS = 1_000_000
"""Of a longer text only the beginning is read: all of it would take too long."""
BEGUN_CHARS = 100_000
DEEP = 4
KEYS_SHOWN = 12
KEY_CHARS = 40
VALUE_CHARS = 60
_INDENT = "  "


def parsed(text: str) -> Any:
    """The object or array that the text is; None where it is none.

    >>> parsed(' {"a": 1}'), parsed("[1"), parsed("3")
    ({'a': 1}, None, None)
    """
    start = text[:200].lstrip()[:1]
    end = text[-200:].rstrip()[-1:]
    if (start, end) not in (("{", "}"), ("[", "]")) or len(text) > PARSED_CHARS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def begun(text: str) -> list[str]:
    """The shape of the first item of a long array, and about how many there are; empty for other texts.

    >>> begun("[" + '{"id": 1}, ' * 200_000 + '{"id": 1}]')
    ['array of about 200000', '  first: object of 1 key', '    id: 1']
    """
    start = text[:200].lstrip()
    if not start.startswith("[") or len(text) <= PARSED_CHARS or text[-200:].rstrip()[-1:] != "]":
        return []
    at = text.index("[") + 1
    while text[at : at + 1].isspace() and at < BEGUN_CHARS:
        at += 1
    try:
        first, end = json.JSONDecoder().raw_decode(text[:BEGUN_CHARS], at)
    except (ValueError, RecursionError):
        return []
    count = max(1, (len(text) - at) // max(1, end - at + 2))
    about = round(count, 2 - len(str(count)))
    lines = (f"{_INDENT * depth}{line}" for depth, line in _lines(first, 1, "first: "))
    return [f"array of about {about}", *lines]


def shape_lines(value: Any) -> list[str]:
    """One line for each key, with the kind and size of what it holds; arrays by their first item.

    >>> shape_lines({"name": "x", "rows": [{"id": 1}, {"id": 2}]})
    ['object of 2 keys', '  name: "x"', '  rows: array of 2', '    each: object of 1 key', '      id: 1']
    """
    return [f"{_INDENT * depth}{line}" for depth, line in _lines(value, 0)]


def _lines(value: Any, depth: int, label: str = "") -> Iterator[tuple[int, str]]:
    yield depth, f"{label}{_kind(value)}"
    if depth >= 2 * DEEP:
        return
    if isinstance(value, dict):
        for count, (key, inner) in enumerate(value.items()):
            if count == KEYS_SHOWN:
                yield depth + 1, f"… {len(value) - count} more keys"
                return
            yield from _lines(inner, depth + 1, f"{str(key)[:KEY_CHARS]}: ")
    elif isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        yield from _lines(value[0], depth + 1, "each: " if _alike(value) else "first: ")


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"object of {len(value)} key{'s' * (len(value) != 1)}"
    if isinstance(value, list):
        return f"array of {len(value)}{_of_what(value)}"
    if isinstance(value, str) and len(value) > VALUE_CHARS:
        return f"string of {len(value)} chars"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= VALUE_CHARS else f"number of {len(text)} digits"


def _of_what(values: list[Any]) -> str:
    """The values of a short array, the range of numbers, else nothing."""
    if not values or isinstance(values[0], (dict, list)):
        return ""
    if all(type(v) in (int, float) for v in values):
        return f" numbers, {_kind(min(values))} to {_kind(max(values))}"
    return f", first {_kind(values[0])}"


def _alike(values: list[Any]) -> bool:
    """True where the items have the keys of the first; looks at no more than a hundred."""
    first = values[0]
    if not isinstance(first, dict):
        return all(isinstance(v, list) for v in values[:100])
    return all(isinstance(v, dict) and v.keys() == first.keys() for v in values[:100])
