"""Reading fields of foreign data: another type than is due counts as nothing there."""

from __future__ import annotations

from typing import Any


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one.

    >>> mapping({"a": 1}), mapping(None), mapping([1])
    ({'a': 1}, {}, {})
    """
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one.

    >>> sequence([1]), sequence("ab")
    ([1], [])
    """
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a string, else an empty one.

    >>> text("a"), text(None), text(5)
    ('a', '', '')
    """
    return value if isinstance(value, str) else ""


def count(value: Any) -> int | None:
    """The value if it is a whole number from 0 up, else None.

    >>> count(3), count(True), count("3"), count(-1), count(2.0)
    (3, None, None, None, 2)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
