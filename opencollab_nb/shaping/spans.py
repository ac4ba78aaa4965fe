"""Arithmetic of id ranges: what stands for a whole run costs its ranges, not its messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Spans = Iterable[Sequence[int]]


def joined(spans: Spans) -> list[list[int]]:
    """Closed ranges in order, those that touch or overlap as one.

    >>> joined([[7, 9], [1, 3], [4, 4], [8, 12]])
    [[1, 4], [7, 12]]
    """
    out: list[list[int]] = []
    for first, last in sorted((first, last) for first, last in spans):
        if out and out[-1][1] >= first - 1:
            out[-1][1] = max(last, out[-1][1])
        else:
            out.append([first, last])
    return out


def size_of(spans: Spans) -> int:
    """How many ids are in ranges that do not overlap.

    >>> size_of([[1, 4], [7, 7]])
    5
    """
    return sum(last - first + 1 for first, last in spans)


def without(spans: Spans, others: Spans) -> list[list[int]]:
    """The ids of the ranges that are not in the others, as ranges.

    >>> without([[1, 9], [12, 14]], [[0, 0], [3, 4], [8, 12]])
    [[1, 2], [5, 7], [13, 14]]
    """
    out: list[list[int]] = []
    away, at = joined(others), 0
    for first, last in joined(spans):
        while at < len(away) and away[at][1] < first:
            at += 1
        for begin, end in away[at:]:
            if begin > last:
                break
            if begin > first:
                out.append([first, begin - 1])
            first = end + 1
        if first <= last:
            out.append([first, last])
    return out


def shared(spans: Spans, others: Spans) -> list[list[int]]:
    """The ids that are in both, as ranges.

    >>> shared([[1, 5], [9, 9]], [[4, 9]])
    [[4, 5], [9, 9]]
    """
    return without(spans, without(spans, others))
