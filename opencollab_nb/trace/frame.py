"""Events as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import encodable

FIRST = ("n", "kind", "step", "at")
FLAT = ("by_category", "summary")
"""Fields that hold named numbers: each number gets a column, `by_category.tool`."""


def row_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """One event as one row.

    >>> row_of({"n": 0, "by_category": {"tool": 7}})
    {'n': 0, 'by_category.tool': 7}
    """
    row: dict[str, Any] = {}
    for key, value in event.items():
        # A table holds no lone surrogates, which files from anywhere may have.
        name = encodable(key)
        if name in FLAT and isinstance(value, dict):
            row |= {f"{name}.{encodable(part)}": cell_of(tokens) for part, tokens in value.items()}
        elif name not in FLAT or value is not None:
            row[name] = cell_of(value)
    return row


def cell_of(value: Any) -> Any:
    """The value as a table can hold it."""
    return encodable(value) if isinstance(value, str) else value


def pandas(instead: str = "the object's attributes hold the same") -> Any:
    """The library that makes the frames.

    Args:
        instead: where else the same is to be had.

    Raises:
        UsageProblem: it cannot be imported.
    """
    try:
        import pandas as pd
    except ImportError as missing:
        raise UsageProblem(
            f"a frame is made by pandas, which cannot be imported: %pip install pandas; {instead}"
        ) from missing
    return pd


def to_frame(events: Iterable[Mapping[str, Any]]) -> Any:
    """A `DataFrame` with one row an event, in order; a field that an event does not have is empty.

    Raises:
        UsageProblem: pandas cannot be imported.
    """
    pd = pandas("`trace.events` holds the same")
    rows = list(map(row_of, events))
    columns = list(dict.fromkeys([*FIRST, *(name for row in rows for name in row)]))
    frame = pd.DataFrame(rows, columns=columns)
    frame["at"] = pd.to_datetime(frame["at"], format="ISO8601", utc=True)
    return frame
