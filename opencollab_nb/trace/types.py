"""The types that fields of events have."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any


def is_int(value: Any) -> bool:
    """A whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A number of any kind."""
    return is_int(value) or isinstance(value, float)


def is_time(value: Any) -> bool:
    """A moment in UTC, in ISO 8601, written out: Python reads odd forms too, which a table does not.

    >>> is_time("2026-01-02T03:04:05.678+00:00"), is_time("2026-01-02T034+00:00")
    (True, False)
    """
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    offset = moment.utcoffset()
    forms = (moment.isoformat(timespec=precise) for precise in ("seconds", "milliseconds", "microseconds"))
    return offset is not None and not offset and value.replace("Z", "+00:00") in forms


def is_ranges(value: Any) -> bool:
    """Closed ranges of ids, in order.

    >>> is_ranges([[3, 5], [7, 7]]), is_ranges([[5, 3]])
    (True, False)
    """
    if not isinstance(value, list) or not all(isinstance(r, list) and len(r) == 2 for r in value):
        return False
    bounds = [n for pair in value for n in pair]
    return all(map(is_int, bounds)) and bounds == sorted(bounds)


TYPES: dict[str, Callable[[Any], bool]] = {
    "int": is_int,
    "number": is_number,
    "bool": lambda value: isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "time": is_time,
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "ranges": is_ranges,
}
