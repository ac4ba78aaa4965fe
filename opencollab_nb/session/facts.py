"""What a session shows of itself: read from the parts it shares."""

from __future__ import annotations

from operator import attrgetter
from typing import Any


def fact(path: str, says: str) -> Any:
    """A read-only attribute of `Session`.

    Args:
        path: where the value lies on the session's bench, `transcript.committed`.
        says: what it is, for `help()`.
    """
    read = attrgetter(f"_bench.{path}")
    return property(lambda session: read(session), doc=says)
