"""The samples of an Inspect log, whichever of its forms they are kept in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from opencollab_nb.importers.archive import START, is_whole, members, names
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.parsing import parse
from opencollab_nb.importers.source import Source

_POOL = ("messages", "events", "calls", "attachments")


class Sample(NamedTuple):
    """One sample, its parts where a single-file log has them."""

    value: Mapping[str, Any]
    name: str
    damage: str | None = None


class Log(NamedTuple):
    """What a log holds."""

    header: Mapping[str, Any]
    samples: list[Sample]
    problems: list[str]


def is_archive(source: Source) -> bool:
    """True for the zip form, told from what is in it."""
    if not source.start.startswith(START.decode()):
        return False
    found = names(source.data)
    return any(name.startswith("samples/") for name in found) or "header.json" in found


def is_log(value: Any) -> bool:
    """True for a whole log as JSON."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("eval"), dict)
        and bool({"plan", "samples", "status"} & value.keys())
    )


def is_sample(value: Any) -> bool:
    """True for one sample by itself, as it lies in the archive."""
    return (
        isinstance(value, dict)
        and {"id", "epoch"} <= value.keys()
        and (isinstance(value.get("messages"), list) or isinstance(value.get("events"), list))
    )


def log_of(source: Source) -> Log:
    """The log of a file."""
    if is_archive(source):
        return _archived(source)
    value = source.json
    if is_sample(value) and not is_log(value):
        return Log({}, [Sample(value, source.name)], [])
    value = mapping(value)
    samples = [
        Sample(one, _name(one, n))
        for n, one in enumerate(sequence(value.get("samples")))
        if isinstance(one, dict)
    ]
    return Log(value, samples, [])


def _archived(source: Source) -> Log:
    header: dict[str, Any] = {}
    samples: list[Sample] = []
    problems: list[str] = []
    chunks: dict[str, dict[str, Any]] = {}
    data = source.data
    if not is_whole(data):
        problems.append("the archive's end is missing; what stands before it was read")
    for member in members(data):
        place = member.name.split("/")
        wanted = place[0] == "samples" or member.name in ("header.json", "_journal/start.json", "start.json")
        if not wanted or not member.name.endswith(".json"):
            continue
        parsed = parse(member.data)
        value = parsed.whole
        if place[0] != "samples":
            header = {**mapping(value), **header} if place[0] == "_journal" else {**header, **mapping(value)}
        elif len(place) == 2:
            if isinstance(value, dict):
                samples.append(Sample(value, _name(value, len(samples)), member.why or parsed.damage))
            else:
                problems.append(f"{member.name}: {member.why or 'holds no sample'}")
        else:
            if member.why:
                problems.append(f"{member.name}: {member.why}")
            _put_chunk(chunks.setdefault(place[1], {}), place[2:], value)
    samples += [Sample(_joined(parts), name) for name, parts in chunks.items()]
    return Log(header, samples, problems)


def _put_chunk(parts: dict[str, Any], place: list[str], value: Any) -> None:
    """A piece of a sample that is spread over several files, named by the number of its first item."""
    stem = place[-1].removesuffix(".json")
    if place == ["sample.json"]:
        parts["sample"] = mapping(value)
    elif len(place) == 2 and place[0] in _POOL and stem.isdecimal():
        parts.setdefault(place[0], {})[int(stem)] = sequence(value)


def _joined(parts: Mapping[str, Any]) -> dict[str, Any]:
    """A spread sample as one that is not."""
    pools = {
        name: [one for _, items in sorted(mapping(parts.get(name)).items()) for one in items]
        for name in _POOL
    }
    sample = dict(mapping(parts.get("sample")))
    return {
        **sample,
        "messages": list(ranged(sample.get("message_refs"), pools["messages"])),
        "events": pools["events"],
        "events_data": {"messages": pools["messages"], "calls": pools["calls"]},
        "attachments": {str(n): one for n, one in enumerate(pools["attachments"])},
    }


def events_of(sample: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The events of a sample, wherever a version keeps them.

    A sample without a model call has its last answer, which tells that one's usage.

    >>> answer = {"choices": [], "usage": {"input_tokens": 5}}
    >>> events_of({"transcript": {"events": [{"event": "step"}]}, "output": answer})
    [{'event': 'step'}, {'event': 'model', 'output': {'choices': [], 'usage': {'input_tokens': 5}}}]
    """
    given = sequence(sample.get("events")) or sequence(mapping(sample.get("transcript")).get("events"))
    events = [event for event in given if isinstance(event, dict)]
    output = mapping(sample.get("output"))
    if output.get("usage") and all(event.get("event") != "model" for event in events):
        events.append({"event": "model", "output": output})
    return events


def ranged(refs: Any, pool: list[Any]) -> Iterator[Any]:
    """The items of a pool that ranges `[start, end]` name, the end not included.

    >>> list(ranged([[0, 2], [3, 4]], ["a", "b", "c", "d"]))
    ['a', 'b', 'd']
    """
    for ref in sequence(refs):
        if isinstance(ref, list) and len(ref) == 2 and all(isinstance(end, int) and end >= 0 for end in ref):
            yield from pool[ref[0] : ref[1]]


def _name(sample: Mapping[str, Any], number: int) -> str:
    sample_id, epoch = sample.get("id"), sample.get("epoch")
    if not isinstance(sample_id, (int, str)):
        return str(number)
    return (
        f"{sample_id} epoch {epoch}"
        if isinstance(epoch, int) and epoch > 1
        else text(sample_id) or str(sample_id)
    )
