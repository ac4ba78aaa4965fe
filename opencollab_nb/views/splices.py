"""What turns one map into another: rows that leave and rows that come, place by place."""

from __future__ import annotations

from collections.abc import Sequence

from opencollab_nb.views.mapping import ROW

AT_ONCE = 32
"""Rows that are compared in one go where they are the same, as most are."""
Splice = tuple[int, int, int]
"""At which row, how many rows leave there, how many come."""


def splices(before: Sequence[bytes], after: Sequence[bytes]) -> list[Splice]:
    """What turns one list of rows into the other, in order; later places count what came before them.

    Args:
        before: rows a browser has.
        after: rows it shall have.

    >>> a, b, c = (ROW.pack(i, 5, 5, 0, 2, 0, 0, 0) for i in range(3))
    >>> cleared = ROW.pack(1, 1, 5, 1, 2, 2, 0, 0)
    >>> splices([a, b], [a, cleared, c])
    [(1, 1, 2)]
    """
    out: list[Splice] = []
    old, new = 0, 0
    while old < len(before) or new < len(after):
        if old < len(before) and new < len(after) and before[old] == after[new]:
            old, new = old + 1, new + 1
            while before[old : old + AT_ONCE] == after[new : new + AT_ONCE] and old + AT_ONCE <= len(before):
                old, new = old + AT_ONCE, new + AT_ONCE
            continue
        at, gone, come = new, old, new
        while old < len(before) or new < len(after):
            if old < len(before) and new < len(after) and before[old] == after[new]:
                break
            step_old, step_new = _next(before, old, after, new)
            old, new = old + step_old, new + step_new
        out.append((at, old - gone, new - come))
    return out


def _next(before: Sequence[bytes], old: int, after: Sequence[bytes], new: int) -> tuple[int, int]:
    """How far to go on in each list from two rows that differ; summaries have no place of their own."""
    if old >= len(before):
        return 0, 1
    if new >= len(after):
        return 1, 0
    was, now = _id(before[old]), _id(after[new])
    if was == now or (was < 0 and now < 0):
        return 1, 1
    if was < 0 or now < 0:
        return (1, 0) if was < 0 else (0, 1)
    return (1, 0) if was < now else (0, 1)


def _id(row: bytes) -> int:
    number: int = ROW.unpack_from(row)[0]
    return number
