"""The summaries already paid for, by what they stand for."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from opencollab_nb.messages import Message, wire
from opencollab_nb.shaping.by_group import common_start
from opencollab_nb.shaping.summary import Summary

_KEY_CHARS = 24


class HeadKeys:
    """One key for every beginning of a segment: its content and who summarized it.

    The last segment is held: of one that goes on from it, only what is new is read.

    >>> one, two = {"role": "user", "content": "a"}, {"role": "user", "content": "b"}
    >>> keys = HeadKeys()
    >>> keys.of([one, two], "m")[0] == keys.of([one], "m")[0] != keys.of([one], "other")[0]
    True
    """

    def __init__(self) -> None:
        self._last: tuple[str, list[Message], list[str], list[Any]] = ("", [], [], [])

    def of(self, segment: Sequence[Message], fingerprint: str) -> list[str]:
        """The keys, one for each message of the segment."""
        # Taken once and put back whole: two threads may shape with the same shaper.
        known, before, old_keys, old_states = self._last
        same = common_start(before, segment) if known == fingerprint else 0
        keys, states = old_keys[:same], old_states[:same]
        running = states[-1] if same else hashlib.sha256(fingerprint.encode("utf-8", "surrogatepass"))
        for message in segment[same:]:
            running = running.copy()
            running.update(json.dumps(wire(message), sort_keys=True, default=str).encode())
            keys.append(running.hexdigest()[:_KEY_CHARS])
            states.append(running)
        self._last = fingerprint, list(segment), keys, states
        return list(keys)


class SummaryCache:
    """The last `size` summaries; the one used longest ago is forgotten first.

    >>> cache = SummaryCache(1)
    >>> cache.put("a", Summary("first")); cache.put("b", Summary("second"))
    >>> cache.get("a"), cache.get("b").text
    (None, 'second')
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[str, Summary] = OrderedDict()
        self.keys = HeadKeys()

    def get(self, key: str) -> Summary | None:
        """The summary with this key, which counts as used."""
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def put(self, key: str, summary: Summary) -> None:
        """Remember a summary, and forget the oldest where there are too many."""
        self._known[key] = summary
        self._known.move_to_end(key)
        while len(self._known) > self._size:
            self._known.popitem(last=False)

    def longest_head(self, keys: Sequence[str]) -> int:
        """How many messages of a segment with these keys a known summary stands for."""
        return next((count for count in range(len(keys), 0, -1) if keys[count - 1] in self._known), 0)
