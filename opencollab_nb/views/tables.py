"""Small tables as plain text and as escaped HTML, without scripts or colours of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from opencollab_nb.views.text import columns, escaped, visible

T = TypeVar("T")

LEFT, RIGHT = "text-align:left", "text-align:right"
ONE_LINE_COLUMNS = 24
"""Texts up to this width are not wrapped: a table is read by its rows."""

MOST_ROWS = 60
"""More rows than a reader looks through; of a longer table the first and last are shown."""


@dataclass(frozen=True)
class Table:
    """Rows under a header, a title above and notes below.

    >>> print(Table(("id", "tokens"), ((1, 1200), (12, 3)), title="two messages"))
    two messages
    id  tokens
     1   1,200
    12       3
    """

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    title: str = ""
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        lines = [[_line(h) for h in self.header], *([_cell(v) for v in row] for row in self.rows)]
        widths = [max(map(columns, column), default=0) for column in zip(*lines, strict=True)]
        right = [_is_numeric(column) for column in zip(*self.rows, strict=True)] or [False] * len(widths)
        body = [
            "  ".join(_pad(c, w, r) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([*([_line(self.title)] if self.title else []), *body, *map(_line, self.notes)])

    def html(self) -> str:
        """The table for a notebook; every text is escaped."""
        styles = [_style(column) for column in zip(*self.rows, strict=True)] or [LEFT] * len(self.header)
        head = "".join(
            f"<th style='{style}'>{escaped(h)}</th>" for h, style in zip(self.header, styles, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f"<td style='{style}'><bdi>{escaped(_cell(v))}</bdi></td>"
                for v, style in zip(row, styles, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        title = f"<caption style='text-align:left'>{escaped(self.title)}</caption>" if self.title else ""
        notes = "".join(f"<p>{escaped(note)}</p>" for note in self.notes)
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
        )


def bounded(items: Sequence[T], most: int = MOST_ROWS) -> tuple[Sequence[T], int, Sequence[T]]:
    """The first items, how many are left out, the last items."""
    if len(items) <= most:
        return items, 0, items[:0]
    first = most // 3
    last = most - first
    return items[:first], len(items) - most, items[-last:]


def long_table(
    header: Sequence[str], rows: Sequence[Sequence[object]], title: str, notes: Sequence[str] = ()
) -> Table:
    """Of a long table the first and last rows."""
    first, left_out, last = bounded(rows, MOST_ROWS)
    gap = [("…", *([""] * (len(header) - 2)), f"{left_out:,} rows left out")] if left_out else []
    if gap and len(header) == 1:
        gap = [(f"… {left_out:,} rows left out",)]
    return Table(header, [*first, *gap, *last], title, notes)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else _line(value)


def _line(value: object) -> str:
    return " ⏎ ".join(visible(value).split("\n"))


def _is_numeric(column: Sequence[object]) -> bool:
    return all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in column)


def _pad(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - columns(text))
    return blanks + text if right else text + blanks


def _style(column: Sequence[object]) -> str:
    """Numbers to the right, text to the left; a column of short texts is kept on one line."""
    side = RIGHT if _is_numeric(column) else LEFT
    short = all(columns(_cell(value)) <= ONE_LINE_COLUMNS for value in column)
    return f"{side};white-space:nowrap" if short else side
