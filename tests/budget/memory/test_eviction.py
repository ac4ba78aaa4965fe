"""Who leaves when there is no room."""

from __future__ import annotations

from opencollab_nb.budget.memory.eviction import Held, leaving

NOW = 100.0


def held(row: int, confidence: float = 0.5, hits: int = 0, expires: float | None = None) -> Held:
    return Held(row, row, confidence, hits, float(row), expires)


def test_expired_then_doubted_then_unused_then_old() -> None:
    expired = held(5, 1.0, 99, expires=NOW)
    doubted, unused, old, kept = held(4, 0.2, 50), held(3, 0.5, 1), held(1, 0.5, 7), held(2, 0.5, 7)
    order = [expired, doubted, unused, old, kept]
    for room in range(1, 5):
        assert [h.row for h in leaving(order[::-1], 5, NOW)][:1] == [5]
        rest = order[room:]
        assert leaving(rest[::-1], len(rest), NOW) == [rest[0]]


def test_nobody_leaves_while_there_is_room_and_all_expired_do_when_there_is_none() -> None:
    several = [held(n, expires=NOW - 1) for n in range(4)] + [held(9)]
    assert leaving(several, 6, NOW) == []
    assert {h.row for h in leaving(several, 5, NOW)} == {0, 1, 2, 3}


def test_a_large_store_makes_room_for_more_than_one() -> None:
    assert len(leaving([held(n) for n in range(1_000)], 1_000, NOW)) == 10
