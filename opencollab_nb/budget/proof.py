"""Proving, from the files alone, that each original can be read back and that the anchors survived."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opencollab_nb.budget.audit import EVENTS, TRANSCRIPT, originals_of, spans
from opencollab_nb.budget.recorded import Event, Sent, requests_sent
from opencollab_nb.errors import OpenCollabError
from opencollab_nb.jsonl import encoded
from opencollab_nb.messages import Message, Messages, id_of, text_of
from opencollab_nb.transcript.entries import digest_of, message_entry

_POINTER = re.compile(r"\[offloaded: result (\d+), (\d+) lines?, (\d+) chars")
_REBUILDING = (KeyError, IndexError, TypeError, ValueError, OpenCollabError)
"""What a record can raise that does not fit its transcript any more."""


def proven(events: Sequence[Event], messages: Messages, folder: Path | None) -> dict[str, Any]:
    """What was looked at, and all that failed.

    Nothing of this process is trusted but as a second witness: originals and requests come from the
    files, and are compared with what the session holds, and with the sizes that the events tell.

    Args:
        events: as the session holds them.
        messages: as the session holds them.
        folder: of the run.
    """
    kept = [(event, originals_of(event)) for event in events]
    wanted = sorted({i for _, ids in kept for i in ids})
    if folder is None:
        return _outcome(wanted, problems=["there is no run folder: nothing of it is on a disk"])
    transcript, problems = _lines(folder / TRANSCRIPT)
    trace, more = _lines(folder / EVENTS)
    problems += more
    on_disk = {
        i: line
        for line in transcript
        if (i := _id_in(line)) is not None and line["value"]["entry"] == "message"
    }
    problems += _missing(wanted, on_disk, messages)
    problems += _changed_sizes(wanted, on_disk, events)
    problems += _broken_seals(on_disk, events)
    problems += _changed_events(events, trace)
    stored = [on_disk[i]["value"]["message"] for i in range(len(on_disk)) if i in on_disk]
    recorded = [line["value"] for line in trace][: len(events)]
    search = _Search(recorded, stored)
    try:
        for sent in requests_sent(recorded, stored):
            problems += search.faults_in(sent)
    except _REBUILDING as problem:
        problems.append(f"requests cannot be built again from the files: {type(problem).__name__}: {problem}")
    return _outcome(wanted, search.requests, search.registered, problems)


def _outcome(
    wanted: list[int], requests: int = 0, anchors: int = 0, problems: Sequence[str] = ()
) -> dict[str, Any]:
    return {"originals": len(wanted), "requests": requests, "anchors": anchors, "problems": tuple(problems)}


def _lines(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The sound lines of a file, each with its bytes, and what is wrong with the others."""
    try:
        raw = path.read_bytes().split(b"\n")
    except OSError as problem:
        return [], [f"{path.name} cannot be read: {problem.strerror or problem}"]
    lines, problems = [], []
    for number, data in enumerate(raw, 1):
        if not data and number == len(raw):
            continue
        try:
            value = json.loads(data)
            if not isinstance(value, dict):
                raise ValueError("not a JSON object")
        except (ValueError, RecursionError) as problem:
            problems.append(f"{path.name}, line {number} is damaged: {problem}")
            continue
        lines.append({"value": value, "bytes": data, "line": number})
    return lines, problems


def _id_in(line: Mapping[str, Any]) -> int | None:
    message = line["value"].get("message")
    return id_of(message) if isinstance(message, dict) else None


def _missing(wanted: Sequence[int], on_disk: Mapping[int, Any], messages: Messages) -> Iterator[str]:
    """The originals that are not in the file byte for byte as the session holds them."""
    gone = [i for i in wanted if i not in on_disk]
    if gone:
        yield f"messages {spans(gone)} are not in {TRANSCRIPT}"
    for i in wanted:
        if i not in on_disk:
            continue
        if i >= len(messages) or encoded(message_entry(messages[i])) != on_disk[i]["bytes"]:
            yield f"message {i} is another one in {TRANSCRIPT}, line {on_disk[i]['line']}, than it was"


