"""What the events of a run say was sent: the fold of their records over the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opencollab_nb.messages import Message, Messages
from opencollab_nb.shaping.records import apply_record

SENT = "sent"
"""In the record of a stateless request: what was sent, relative to the whole transcript."""


def new_record(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The record that this event is the first to hold, or None."""
    if event["kind"] == "preview" or (event["kind"] == "request" and not event["previewed"]):
        record: dict[str, Any] | None = event["view"]
        return record
    return None


def grown(
    event: Mapping[str, Any], view: Messages, seen: int, messages: Sequence[Message]
) -> tuple[Messages, int]:
    """The view after this event, and how many messages of the transcript it has taken in."""
    record = new_record(event)
    if record is not None and SENT in record:
        view = apply_record(record[SENT], list(messages[: record["to"]]), messages.__getitem__)
        seen = record["to"]
    elif record is not None and not record.get("stateless"):
        if record["afresh"]:
            view, seen = [], 0
        view = apply_record(record, [*view, *messages[seen : record["to"]]], messages.__getitem__)
        seen = record["to"]
    if event["kind"] == "request":
        view = [*view, *messages[seen : event["stored"]]]
        seen = event["stored"]
    return view, seen
