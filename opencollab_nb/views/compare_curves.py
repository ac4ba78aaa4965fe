"""The curves of a compare panel: one for each chain and mode, over the steps of one transcript and window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from opencollab_nb.errors import UnknownName
from opencollab_nb.views.labels import clean
from opencollab_nb.views.text import head

MOST_POINTS, MOST_LINES = 400, 12
RECORDED = "as the original agent sent it"
Row = Mapping[str, Any]
Rows = Sequence[Row]


def _share(rows: Rows) -> list[float]:
    """The share of all input so far that was the beginning of the request before."""
    sent = accumulate(row["tokens"] for row in rows)
    kept = accumulate(row["prefix_kept_tokens"] for row in rows)
    return [round(k / s, 4) if s else 0.0 for k, s in zip(kept, sent, strict=True)]


DRAWN: dict[str, tuple[str, Callable[[Rows], list[Any]]]] = {
    "pressure": ("tokens of the request", lambda rows: [row["tokens"] for row in rows]),
    "tokens": ("input tokens so far", lambda rows: [row["cumulative_tokens"] for row in rows]),
    "prefix": ("share of the input so far that a cache can serve", _share),
    "cost": ("dollars so far", lambda rows: [row["cumulative_dollars"] for row in rows]),
    "gone": (
        "facts needed later and gone, so far",
        lambda rows: list(accumulate(row.get("needed_gone", 0) for row in rows)),
    ),
}
"""What can be drawn: how the axis is called, and the values."""


def groups_of(results: Iterable[Rows]) -> list[tuple[str, int | None]]:
    """The transcripts and windows that curves can be drawn over each other for."""
    return list(dict.fromkeys((rows[0]["transcript"], rows[0]["window"]) for rows in results if rows))


def curves_of(results: Iterable[Rows], group: tuple[str, int | None], drawn: str) -> dict[str, Any]:
    """The curves of one transcript under one window, as a page draws them.

    Raises:
        UnknownName: there is nothing of this name to draw.
    """
    if drawn not in DRAWN:
        raise UnknownName("curve", drawn, DRAWN)
    axis, values = DRAWN[drawn]
    mine = [rows for rows in results if rows and (rows[0]["transcript"], rows[0]["window"]) == group]
    chains = list(dict.fromkeys(rows[0]["chain"] for rows in mine))
    lines = [
        [
            head(f"{rows[0]['chain']}, {rows[0]['mode']}", 90),
            chains.index(rows[0]["chain"]),
            int(rows[0]["mode"] == "stateless"),
            points([row["step"] for row in rows], values(rows)),
        ]
        for rows in mine[:MOST_LINES]
    ]
    limits: list[Any] = []
    if drawn == "pressure" and mine:
        told = [(row["step"], row["reported_tokens"]) for row in mine[0] if row["reported_tokens"]]
        if told:
            lines.insert(0, [RECORDED, -1, 0, points([step for step, _ in told], [n for _, n in told])])
        limits = [["trigger", mine[0][0]["trigger"]]]
        limits += [["window", group[1]]] if group[1] else []
    return {
        "axis": axis,
        "kind": {"prefix": "share", "cost": "dollars"}.get(drawn, "tokens"),
        "lines": lines,
        "left_out": max(0, len(mine) - MOST_LINES),
        "limits": limits,
    }


def points(steps: Sequence[int], values: Sequence[Any]) -> list[list[Any]]:
    """Steps and values; of many steps in a row the highest value, for peaks are what is looked for.

    >>> points([1, 2, 3], [5, None, 7])
    [[1, 5], [3, 7]]
    """
    known = [(step, value) for step, value in zip(steps, values, strict=True) if value is not None]
    every = -(-len(known) // MOST_POINTS) or 1
    runs = [known[at : at + every] for at in range(0, len(known), every)]
    return [[step, value] for run in runs for step, value in [max(run, key=lambda pair: pair[1])]]


def label_of(group: tuple[str, int | None]) -> str:
    """One transcript and window, on one line."""
    name, window = group
    return clean(f"{name}, {window:,}" if window else name, 80)
