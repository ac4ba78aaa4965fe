"""Ceilings for what an endpoint sends: no answer fills the memory, and none takes for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Self

from opencollab_nb.models.sockets import Line

BODY_BYTES = 64 * 1024 * 1024
"""The longest reply of a model known today is 128,000 tokens, about half a megabyte; media are longer."""


class TooLong(OSError):
    """The body is longer than the ceiling; the rest of it was not read."""


class Deadline:
    """Hangs up when a call has taken so many seconds in all; bytes that drip in do not put it off.

    >>> with Deadline(60.0, Line()) as deadline:
    ...     deadline.passed
    False
    """

    def __init__(self, seconds: float, line: Line) -> None:
        self.seconds, self.passed = seconds, False
        self._line = line
        self._timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._end)
        self._timer.daemon = True

    def _end(self) -> None:
        self.passed = True
        self._line.hang_up()

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_problem: object) -> None:
        self._timer.cancel()


def under_ceiling(response: Any) -> None:
    """An httpx hook for `event_hooks["response"]`: read no more than `BODY_BYTES` of the body.

    Reading further raises `TooLong`, whatever the status.
    """
    httpx = import_module(type(response).__module__.partition(".")[0])

    class Body(httpx.SyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def __iter__(self) -> Iterator[bytes]:
            return counted(self.stream)

        def close(self) -> None:
            self.stream.close()

    response.stream = Body(response.stream)


def counted(chunks: Any) -> Iterator[bytes]:
    """The chunks, as long as they are no more than `BODY_BYTES` together.

    Raises:
        TooLong: they are more.
    """
    left = BODY_BYTES
    for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise TooLong(f"the answer is longer than {BODY_BYTES // 1024**2} MB; the rest was not read")
        yield chunk
