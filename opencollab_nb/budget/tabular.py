"""Small tables as plain text and as escaped HTML, for reports."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from opencollab_nb.budget.offload.pointer import one_line

_LONGEST_CHARS = 400


def as_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The table in columns, numbers to the right.

    >>> print(as_text(("move", "tokens"), [("offload", 1200), ("compact", 3)]))
    move     tokens
    offload   1,200
    compact       3
    """
    lines = [list(header), *([cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = [all(map(_is_number, column)) for column in zip(*rows, strict=True)] or [False] * len(widths)
    return "\n".join(
        "  ".join(
            t.rjust(w) if r else t.ljust(w) for t, w, r in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def as_html(header: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """The table for a page; every text is escaped."""
    right = [all(map(_is_number, column)) for column in zip(*rows, strict=True)] or [False] * len(header)
    styles = ["text-align:right" if r else "text-align:left" for r in right]
    title = f"<caption style='text-align:left'>{shown(caption)}</caption>" if caption else ""
    head = "".join(f"<th style='{s}'>{shown(h)}</th>" for h, s in zip(header, styles, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td style='{s}'>{shown(v)}</td>" for v, s in zip(row, styles, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value: object) -> str:
    """A value as a reader writes it; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if isinstance(value, float) else one_line(str(value), _LONGEST_CHARS)


def shown(value: object) -> str:
    """A value for HTML: escaped, on one line, with nothing in it that acts.

    >>> shown("<b>"), shown(1200)
    ('&lt;b&gt;', '1,200')
    """
    return escape(cell(value), quote=True)


def percent(part: float, whole: float) -> str:
    """A share in percent.

    >>> percent(1, 3), percent(1, 0)
    ('33.3 %', '0.0 %')
    """
    return f"{100 * part / whole if whole else 0:.1f} %"


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, (int, float))
