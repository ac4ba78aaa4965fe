"""Our own runs and exports: `transcript.jsonl`, with the `events.jsonl` of its run beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from opencollab_nb.importers.chat import chat_message, is_sound
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import count, mapping, text
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.transcript import Compacted, Origin, Sent, Transcript
from opencollab_nb.transcript.origin_record import FORMAT, origin_of

NAME = FORMAT
WANTS = "lines with an `entry`, the first a `head`: the `transcript.jsonl` of a run folder, or an export"
EVENTS = "events.jsonl"
_UNSEEN = "what the run's own chain took out of its requests is not shown here; `Session.resume` shows it"


def signs(source: Source) -> float:
    """1 for lines that are entries, the first of them the head."""
    entries = [one.get("entry") for one in source.objects[:20]]
    if not entries or not any(entries):
        return 0.0
    known = sum(one in ("head", "message", "commit", "origin") for one in entries) / len(entries)
    return known if entries[0] == "head" else 0.7 * known


def read(source: Source) -> list[Transcript]:
    """The transcript; a damaged line is left out, the others stay."""
    draft = Draft(source, NAME)
    origin: Origin | None = None
    ids: list[int] = []
    for number, value in source.lines:
        if isinstance(value, Broken):
            draft.broken(f"{source.name}, line {number:,}", value.why)
            continue
        entry = value.get("entry") if isinstance(value, dict) else None
        if entry == "message" and _keep(draft, ids, mapping(value.get("message"))):
            draft.used()
        elif entry == "origin" and isinstance(value.get("origin"), dict):
            origin = origin_of(value["origin"])
            draft.used()
        else:
            draft.skip(text(entry) or "no entry")
    if not draft.messages:
        return []
    if origin is None:
        _take_events(draft, source, ids)
        return [draft.done()]
    return [_known(draft, origin, ids)]


def _keep(draft: Draft, ids: list[int], message: Any) -> bool:
    """Add a message as it is, or made sound; False for what is none."""
    meta = mapping(message.get("meta"))
    kept: Any = message if is_sound(message) else chat_message(message)
    if kept is None:
        return False
    number = count(meta.get("id"))
    due = ids[-1] + 1 if ids else 0
    ids.append(number if number is not None and number >= due else due)
    kept = {**kept, "meta": meta}
    draft.keep(kept)
    return True


def _known(draft: Draft, origin: Origin, ids: list[int]) -> Transcript:
    """The transcript with all that its export knew of it."""
    _take_origin(draft, origin, ids)
    transcript = draft.done()
    assert transcript.origin is not None
    transcript.origin = replace(
        transcript.origin,
        constant_tokens=origin.constant_tokens,
        unknown=origin.unknown,
        children=tuple(_child(draft.source, child) for child in origin.children),
    )
    return transcript


def _child(source: Source, child: Transcript) -> Transcript:
    draft = Draft(source, NAME)
    ids: list[int] = []
    for message in child.stored:
        if _keep(draft, ids, message):
            draft.used()
    return _known(draft, child.origin or Origin(NAME, source.path, source.name), ids)


def _take_origin(draft: Draft, origin: Origin, ids: list[int]) -> None:
    """What the export knew, its ids made those of the messages that are still there."""
    for call in origin.sent:
        draft.tell(_placed(call, ids, draft))
    for one in origin.compactions:
        spans = ((bisect_left(ids, first), bisect_left(ids, last + 1) - 1) for first, last in one.covers)
        covers = [[first, last] for first, last in spans if first <= last]
        if covers:
            draft.tell_compacted(Compacted(bisect_left(ids, one.at), covers, one.text, one.tokens_before))
    draft.tools += origin.tools
    draft.window, draft.outcome, draft.title = origin.window, origin.outcome, origin.title


def _placed(call: Sent, ids: list[int], draft: Draft) -> Sent:
    """The call with the ids of this draft; a reply that is lost, or is none, is not named."""
    before, reply = bisect_left(ids, call.before), None
    if call.reply is not None and ids[(at := bisect_left(ids, call.reply)) : at + 1] == [call.reply]:
        reply = at if at >= before and draft.messages[at].get("role") == "assistant" else None
    return replace(call, before=before, reply=reply)


def _take_events(draft: Draft, source: Source, ids: list[int]) -> None:
    """The calls of a run, from the events beside it; without these, one for each reply."""
    beside = Path(source.path).with_name(EVENTS)
    if not beside.is_file():
        for at, message in enumerate(draft.messages):
            if message.get("role") == "assistant":
                draft.tell(Sent(at, at))
        return
    start: dict[str, Any] = {}
    asked: dict[str, Any] | None = None
    for event in Source(beside).objects:
        kind = event.get("kind")
        if kind == "start":
            start = event
            draft.window = count(event.get("window"))
        elif kind == "request":
            _flush(draft, asked, ids, start)
            asked = {"before": count(event.get("stored"))}
        elif kind == "reply" and asked is not None:
            asked |= {"reply": count(event.get("message_id")), "model": text(event.get("model"))}
        elif kind == "usage" and asked is not None and event.get("purpose") == "step":
            asked["usage"] = usage_of(event_usage(event))
        elif (
            kind == "session.history_compaction" and not event.get("problem") and _UNSEEN not in draft.notices
        ):
            draft.notices.append(_UNSEEN)
    _flush(draft, asked, ids, start)


def event_usage(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The counts of an event; None where they are our own estimate."""
    return dict(event) if event.get("reported") is True else None


def _flush(draft: Draft, asked: Mapping[str, Any] | None, ids: list[int], start: Mapping[str, Any]) -> None:
    if asked is None or asked.get("before") is None:
        return
    model = asked.get("model") or text(start.get("model_name")) or text(start.get("model")) or None
    call = Sent(asked["before"], asked.get("reply"), asked.get("usage"), model)
    draft.tell(_placed(call, ids, draft))