def _changed_sizes(
    wanted: Sequence[int], on_disk: Mapping[int, Any], events: Sequence[Event]
) -> Iterator[str]:
    """Results whose length is not the one that was written down when they came."""
    told = {event["message_id"]: event["chars"] for event in events if event["kind"] == "tool"}
    for i in wanted:
        if i in told and i in on_disk:
            chars = len(text_of(on_disk[i]["value"]["message"]))
            if chars != told[i]:
                yield f"message {i} has {chars:,} characters in {TRANSCRIPT}; it came with {told[i]:,}"


def _broken_seals(on_disk: Mapping[int, Any], events: Sequence[Event]) -> Iterator[str]:
    """Steps whose messages are no longer those that were there when the step was finished."""
    start = 0
    for event in events:
        if event["kind"] != "commit" or "digest" not in event:
            continue
        ids = range(start, event["stored"])
        start = event["stored"]
        lines = [on_disk[i]["bytes"] for i in ids if i in on_disk]
        if len(lines) < len(ids) or digest_of(lines) != event["digest"]:
            told = f"messages {spans(list(ids))} in {TRANSCRIPT}"
            yield f"{told} are not those that step {event['step']} ended with"


def _changed_events(events: Sequence[Event], trace: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Events that are not in the file as the session holds them."""
    if len(trace) < len(events):
        yield f"{EVENTS} has {len(trace):,} sound lines; {len(events):,} events were written"
    for event, line in zip(events, trace, strict=False):
        if encoded(dict(event)) != line["bytes"]:
            where = f"{EVENTS}, line {line['line']}"
            yield f"event {event['n']} ({event['kind']}) is another one in {where}, than it was"


class _Search:
    """Looks for the anchors in force, and at the pointers, in one request after the other."""

    def __init__(self, events: Sequence[Event], stored: Messages) -> None:
        self.events, self.stored = events, stored
        self.requests = self.registered = 0
        self._until = 0
        self._in_force: dict[int, Event] = {}
        self._goal: int | None = None
        self._known: dict[tuple[int, int], bool] = {}
        self._held: dict[int, Message] = {}
        self._looked: dict[int, Message] = {}

    def faults_in(self, sent: Sent) -> Iterator[str]:
        """The anchors that this request does not hold word for word, and pointers that tell wrong sizes."""
        self.requests += 1
        self._register(sent.event["n"])
        by_id = {id_of(message): message for message in sent.view}
        for number, anchor in self._in_force.items():
            first = by_id.get(anchor["message_id"])
            places = [first, *sent.messages] if first is not None else sent.messages
            if not any(self._holds(message, number, anchor["text"]) for message in places):
                request = f"the request of step {sent.step} (event {sent.event['n']})"
                kind, text = anchor["kind_of_anchor"], anchor["text"][:80]
                yield f"{request} does not hold anchor {number}, {kind}: {text}"
        for message in sent.view:
            if message.get("role") == "tool" and id(message) not in self._looked:
                self._looked[id(message)] = message
                yield from self._wrong_pointer(message)

    def _register(self, until: int) -> None:
        for event in self.events[self._until : until]:
            if event["kind"] != "anchor":
                continue
            if event["kind_of_anchor"] == "goal" and self._goal is not None:
                self._in_force.pop(self._goal, None)
            self._in_force[event["number"]] = event
            self.registered += 1
            self._goal = event["number"] if event["kind_of_anchor"] == "goal" else self._goal
        self._until = max(self._until, until)

    def _holds(self, message: Message, number: int, text: str) -> bool:
        key = (id(message), number)
        if key not in self._known:
            self._held.setdefault(id(message), message)  # so that no other gets its id
            self._known[key] = text in text_of(message)
        return self._known[key]

    def _wrong_pointer(self, message: Message) -> Iterator[str]:
        found = _POINTER.match(text_of(message))
        own = id_of(message)
        if found is None or own is None or text_of(message) == text_of(self.stored[own]):
            return
        chars = len(text_of(self.stored[own]))
        if (int(found[1]), int(found[3])) != (own, chars):
            told = f"{found[3]} characters of result {found[1]}"
            yield f"the pointer in message {own} tells {told}; it has {chars:,}"
