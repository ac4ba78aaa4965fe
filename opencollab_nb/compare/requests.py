"""The requests of one transcript, one after another, as a chain makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from opencollab_nb.compare.setting import Trial, replay_pins
from opencollab_nb.compare.subject import Call, Subject
from opencollab_nb.compare.weighing import Weighing
from opencollab_nb.messages import Messages, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projected
from opencollab_nb.shaping.by_group import common_start
from opencollab_nb.ticket import current_ticket


class Asked(NamedTuple):
    """One request as a chain makes it."""

    call: Call
    pressure: Pressure
    projected: Projected
    common: int
    """How many messages at its beginning are those of the request before."""
    source: str
    """Where its numbers come from: `counted`, `calibrated` or `estimated`."""


def prefix_tokens(pressure: Pressure, sent: Messages, common: int, *, first: bool) -> int:
    """The tokens of a request that begin as the request before it did; of the first request none.

    What stands in no message stands in front of all.
    """
    return 0 if first else pressure.overhead_tokens + pressure.weight(sent[:common])


def requests_of(subject: Subject, tried: Trial, weighed: Weighing) -> Iterator[Asked]:
    """The requests of a transcript, one after another, as a chain makes them.

    A request that would not fit its window is told as it is: what a session does then, a forced pass, is not
    played through.

    Raises:
        StepCancelled: the ticket that is held was cancelled; it is asked before each request.
    """
    ticket = current_ticket()
    projection = tried.projection()
    before: Messages = []
    for n, call in enumerate(subject.calls):
        if ticket is not None:
            ticket.check()
        replay_pins(projection, call.pins, subject.messages)  # type: ignore[arg-type]
        pressure = weighed.pressure(n, tried.target_ratio)
        made = projection.project(subject.messages[: call.stored], pressure)
        yield Asked(call, pressure, made, common(before, made.messages), weighed.at[n][2])
        before = made.messages


def common(one: Messages, other: Messages) -> int:
    """How many messages two requests have in common at their beginning."""
    at = common_start(one, other)
    while at < min(len(one), len(other)) and wire(one[at]) == wire(other[at]):
        at += 1
    return at
