"""A sequence whose newest values are in memory and whose older ones are read back when asked for."""

from __future__ import annotations

import threading
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, overload
from weakref import WeakValueDictionary

from opencollab_nb.errors import TranscriptError

MOST_BYTES = 1_000_000
"""Of lines in memory, as they are on the disk: the views and requests of some hundred steps."""
LEAST_VALUES = 64
"""So many of the newest stay in memory whatever their size."""
READ_AT_ONCE = 256

T = TypeVar("T")
Measure = Callable[[Any], int]
Known = dict[Measure, "array[int]"]
"""What a measure said of the value at each place; -1 where it was not asked."""
Fetch = Callable[[int, int], list[dict[str, Any]]]
"""The values from one place up to, not including, another, as the disk has them."""


class Line(dict[str, Any]):
    """A dictionary that can be found again while somebody holds it, and knows its place.

    A file from anywhere may lack a field that a reader needs later: asking for it raises a
    `TranscriptError` that names the file and the place.

    >>> Line(role="user") == {"role": "user"}
    True
    """

    __slots__ = ("__weakref__", "kept_in", "known", "place")

    place: int
    known: Known
    kept_in: str

    def weight(self, measure: Measure) -> int:
        """What the measure says of it; remembered for whoever reads it from the disk again."""
        known = self.known.setdefault(measure, array("q"))
        known.extend([-1] * (self.place + 1 - len(known)))
        weight = known[self.place]
        if weight < 0:
            weight = known[self.place] = measure(self)
        return weight

    def __missing__(self, name: str) -> Any:
        what = "event" if "kind" in self else "message"
        raise TranscriptError(f"{self.kept_in}: {what} {self.place} has no {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is any dictionary."""
        return dict, (dict(self),)


class Shelf(Sequence[T]):
    """Grows at its end. A value that anybody still holds is never read again: it is the same object.

    So what is remembered of a value by its object holds as long as the value does.

    Args:
        fetch: reads older values back; None to keep all in memory.
        most_bytes: of values in memory, beside those that others hold.
        kept_in: where the values lie, as errors name it.

    >>> shelf = Shelf()
    >>> shelf.append({"n": 0}), shelf.append({"n": 1}), len(shelf), shelf[-1], shelf[:1]
    ({'n': 0}, {'n': 1}, 2, {'n': 1}, [{'n': 0}])
    """

    def __init__(
        self, fetch: Fetch | None = None, *, most_bytes: int = MOST_BYTES, kept_in: object = "memory"
    ) -> None:
        self._fetch, self._most_bytes, self._kept_in = fetch, most_bytes, str(kept_in)
        self._window: tuple[int, list[Any]] = (0, [])
        """The first place in memory, and the values from there on; replaced at once, so no reader waits."""
        self._sizes: deque[int] = deque()
        self._bytes = 0
        self._elsewhere: WeakValueDictionary[int, Line] = WeakValueDictionary()
        self._known: Known = {}
        self._lock = threading.Lock()

    def append(self, value: T, size_bytes: int = 0) -> T:
        """Add a value that is on the disk already; returns it as it is kept."""
        if self._fetch is not None and self._bytes > 2 * self._most_bytes:
            self._put_away()
        first, newest = self._window
        line = self._made(value, first + len(newest))
        # An interrupt may strike before the last of these, which is what counts.
        while len(self._sizes) > len(newest):
            self._bytes -= self._sizes.pop()
        self._sizes.append(size_bytes)
        self._bytes += size_bytes
        newest.append(line)
        kept: T = newest[-1]
        return kept

    def alive(self, place: int) -> T | None:
        """The value, if it is in memory."""
        first, newest = self._window
        found: Any = newest[place - first] if place >= first else self._elsewhere.get(place)
        kept: T | None = found
        return kept

    def __len__(self) -> int:
        first, newest = self._window
        return first + len(newest)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        first, newest = self._window
        length = first + len(newest)
        if isinstance(at, slice):
            begin, end, pace = at.indices(length)
            if pace != 1:
                return [self[place] for place in range(begin, end, pace)]
            old = self._read(begin, min(end, first)) if begin < first else []
            return old + newest[max(begin - first, 0) : max(end - first, 0)]
        place = at + length if at < 0 else at
        if not 0 <= place < length:
            raise IndexError(at)
        found: T = newest[place - first] if place >= first else self._read(place, place + 1)[0]
        return found

    def __iter__(self) -> Iterator[T]:
        place = 0
        while some := self[place : place + READ_AT_ONCE]:
            yield from some
            place += len(some)

    def __reversed__(self) -> Iterator[T]:
        end = len(self)
        while end > 0:
            some = self[max(0, end - READ_AT_ONCE) : end]
            yield from reversed(some)
            end -= len(some)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return repr(list(islice(self, 3)) + ["..."] * (len(self) > 3))

    def at(self, places: Iterable[int]) -> list[T]:
        """The values at these places."""
        return [self[place] for place in places]

    def _made(self, value: Any, place: int) -> Line:
        line = Line(value)
        line.place, line.known, line.kept_in = place, self._known, self._kept_in
        return line

    def _put_away(self) -> None:
        first, newest = self._window
        cut, size = 0, self._bytes
        while size > self._most_bytes and len(newest) - cut > LEAST_VALUES:
            size -= self._sizes[cut]
            cut += 1
        # Those that others hold are found there before they leave the window.
        for line in newest[:cut]:
            self._elsewhere[line.place] = line
        self._window = (first + cut, newest[cut:])
        for _ in range(cut):
            self._sizes.popleft()
        self._bytes = size

    def _read(self, first: int, end: int) -> list[Any]:
        assert self._fetch is not None
        found = [self._elsewhere.get(place) for place in range(first, end)]
        if None not in found:
            return found
        out: list[Any] = []
        for place, value in enumerate(self._fetch(first, end), first):
            with self._lock:
                line = self._elsewhere.get(place)
                if line is None:
                    line = self._elsewhere[place] = self._made(value, place)
            out.append(line)
        return out


class ByPlace(Mapping[int, T]):
    """A shelf's values by their places; only what is asked for is read.

    >>> shelf = Shelf()
    >>> kept = shelf.append({"n": 0})
    >>> ByPlace(shelf).get(0), ByPlace(shelf).get(1)
    ({'n': 0}, None)
    """

    def __init__(self, shelf: Shelf[T]) -> None:
        self._shelf = shelf

    def __getitem__(self, place: int) -> T:
        if not 0 <= place < len(self._shelf):
            raise KeyError(place)
        return self._shelf[place]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._shelf)))

    def __len__(self) -> int:
        return len(self._shelf)
