"""The start and the end of an output of any length, in bounded memory."""

from __future__ import annotations

from collections import deque

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""


class Held:
    r"""Takes bytes; keeps at most `chars` characters of them: the first half and the last half.

    >>> held = Held(10)
    >>> for _ in range(100): held.add(b"0123456789")
    >>> held.text()
    ('01234\n[… 990 characters left out …]\n56789', True)
    """

    def __init__(self, chars: int) -> None:
        self.chars = chars
        # A character has at most four bytes, so no wanted one is ever dropped here.
        self._room_bytes = 4 * chars
        self._head: list[bytes] = []
        self._head_bytes = 0
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped = False
        self._all_chars = 0

    def add(self, data: bytes) -> None:
        """Keep it, or let go of what has become the middle."""
        self._all_chars += len(data.translate(None, _CONTINUATION))
        room = self._room_bytes - self._head_bytes
        if room > 0:
            self._head.append(data[:room])
            self._head_bytes += len(self._head[-1])
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= self._room_bytes:
            gone = self._tail.popleft()
            self._tail_bytes -= len(gone)
            self._dropped = True

    def text(self) -> tuple[str, bool]:
        """The text and whether something was left out; bytes that are no UTF-8 are replaced."""
        head, tail = b"".join(self._head), b"".join(self._tail)
        if not self._dropped:
            whole = (head + tail).decode("utf-8", "replace")
            return capped(whole, self.chars), len(whole) > self.chars
        first, last = head.decode("utf-8", "replace"), tail.decode("utf-8", "replace")
        return _start_and_end(first, last, self.chars, self._all_chars), True


def capped(text: str, chars: int) -> str:
    r"""The text, or its start and its end, together `chars` characters, around a note.

    >>> capped("abcdefghij", 4)
    'ab\n[… 6 characters left out …]\nij'
    """
    return text if len(text) <= chars else _start_and_end(text, text, chars, len(text))


def _start_and_end(first: str, last: str, chars: int, all_chars: int) -> str:
    start, end = first[: chars // 2], last[len(last) - (chars - chars // 2) :]
    return f"{start}\n[… {all_chars - chars} characters left out …]\n{end}"
