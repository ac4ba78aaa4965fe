"""How often offloaded results were read again for nothing: it tells that the threshold is too tight."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from opencollab_nb.messages import call_arguments, call_name, tool_calls_of
from opencollab_nb.shaping.faults import object_in

TOO_TIGHT = 3
"""So many blind re-reads of one result say that it should have stayed in the request."""
_LIMIT = 200
_ABOUT = re.compile(r"^read_result (?P<id>\d+)(?: (?P<pattern>.*?))??(?: (?P<first>\d+)-(?P<last>\d+))?$")


class Read(NamedTuple):
    """One call of `read_result`."""

    id: int
    first: int
    last: int
    pattern: str | None = None


def rereads(events_or_calls: Iterable[Mapping[str, Any]]) -> Counter[int]:
    """Blind re-reads by result: lines that had been read before, or the same pattern once more.

    Going on where the last reading ended, or looking for something else, is none.

    Args:
        events_or_calls: `tool` events of a trace, messages, or calls in the OpenAI shape, in order;
            all others are passed over.

    >>> import json
    >>> def read(**arguments):
    ...     return {"function": {"name": "read_result", "arguments": json.dumps(arguments)}}
    >>> rereads([read(id=3), read(id=3, offset=201), read(id=3, offset=100), read(id=3, pattern="x")])
    Counter({3: 1})
    """
    known = Rereads()
    known.take(events_or_calls)
    return +known.counts


class Rereads:
    """The same for a run that goes on: what came since is added to what is known.

    >>> Rereads().counts
    Counter()
    """

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.taken = 0
        """How many events, messages or calls were taken in."""
        self._seen: dict[int, list[Read]] = {}

    def take(self, events_or_calls: Iterable[Mapping[str, Any]]) -> None:
        """Go on with what comes next."""
        for thing in events_or_calls:
            self.taken += 1
            for read in _reads([thing]):
                before = self._seen.setdefault(read.id, [])
                self.counts[read.id] += any(_again(read, other) for other in before)
                before.append(read)


def too_tight(counts: Mapping[int, int], at_least: int = TOO_TIGHT) -> str | None:
    """A sentence where results were read again too often; None where all is well.

    >>> too_tight({3: 4}), too_tight({3: 1})[0:0] if too_tight({3: 1}) else None
    ('Result 3 was read again 4 times after it had been offloaded: raise max_chars of OffloadShaper.', None)
    """
    worst = sorted((own for own, count in counts.items() if count >= at_least), key=lambda i: -counts[i])
    if not worst:
        return None
    named = f"Result {worst[0]} was read again {counts[worst[0]]} times after it had been offloaded"
    more = len(worst) - 1
    others = f", and so {'was 1 other' if more == 1 else f'were {more} others'}" if more else ""
    return f"{named}{others}: raise max_chars of OffloadShaper."


def _again(read: Read, other: Read) -> bool:
    if read.pattern is not None or other.pattern is not None:
        same = read.pattern == other.pattern
        return same and read.first <= other.first
    return read.first <= other.last and other.first <= read.last


def _reads(things: Iterable[Mapping[str, Any]]) -> Iterator[Read]:
    for thing in things:
        if "function" in thing:
            yield from _of_call(thing)
        elif thing.get("name") == "read_result" and "about" in thing:
            yield from _of_event(thing)
        else:
            yield from (read for call in tool_calls_of(thing) for read in _of_call(call))


def _of_call(call: Mapping[str, Any]) -> Iterator[Read]:
    values = object_in(call_arguments(call)) if call_name(call) == "read_result" else None
    if values is None or not isinstance(values.get("id"), (int, float)):
        return
    offset, limit, pattern = values.get("offset"), values.get("limit"), values.get("pattern")
    first = offset if isinstance(offset, int) else 1
    last = first + (limit if isinstance(limit, int) else _LIMIT) - 1
    yield Read(int(values["id"]), first, last, pattern if isinstance(pattern, str) else None)


def _of_event(event: Mapping[str, Any]) -> Iterator[Read]:
    found = _ABOUT.match(str(event["about"]))
    if found is None:
        return
    pattern = found["pattern"]
    first = int(found["first"] or 1)
    last = int(found["last"] or first + _LIMIT - 1)
    yield Read(int(found["id"]), first, last, None if pattern in (None, "", "None") else pattern)
