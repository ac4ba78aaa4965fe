"""The requests of a run as they were sent, with the weights that were in force, from its record alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages
from opencollab_nb.pressure import ContextPressure, Pressure
from opencollab_nb.shaping.sent import grown
from opencollab_nb.tokens.estimate import estimate
from opencollab_nb.transcript import repair

Event = Mapping[str, Any]
LAYER = "session.history_compaction"
OFFLOADING = "OffloadShaper"


class Sent(NamedTuple):
    """One request of the past."""

    event: Event
    """The `request` event."""
    view: Messages
    """The messages, without the tail."""
    layers: tuple[Event, ...] = ()
    """What the layers did to make it."""

    @property
    def step(self) -> int:
        """The step it was sent for."""
        return int(self.event["step"])

    @property
    def tail(self) -> Message | None:
        """The message of this request only."""
        tail: Message | None = self.event["tail"]
        return tail

    @property
    def messages(self) -> Messages:
        """All messages in order, with `meta`."""
        return self.view if self.tail is None else [*self.view, self.tail]


def requests_sent(events: Sequence[Event], messages: Messages) -> Iterator[Sent]:
    """Every request in order, built again from events and transcript; no shaper and no model is asked.

    Args:
        events: of the run's trace, from its start.
        messages: of its transcript, with `meta`.
    """
    view: Messages = []
    seen = 0
    for event, layers in zip(events, layers_of(events), strict=True):
        if event["kind"] not in ("request", "preview"):
            continue
        view, seen = grown(event, view, seen, messages)
        if event["kind"] == "request":
            yield Sent(event, repair(view)[0] if event["repaired"] else view, layers)


def layers_of(events: Sequence[Event]) -> Iterator[tuple[Event, ...]]:
    """For each event what layers did to make it, where it is a request; nothing for all others.

    What a step that was cut off had made is not used: it is made again.
    """
    held: list[Event] = []
    pending: list[Event] = []
    for event in events:
        kind = event["kind"]
        made: tuple[Event, ...] = ()
        if kind == LAYER:
            pending.append(event)
        elif kind == "request":
            made, held, pending = (*held, *pending), [], []
        elif kind == "preview":
            held, pending = [*held, *pending], []
        elif kind == "swap":
            held, pending = [], []
        elif kind == "state" and event["state"] != "pausing":
            pending = []
        yield made


class Scales:
    """The weights in force at each request, from the events; asked in order.

    >>> Scales([])
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.UsageProblem: these events are no run: the first one is no `start`
    """

    def __init__(self, events: Sequence[Event]) -> None:
        """The scales of a run.

        Raises:
            UsageProblem: (a ValueError) the events do not begin with a start.
        """
        self.start = start_of(events)
        self._events, self._until = events, 0
        self._pressure = ContextPressure(self.start["window"], model=self.start["model_name"])
        self._pressure.restore(self.start["pressure"])

    def at(self, event: Event) -> Pressure:
        """The pressure when this event was written."""
        known = None
        for earlier in self._events[self._until : event["n"] + 1]:
            known = earlier.get("pressure") or known
        self._until = max(self._until, event["n"] + 1)
        if known is not None:
            self._pressure.restore(known)
        return self._pressure.snapshot()

    def schema_tokens(self, schema: Mapping[str, Any]) -> int:
        """Tokens of a tool's schema, as those of a request are measured, without the calibration."""
        return ContextPressure(None, model=self.start["model_name"], tools=[schema]).overhead_tokens

    def count(self, text: str) -> int:
        """Tokens of a text, as a restatement is measured while it is made."""
        encoder = self._pressure.encoder
        return encoder.count(text) if encoder.exact else estimate(text)


def start_of(events: Sequence[Event]) -> Event:
    """The event that a run begins with.

    Raises:
        UsageProblem: (a ValueError) there is none.
    """
    if not events or events[0].get("kind") != "start":
        raise UsageProblem("these events are no run: the first one is no `start`")
    return events[0]
