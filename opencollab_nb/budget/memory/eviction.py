"""Who leaves when a tenant's share of the store is full: expired, then doubted, then unused memories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

ROOM_RATIO = 0.01
"""Share of the capacity freed at once: leaving means writing the file anew, so it is not done for each."""


class Held(NamedTuple):
    """What is asked of a memory when there is no room."""

    row: int
    id: int
    confidence: float
    hits: int
    created: float
    expires: float | None


def leaving(held: Iterable[Held], capacity: int, now: float) -> list[Held]:
    """Those that leave, in the order of leaving; none while there is room for one more.

    >>> a, b = Held(1, 1, 0.9, 0, 10.0, None), Held(2, 2, 0.5, 7, 20.0, None)
    >>> leaving([a, b], 2, 30.0) == [b], leaving([a, b], 3, 30.0)
    (True, [])
    """
    order = sorted(held, key=lambda m: (not is_expired(m, now), m.confidence, m.hits, m.created))
    if len(order) < capacity:
        return []
    keep = capacity - max(1, int(capacity * ROOM_RATIO))
    gone = sum(is_expired(m, now) for m in order)
    return order[: max(gone, len(order) - keep)]


def is_expired(held: Held, now: float) -> bool:
    """Has its time passed?"""
    return held.expires is not None and held.expires <= now
