"""Building again, from transcript and trace, what was in force and what was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import OpenCollabError, TranscriptError
from opencollab_nb.messages import Message, Messages, each
from opencollab_nb.request import Request
from opencollab_nb.session.harness import offered_at
from opencollab_nb.shaping import AutoCompactShaper, Projection, ShaperPipeline
from opencollab_nb.shaping.records import Record, make_record
from opencollab_nb.shaping.sent import SENT, grown, new_record
from opencollab_nb.trace import Trace

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Event = dict[str, Any]
CHANGES_VIEW = ("request", "preview", "swap", "pin")
MISFITS = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
"""What reading a file from anywhere raises where each line is sound and they do not fit together."""


@contextmanager
def fitting(trace: Trace, event: Event) -> Iterator[None]:
    """Follow an event that may be from anywhere: it was read, and still may not fit what came before.

    Raises:
        TranscriptError: it does not; the file and the event are named.
    """
    try:
        yield
    except MISFITS as problem:
        if isinstance(problem, OpenCollabError):
            raise
        raise TranscriptError(
            f"{trace.path or 'the trace'}, event {event['n']} ({event['kind']}) does not fit what is before "
            f"it ({type(problem).__name__}: {problem}); Transcript.open reads the messages alone"
        ) from problem


def replayed(bench: Bench) -> Projection:
    """The projection as the events left it; no shaper and no model is asked."""
    events, messages = bench.trace.stored, bench.transcript.stored
    start = events[0] if events and events[0]["kind"] == "start" else {"mode": bench.mode}
    chain = bench.booked_chain()
    projection = Projection(chain, start["mode"])
    newest = max((e["n"] for e in events if begins_afresh(e)), default=0)
    for event in islice(events, newest):
        # The view of that time is forgotten; pins and summaries that were paid for are not.
        if event["kind"] in CHANGES_VIEW:
            with fitting(bench.trace, event):
                if event["kind"] == "pin":
                    replay_pin(projection, event, messages)
                elif (record := new_record(event)) is not None:
                    remember(chain, record)
    for event in events[newest:]:
        if event["kind"] in CHANGES_VIEW:
            with fitting(bench.trace, event):
                follow(projection, event, messages)
    return projection


def follow(projection: Projection, event: Event, messages: Sequence[Message]) -> None:
    """Let the projection be as this event left it."""
    if event["kind"] == "swap":
        if begins_afresh(event):
            projection.use_mode(event["mode"])
        projection.use(projection.pipeline, afresh=begins_afresh(event))
    elif event["kind"] == "pin":
        replay_pin(projection, event, messages)
    elif (record := new_record(event)) is not None:
        projection.replay(record, messages)


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


def view_now(trace: Trace, messages: Sequence[Message]) -> Messages:
    """The view of the last request that was sent or looked at, with all messages since."""
    view: Messages = []
    seen = 0
    for event in trace.stored:
        if event["kind"] in CHANGES_VIEW:
            with fitting(trace, event):
                view, seen = grown(event, view, seen, messages)
    return [*view, *messages[seen:]]
