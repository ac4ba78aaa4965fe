"""What a session shows of itself: read from the parts it shares."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from opencollab_nb.session.orders import allow


def fact(path: str, says: str) -> Any:
    """A read-only attribute of `Session`.

    Args:
        path: where the value lies on the session's bench, `transcript.committed`.
        says: what it is, for `help()`.
    """
    read = attrgetter(f"_bench.{path}")
    return property(lambda session: read(session), doc=says)


def limit(path: str, name: str, says: str) -> Any:
    """A limit of the run that may be set, at any time.

    Args:
        path: as in `fact`.
        name: of the limit, as `orders.allow` takes it.
        says: what it is, for `help()`.
    """
    read = attrgetter(f"_bench.{path}")

    def write(session: Any, value: int | None) -> None:
        kept = {"max_steps": session.max_steps, "budget_tokens": session.budget_tokens}
        allow(session._bench, **{**kept, name: value})  # noqa: SLF001 - a verb of the session

    return property(lambda session: read(session), write, doc=says)
