"""Inspect logs, `.json` or `.eval`: one transcript for each sample, with the calls its events tell of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.calls import Call
from opencollab_nb.importers.chat import text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import together
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.inspect_messages import Attachments, message_of, schema_of, usage_of_event
from opencollab_nb.importers.inspect_samples import (
    Log,
    Sample,
    events_of,
    is_archive,
    is_log,
    is_sample,
    log_of,
    ranged,
)
from opencollab_nb.importers.inspect_thread import Thread, reply_in
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript

NAME = "inspect"
WANTS = "`eval` and `samples` with `messages` and `events`, as JSON or in a zip archive"


def signs(source: Source) -> float:
    """Certain for a log, in either form; high for one sample of it."""
    if is_archive(source) or is_log(source.json):
        return 0.98
    return 0.85 if is_sample(source.json) else 0.0


def read(source: Source) -> list[Transcript]:
    """One transcript for each sample."""
    log = log_of(source)
    several = len(log.samples) > 1
    drafts = [_draft(source, log, sample, several) for sample in log.samples]
    drafts = [draft for draft in drafts if draft.messages]
    if drafts:
        for problem in log.problems:
            drafts[-1].broken(source.name, problem)
        if source.damage:
            drafts[-1].broken(source.name, source.damage)
    return [draft.done() for draft in drafts]


def _draft(source: Source, log: Log, sample: Sample, several: bool) -> Draft:
    value = sample.value
    draft = Draft(source, NAME, f"{source.name}[{sample.name}]" if several else None)
    attachments = Attachments(value)
    pool = sequence(mapping(value.get("events_data")).get("messages")) or sequence(value.get("message_pool"))
    events = [_whole(event, pool) for event in events_of(value)]
    if sample.damage:
        draft.broken(sample.name, sample.damage)
    thread = Thread(draft, attachments, sequence(value.get("messages")))
    beside = thread.take(events)
    _children(draft, attachments, beside)
    kinds = Counter(
        text(event.get("event"))[:60] or "no kind" for event in events if event.get("event") != "model"
    )
    for kind, n in kinds.items():
        draft.skip(kind, n)
    _about(draft, log, value, events)
    return draft


def _whole(event: dict[str, Any], pool: list[Any]) -> dict[str, Any]:
    """A model event with its input, where that is kept as ranges of a pool."""
    if event.get("event") != "model" or not event.get("input_refs"):
        return event
    return {**event, "input": list(ranged(event["input_refs"], pool))}


def _children(draft: Draft, attachments: Attachments, events: list[dict[str, Any]]) -> None:
    """Calls that are no part of the conversation: of sub-agents, of graders."""
    calls = []
    for event in events:
        said = reply_in(event)
        asked = [message_of(attachments.put_back(one)) for one in sequence(event.get("input"))]
        calls.append(
            Call(
                messages=[one for one in asked if one],
                reply=message_of(attachments.put_back(said)) if said else None,
                usage=usage_of_event(event),
                model=text(mapping(event.get("output")).get("model")) or text(event.get("model")) or None,
                tools=_tools(event, attachments),
            )
        )
    for n, child in enumerate(together(draft.source, NAME, calls), 1):
        child.name = f"{draft.name}, other conversation {n}"
        draft.child(child)
    draft.skip("model call of another conversation", len(events))


def _tools(event: Mapping[str, Any], attachments: Attachments) -> list[dict[str, Any]]:
    found = [schema_of(attachments.put_back(tool)) for tool in sequence(event.get("tools"))]
    return [schema for schema in found if schema]


def _about(draft: Draft, log: Log, value: Mapping[str, Any], events: list[dict[str, Any]]) -> None:
    for event in events:
        if event.get("event") == "model" and not draft.tools:
            draft.tools += _tools(event, Attachments(value))
    scores = mapping(value.get("scores"))
    told = ", ".join(f"{name} {text(mapping(score).get('value'))[:40]}" for name, score in scores.items())
    failed = text(mapping(value.get("error")).get("message"))[:200]
    draft.outcome = failed or told or text(log.header.get("status")) or None
    task = text(mapping(log.header.get("eval")).get("task"))
    draft.title = f"{task}, sample {text(value.get('id'))}" if task else None
