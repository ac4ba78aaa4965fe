"""Rows of a text: its lines, a very long one in pieces, so that every place in it has a number."""

from __future__ import annotations

from collections.abc import Iterator

ROW_CHARS = 4_000
"""A longer line counts as several rows: two of them fit what `read_result` may answer."""


def rows_of(text: str) -> list[str]:
    r"""The rows, without line ends. Where no line is long, row N is line N.

    >>> rows_of("one\r\ntwo\n"), [len(row) for row in rows_of("x" * 9_000)], rows_of("")
    (['one', 'two'], [4000, 4000, 1000], [])
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if "\r" not in text and not any(_more_pieces(text, len(text))):
        return lines
    return [row for line in lines for row in _pieces(line.removesuffix("\r"))]


def count_rows(text: str, stop: int | None = None) -> int:
    r"""How many rows there are, or how many begin before the position `stop`.

    >>> count_rows("one\ntwo"), count_rows("one\ntwo\n"), count_rows("x" * 9_000), count_rows("a\nb\nc", 2)
    (2, 2, 3, 1)
    """
    end = len(text) if stop is None else min(stop, len(text))
    open_line = end > 0 and text[end - 1] != "\n"
    return text.count("\n", 0, end) + open_line + sum(_more_pieces(text, end))


def row_at(text: str, position: int) -> int:
    r"""The number of the row that holds this position.

    >>> row_at("one\ntwo", 0), row_at("one\ntwo", 4), row_at("x" * 9_000, 4_000)
    (1, 2, 2)
    """
    return count_rows(text, position + 1)


def _pieces(line: str) -> Iterator[str]:
    yield from (line[at : at + ROW_CHARS] for at in range(0, max(1, len(line)), ROW_CHARS))


def _more_pieces(text: str, end: int) -> Iterator[int]:
    """For each long line, how many rows it has beyond the first; looks only at every 4,000th place."""
    at = 0
    while end - at > ROW_CHARS:
        line_end = text.rfind("\n", at, at + ROW_CHARS + 1)
        if line_end >= 0:
            at = line_end + 1
            continue
        line_end = text.find("\n", at, end)
        line_end = end if line_end < 0 else line_end
        length = line_end - at - (text[line_end - 1] == "\r" and line_end < end)
        yield max(0, -(-length // ROW_CHARS) - 1)
        at = line_end + 1
