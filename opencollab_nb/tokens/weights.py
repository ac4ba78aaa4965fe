"""The memo of weights: each message object is measured once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any
from weakref import WeakSet, ref

from opencollab_nb.shelf import Line
from opencollab_nb.tokens.estimate import weigh

Measure = Callable[[Any], int]

_LEAST_ROOM_TOKENS = 500_000
_ENTRY_TOKENS = 100
"""What an entry costs whatever its message weighs, so that many small messages make a sweep due too."""


class Weights:
    """A measure that remembers what each message object weighs.

    Messages are values, so a rewritten message is a new object and measured anew. The table holds
    its messages, else an id could come back for another message; when it has doubled, those that
    nobody else holds any more are let go. So memory follows what is alive, not what was ever measured.

    >>> weights, message = Weights(), {"role": "user", "content": "x" * 30}
    >>> weights(message), weights.total([message, message]), weights.scaled(0.5)(message)
    (14, 28, 7)
    """

    def __init__(self, measure: Measure = weigh, *, ratio: float = 1.0, memo: _Memo | None = None) -> None:
        self.ratio = ratio
        self._memo = memo or _Memo(measure)

    def scaled(self, ratio: float) -> Weights:
        """The same memory, every weight times `ratio`: calibration costs nothing per message."""
        return Weights(self._memo.measure, ratio=ratio, memo=self._memo)

    def with_copies(self, copies: Iterable[Mapping[str, Any]], originals: Iterable[Any]) -> Weights:
        """The same measure, which takes each copy to weigh what its original does, with a memory of its own.

        >>> weights, message = Weights(), {"role": "user", "content": "x" * 30}
        >>> weights.with_copies([copy := dict(message)], [message])(copy)
        14
        """
        memo = _Memo(self._memo.measure)
        for copy, original in zip(copies, originals, strict=True):
            weight = self._memo.known.get(id(original))
            memo.known[id(copy)] = self._memo.learn(original) if weight is None else weight
            memo.held[id(copy)] = copy
        return Weights(memo.measure, ratio=self.ratio, memo=memo)

    def __call__(self, message: Mapping[str, Any]) -> int:
        """Tokens of one message."""
        return round(self.of_one(message) * self.ratio)

    def total(self, messages: Iterable[Mapping[str, Any]]) -> int:
        """Tokens of all these messages: the sum is exact and rounded once, after the ratio.

        The rounded weights of single messages may therefore add up to half a token a message
        more or less than the total.
        """
        return round(self.unscaled(messages) * self.ratio)

    def unscaled(self, messages: Iterable[Mapping[str, Any]]) -> int:
        """The sum as measured, without the ratio."""
        listed = messages if isinstance(messages, (list, tuple)) else list(messages)
        return self._memo.total(listed)

    def each(self, messages: Iterable[Any]) -> list[int]:
        """The weights of these messages as measured, without the ratio."""
        return self._memo.each(messages if isinstance(messages, (list, tuple)) else list(messages))

    def of_one(self, message: Mapping[str, Any]) -> int:
        """The weight of one message as measured, without the ratio."""
        weight = self._memo.known.get(id(message))
        return self._memo.learn(message) if weight is None else weight

    @property
    def measure(self) -> Measure:
        """What gives the weights, before the ratio."""
        return self._memo.measure

    @property
    def remembered(self) -> int:
        """How many messages are remembered at the moment."""
        return len(self._memo.known)


_MEMOS: WeakSet[_Memo] = WeakSet()


class _Memo:
    """Weight by object id; an id is in `known` only while its message is held, or watched and alive."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.known: dict[int, int] = {}
        self.held: dict[int, Any] = {}
        self.watched: dict[int, ref[Line]] = {}
        self.room = _LEAST_ROOM_TOKENS
        self.lock = Lock()
        _MEMOS.add(self)

    def total(self, messages: list[Any] | tuple[Any, ...]) -> int:
        known = self.known
        try:
            return sum(map(known.__getitem__, map(id, messages)))
        except KeyError:
            return sum([known[i] if (i := id(m)) in known else self.learn(m) for m in messages])

    def each(self, messages: list[Any] | tuple[Any, ...]) -> list[int]:
        known = self.known
        try:
            return list(map(known.__getitem__, map(id, messages)))
        except KeyError:
            return [known[i] if (i := id(m)) in known else self.learn(m) for m in messages]

    def learn(self, message: Any) -> int:
        if isinstance(message, Line):
            return self.watch(message)
        weight = self.measure(message)
        with self.lock:
            self.held[id(message)] = message
            self.known[id(message)] = weight
            self.room -= weight + _ENTRY_TOKENS
            if self.room < 0:
                self.sweep()
        return weight

    def watch(self, line: Line) -> int:
        """Remember a message that can be watched: it need not be held for that."""
        own, weight = id(line), line.weight(self.measure)

        def gone(_: object) -> None:
            # No lock: this may be called in the middle of anything.
            self.known.pop(own, None)
            self.watched.pop(own, None)

        self.watched[own] = ref(line, gone)
        self.known[own] = weight
        return weight

    def sweep(self) -> None:
        """Let go of what only tables like this hold; the next sweep is due when the rest has doubled."""
        others = [memo.held for memo in list(_MEMOS) if memo is not self]
        counts = map(sys.getrefcount, self.held.values())
        few = [
            (n, count)
            for n, count in zip(self.held, counts, strict=True)
            if count <= _HELD_ONCE + len(others)
        ]
        for number, count in few:
            if count <= _HELD_ONCE + sum(number in held for held in others):
                del self.known[number], self.held[number]
        kept = sum(map(self.known.__getitem__, self.held)) + _ENTRY_TOKENS * len(self.held)
        self.room = max(kept, _LEAST_ROOM_TOKENS)


# Interpreters differ in how many references of their own they count, so the same expression as in
# `sweep` is asked about a message that only a table holds.
_HELD_ONCE = max(map(sys.getrefcount, {0: {"role": "user"}}.values()))
