"""When a parcel leaves the house.

A depot's collector leaves at a fixed time on fixed days (`config/depots.toml`, which operations deploys
to every service). A parcel goes with it if it is packed early enough to be carried to the ramp, scanned
and loaded; the minutes this takes are the handover. In the weeks before Christmas the ramp is
crowded and it takes longer. What is too late goes with the next collection.
"""

import tomllib
from datetime import datetime, time, timedelta
from functools import cache
from pathlib import Path

from parcelkit.errors import ParcelError

DEPOTS = Path(__file__).parents[1] / "config" / "depots.toml"

# Minutes before the collector leaves at which a parcel must be packed.
HANDOVER_MINUTES = 30

# What comes on top in a crowded week.
PEAK_EXTRA_MINUTES = 10

# Calendar weeks in which the ramp is crowded.
PEAK_WEEKS = range(48, 52)

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@cache
def depots() -> dict[str, dict]:
    """Depots by name, as operations deploys them."""
    return tomllib.loads(DEPOTS.read_text(encoding="utf-8"))


def handover(day: datetime) -> timedelta:
    """How long before the collector leaves a parcel must be packed on this day."""
    minutes = HANDOVER_MINUTES
    if day.isocalendar().week in PEAK_WEEKS:
        minutes += PEAK_EXTRA_MINUTES
    return timedelta(minutes=minutes)


def leaves_at(depot: str, day: datetime) -> datetime | None:
    """When the collector leaves this depot on this day, None on a day without collection."""
    try:
        plan = depots()[depot]
    except KeyError:
        raise ParcelError("U-701", f"no depot {depot!r}") from None
    if WEEKDAYS[day.weekday()] not in plan["days"]:
        return None
    return datetime.combine(day.date(), time.fromisoformat(plan["leaves"]))


def next_pickup(depot: str, packed: datetime) -> datetime:
    """The collection that a parcel packed at this moment goes with."""
    for days in range(8):
        day = packed + timedelta(days=days)
        leaves = leaves_at(depot, day)
        if leaves is not None and (days or packed + handover(packed) <= leaves):
            return leaves
    raise ParcelError("U-702", f"{depot!r} has no collection within a week")
