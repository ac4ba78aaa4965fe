"""OpenHands: runs as lists of events, flat (old), with `args` and `extras`, or with `kind` (its SDK)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from opencollab_nb.importers import openhands_kinds, openhands_v0, openhands_words
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.importers.openhands_branch import living
from opencollab_nb.importers.openhands_usage import Reports
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.transcript import Transcript

NAME = "openhands"
WANTS = "events with `action` or `observation`, or with `kind`: in a list, on lines, or under `history`"
LISTS = ("history", "trajectory", "events", "items")
STATE_FILE = "base_state.json"
_TRIED = 60


class Run(NamedTuple):
    """One conversation: its events and what stands beside them."""

    events: list[Any]
    beside: Mapping[str, Any]


def signs(source: Source) -> float:
    """The share of records that are events of OpenHands."""
    seen = known = 0
    for run in runs(source, _TRIED):
        for event in flat(run.events):
            seen += 1
            known += is_event(event)
            if seen == _TRIED:
                return 0.97 * known / seen
    return 0.97 * known / seen if seen else 0.0


def read(source: Source) -> list[Transcript]:
    """One transcript for each run of the file."""
    found = runs(source)
    several = len(found) > 1
    drafts = [_draft(source, run, _name(source, run, n) if several else None) for n, run in enumerate(found)]
    drafts = [draft for draft in drafts if draft.messages]
    if drafts:
        drafts[-1].skip("record without events", _eventless(source))
        if source.damage:
            drafts[-1].broken(source.name, source.damage)
    return [draft.done() for draft in drafts]


def _eventless(source: Source) -> int:
    """Records beside the runs of a file: evaluations whose run was lost, for one."""
    values = source.json if isinstance(source.json, list) else [value for _, value in source.lines]
    objects = [value for value in values if isinstance(value, dict)]
    if any(map(is_event, objects)):
        return 0
    return sum(_under(value) is None for value in objects)


def read_together(sources: list[Source]) -> list[Transcript]:
    """The files of a folder: those that hold one event each are one run, in the order of their numbers."""
    single = [source for source in sources if is_event(source.json)]
    out = [transcript for source in sources if source not in single for transcript in read(source)]
    if single:
        numbers = [source.json.get("id") for source in single]
        if all(isinstance(number, int) for number in numbers):
            single.sort(key=lambda source: source.json["id"])
        folder = Path(single[0].path).parent
        state = folder.parent / STATE_FILE
        beside = mapping(Source(state).json) if state.is_file() else {}
        name = folder.parent.name if folder.name == "events" else folder.name
        draft = _draft(single[0], Run([source.json for source in single], beside), name or None)
        draft.notices += [f"{one.name}: {note}" for one in single[1:] for note in one.notices]
        if draft.messages:
            out.append(draft.done())
    return out


def runs(source: Source, most: int | None = None) -> list[Run]:
    """The runs of a file, in any of the forms; of its first records alone where `most` says so."""
    value = source.json
    if isinstance(value, dict):
        if is_event(value):
            return [Run([value], {})]
        inner = _under(value)
        return [inner] if inner else []
    values = value if isinstance(value, list) else [value for _, value in source.lines[:most]]
    values = values[:most]
    several = [
        run for value in values if isinstance(value, dict) and not is_event(value) and (run := _under(value))
    ]
    if several:
        broken = [value for value in values if isinstance(value, Broken)]
        return [*several[:-1], Run([*several[-1].events, *broken], several[-1].beside)]
    return [Run(values, {})] if any(map(is_event, flat(values))) else []


def is_event(value: Any) -> bool:
    """True for an event of any version."""
    return openhands_kinds.is_event(value) or openhands_words.is_event(value)


def flat(events: list[Any]) -> Iterator[Any]:
    """The events; the oldest version pairs an action and its observation in a list."""
    for event in events:
        if isinstance(event, list):
            yield from event
        else:
            yield event


def _under(value: Mapping[str, Any]) -> Run | None:
    for key in LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and any(map(is_event, flat(inner))):
            return Run(inner, value)
    return None


def _name(source: Source, run: Run, number: int) -> str:
    return f"{source.name}[{text(run.beside.get('instance_id')) or number}]"


def _draft(source: Source, run: Run, name: str | None) -> Draft:
    draft = Draft(source, NAME, name)
    events: list[Any] = []
    for number, event in enumerate(flat(run.events), 1):
        if isinstance(event, Broken):
            draft.broken(f"{source.name}, record {number:,}", event.why)
        elif isinstance(event, dict):
            events.append(event)
        else:
            draft.skip("no event")
    reports = Reports(run.beside, events)
    kept = living(events, run.beside.get("leaf_event_id"))
    draft.skip("on an abandoned branch", len(events) - len(kept))
    events = kept
    known = openhands_kinds if any(map(openhands_kinds.is_event, events)) else openhands_v0
    known.fill(draft, events, reports)
    reports.put_in_order(draft)
    draft.window = reports.window
    draft.title = text(run.beside.get("instance_id")) or None
    draft.outcome = _outcome(run.beside) or draft.outcome
    return draft


def _outcome(beside: Mapping[str, Any]) -> str | None:
    """How the run ended, in the words of the file."""
    if text(beside.get("error")):
        return text(beside["error"])[:200]
    if isinstance(beside.get("success"), bool):
        return "success" if beside["success"] else "no success"
    return text(beside.get("execution_status")) or None
