"""What the shop relies on: with which collection parcels really went."""

from datetime import datetime

import pytest

from parcelkit.errors import ParcelError
from parcelkit.pickup import leaves_at, next_pickup


def at(text):
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("depot", "packed", "leaves"),
    [
        ("oslo", "2026-03-10 15:45", "2026-03-10 16:30"),
        ("oslo", "2026-03-10 15:46", "2026-03-11 16:30"),
        ("bergen", "2026-03-13 15:05", "2026-03-16 15:45"),
        ("tromso", "2026-03-11 12:30", "2026-03-11 13:15"),
        ("tromso", "2026-03-11 12:40", "2026-03-13 13:15"),
    ],
)
def test_an_ordinary_week(depot, packed, leaves):
    assert next_pickup(depot, at(packed)) == at(leaves)


@pytest.mark.parametrize(
    ("packed", "leaves"),
    [
        ("2025-11-25 15:25", "2025-11-25 16:30"),
        ("2025-11-25 15:26", "2025-11-26 16:30"),
        ("2025-12-19 15:40", "2025-12-22 16:30"),
    ],
)
def test_a_crowded_week(packed, leaves):
    assert next_pickup("oslo", at(packed)) == at(leaves)


def test_there_is_no_collection_on_a_sunday():
    assert leaves_at("oslo", at("2026-03-15 09:00")) is None


def test_an_unknown_depot_is_refused():
    with pytest.raises(ParcelError) as caught:
        next_pickup("hamar", at("2026-03-10 09:00"))
    assert caught.value.code == "U-701"
