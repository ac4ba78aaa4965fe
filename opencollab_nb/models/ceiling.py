"""A ceiling for the bodies that an endpoint sends, so that no answer fills the memory."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

BODY_BYTES = 64 * 1024 * 1024
"""The longest reply of a model known today is 128,000 tokens, about half a megabyte; media are longer."""


class TooLong(OSError):
    """The body is longer than the ceiling; the rest of it was not read."""


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
