"""Entries that name their parents: which of them led to the last one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any


def branch(entries: Sequence[Any], *, own: str, parent: str, leaf: int | None = None) -> set[int] | None:
    """The places of the entries from the leaf back to the root.

    A parent that is not there (its line is damaged) is taken to have followed on the entry before the first
    one that names it. An id that repeats names the nearest entry before.

    Args:
        entries: in the order of the file; what is no object is passed over.
        own: the key of an entry's id.
        parent: the key of the id of its parent; null at a root.
        leaf: the place of the last entry of the branch; None for the last entry that has a parent key.

    Returns:
        Places; None where no entry names a parent: then all are in one line.

    >>> tree = [{"id": 1, "up": None}, {"id": 2, "up": 1}, {"id": 3, "up": 1}]
    >>> branch(tree, own="id", parent="up"), branch([{"id": 1}], own="id", parent="up")
    ({0, 2}, None)
    """
    named = [at for at, entry in enumerate(entries) if isinstance(entry, dict) and parent in entry]
    if not named:
        return None
    places: dict[Any, list[int]] = {}
    first: dict[Any, int] = {}
    for at in named:
        if isinstance(entries[at].get(own), (str, int)):
            places.setdefault(entries[at][own], []).append(at)
        if isinstance(entries[at][parent], (str, int)):
            first.setdefault(entries[at][parent], at)
    at = named[-1] if leaf is None else leaf
    path: set[int] = set()
    while at >= 0 and at not in path:
        path.add(at)
        up = entries[at].get(parent)
        if up is None:
            break
        known = isinstance(up, (str, int))
        before = _before(places.get(up, []), at) if known else -1
        at = before if before >= 0 else _before(named, min(at, first.get(up, at)) if known else at)
    return path


def _before(places: list[int], at: int) -> int:
    """The last of these places before this one; -1 for none."""
    found = bisect_left(places, at)
    return places[found - 1] if found else -1
