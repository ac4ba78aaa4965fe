"""Building again, from transcript and trace, what was in force and what was sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import Message, Messages, each
from opencollab_nb.request import Request
from opencollab_nb.session.harness import offered_at
from opencollab_nb.shaping import AutoCompactShaper, Projection, ShaperPipeline
from opencollab_nb.shaping.records import Record, make_record
from opencollab_nb.shaping.sent import SENT, grown, new_record

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Event = dict[str, Any]


def replayed(bench: Bench) -> Projection:
    """The projection as the events left it; no shaper and no model is asked."""
    events, messages = bench.trace.stored, bench.transcript.stored
    start = events[0] if events and events[0]["kind"] == "start" else {"mode": bench.mode}
    chain = bench.booked_chain()
    projection = Projection(chain, start["mode"])
    newest = max((e["n"] for e in events if begins_afresh(e)), default=0)
    for event in islice(events, newest):
        # The view of that time is forgotten; pins and summaries that were paid for are not.
        if event["kind"] == "pin":
            replay_pin(projection, event, messages)
        elif (record := new_record(event)) is not None:
            remember(chain, record)
    for event in events[newest:]:
        if event["kind"] == "swap":
            if begins_afresh(event):
                projection.use_mode(event["mode"])
            projection.use(chain, afresh=begins_afresh(event))
        elif event["kind"] == "pin":
            replay_pin(projection, event, messages)
        elif (record := new_record(event)) is not None:
            projection.replay(record, messages)
    return projection


def remember(chain: ShaperPipeline, record: Record) -> None:
    """Give the compacting layers the summaries of a record, so that none is paid for twice."""
    for shaper in chain.shapers:
        if isinstance(shaper, AutoCompactShaper):
            for summary in record["new"]:
                shaper.remember(summary)


def begins_afresh(event: Event) -> bool:
    """True for a change after which the view owes nothing to what it was."""
    return bool(event["kind"] == "swap" and event.get("what") != "summarizer")


def replay_pin(projection: Projection, event: Event, messages: Sequence[Message]) -> None:
    """One `pin` event."""
    ids = list(each(event["ids"]))
    if event["how"] == "unpin":
        projection.unpin(ids)
    else:
        projection.pin(messages, ids, event["stored"])


def stateless_record(
    record: dict[str, Any] | None, messages: Sequence[Message], view: Messages
) -> dict[str, Any]:
    """The record of a stateless request, with what was sent."""
    told = record or {"stateless": True, "to": len(messages), "new": []}
    return {**told, SENT: make_record(list(messages), view, set())}


def request_sent(bench: Bench, step: int) -> Request:
    """The request that was sent at a step, the last one if there were several.

    Raises:
        UsageProblem: none was.
    """
    event = bench.history.sent_at(step)
    force = bench.history.newest("swap", event["n"])
    tools = offered_at(bench.workspace, bench.direction.moves, force, bench.extras)
    view, limit = bench.history.view(event), event["max_output_tokens"]
    return Request(view, event["tail"], tools, limit, strict=event["repaired"])


def view_now(events: Iterable[Event], messages: Sequence[Message]) -> Messages:
    """The view of the last request that was sent or looked at, with all messages since."""
    view: Messages = []
    seen = 0
    for event in events:
        view, seen = grown(event, view, seen, messages)
    return [*view, *messages[seen:]]
