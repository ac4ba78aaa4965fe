"""How each kind of event of a team changes what a panel remembers of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opencollab_nb.views.labels import clean
from opencollab_nb.views.team_lanes import FAILED_BIT, TEXT_CHARS, Lane, Lanes, kind_of

Event = Mapping[str, Any]
Look = Callable[[Lane], None]
"""Brings a lane up to date with the trace of its member."""
AT_ITS_END = ("own allowance", "team's pool")
"""Reasons for which a call is refused: nothing is left to its member."""


def take(lanes: Lanes, event: Event, look: Look) -> None:
    """Take one event of the team's trace; one that was seen before is passed over."""
    if event["n"] <= lanes.seen:
        return
    lanes.seen = event["n"]
    known = FOLDS.get(event["kind"])
    if known is not None:
        known(lanes, event, look)


def grant(lanes: Lanes, event: Event, _look: Look) -> None:
    """A seat, or one more member."""
    lanes.lane(event["member"])


def begin(lanes: Lanes, event: Event, _look: Look) -> None:
    """It has something to do; who asked for it, if a member did."""
    lane = lanes.lane(event["member"])
    lane.role, lane.task = event["role"], clean(event["task"], TEXT_CHARS)
    lane.began = lanes.tick
    if event["parent"] is not None:
        lane.parent = lanes.place(event["parent"])
    if event["message"] is not None:
        lanes.deliver(event["message"])
    elif event["parent"] is not None:
        lanes.add_moment(lane, "spawn", event["task"], lane.parent)


def step(lanes: Lanes, event: Event, look: Look) -> None:
    """A member has finished a step."""
    lane = lanes.lane(event["member"])
    look(lane)
    failed = any(line[2] == 0 for line in lane.lines.get(event["step"], ()))
    lanes.add_step(lane, event["step"], kind_of(event["calls"]) | (FAILED_BIT if failed else 0))


def message(lanes: Lanes, event: Event, _look: Look) -> None:
    """One is on its way."""
    ends = [lanes.place(event["sender"]), lanes.lane(event["to"]).at]
    text = clean(event["text"], TEXT_CHARS)
    lanes.add_letter([event["number"], lanes.tick, *ends, event["about"], text, -1, event["outcome"] or ""])


def delivery(lanes: Lanes, event: Event, _look: Look) -> None:
    """It is there."""
    lanes.deliver(event["number"])


def refusal(lanes: Lanes, event: Event, _look: Look) -> None:
    """An allowance ran out, or nobody was granted one."""
    if event["reason"] in AT_ITS_END and event["member"] in lanes.lanes:
        lanes.add_moment(lanes.lane(event["member"]), "out", event["text"])
    lanes.note(f"refused: {event['text']}")


def end(lanes: Lanes, event: Event, look: Look) -> None:
    """A member has come to an end; what it began and did not finish is told too."""
    lane = lanes.lane(event["member"])
    look(lane)
    lanes.release(lane, event["step"] + 1)
    said = event["outcome"] + (f": {event['detail']}" if event["detail"] else "")
    lanes.add_moment(lane, "end", said)
    lanes.note(f"{lane.name} {said}")


def fault(lanes: Lanes, event: Event, _look: Look) -> None:
    """What failed beside the members."""
    lanes.note(f"fault in {event['where']}: {event['error']}: {event['message']}")


FOLDS: dict[str, Callable[[Lanes, Event, Look], None]] = {
    "grant": grant,
    "begin": begin,
    "step": step,
    "message": message,
    "delivery": delivery,
    "refusal": refusal,
    "end": end,
    "fault": fault,
}
