"""Several endpoints for one model: calls are spread over them, and one that fails is passed over."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

REST_SECONDS = 30.0
"""How long an endpoint that failed stands behind the others."""


class Endpoints(Generic[T]):
    """The order in which endpoints are asked: in turn, those that failed a moment ago last.

    >>> endpoints = Endpoints(["a", "b", "c"])
    >>> endpoints.order(), endpoints.order()
    (['a', 'b', 'c'], ['b', 'c', 'a'])
    >>> endpoints.failed("c")
    >>> endpoints.order()
    ['a', 'b', 'c']
    """

    def __init__(self, all_of: Sequence[T], *, clock: Callable[[], float] = time.monotonic) -> None:
        self.all_of = tuple(all_of)
        self._clock = clock
        self._turns = itertools.count()
        self._lock = threading.Lock()
        self._rests: dict[int, float] = {}

    def order(self) -> list[T]:
        """All of them, the one whose turn it is first."""
        with self._lock:
            start, now = next(self._turns) % len(self.all_of), self._clock()
            turned = [*range(start, len(self.all_of)), *range(start)]
            return [self.all_of[n] for n in sorted(turned, key=lambda n: self._rests.get(n, 0.0) > now)]

    def failed(self, one: T, seconds: float | None = None) -> None:
        """Let it rest, for as long as it asked for, or a while."""
        with self._lock:
            rest = min(REST_SECONDS if seconds is None else seconds, REST_SECONDS)
            self._rests[self.all_of.index(one)] = self._clock() + rest

    def answered(self, one: T) -> None:
        """It is well again."""
        with self._lock:
            self._rests.pop(self.all_of.index(one), None)
