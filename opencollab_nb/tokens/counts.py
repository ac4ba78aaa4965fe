"""The memo of counts by text, bounded by what it holds."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

_LONG_CHARS = 512
"""Longer texts are remembered by a digest, so that a count does not keep megabytes alive."""
_ENTRY_CHARS = 64
"""What an entry costs besides its text."""


class CountMemo:
    """Text -> tokens; what was asked for longest ago is forgotten first.

    >>> memo = CountMemo(most_chars=300)
    >>> for number in range(9):
    ...     memo.put(f"text {number}", number)
    >>> memo.get("text 8"), memo.get("text 0"), len(memo)
    (8, None, 4)
    """

    def __init__(self, most_chars: int = 8_000_000) -> None:
        self._room = most_chars
        self._counts: OrderedDict[str | bytes, int] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str) -> int | None:
        """The count of this text, or None."""
        key = _key(text)
        with self._lock:
            count = self._counts.get(key)
            if count is not None:
                self._counts.move_to_end(key)
            return count

    def put(self, text: str, count: int) -> None:
        """Remember the count of this text."""
        key = _key(text)
        with self._lock:
            if key not in self._counts:
                self._room -= len(key) + _ENTRY_CHARS
            self._counts[key] = count
            while self._room < 0 and self._counts:
                oldest, _ = self._counts.popitem(last=False)
                self._room += len(oldest) + _ENTRY_CHARS

    def __len__(self) -> int:
        return len(self._counts)


def _key(text: str) -> str | bytes:
    if len(text) <= _LONG_CHARS:
        return text
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()
