"""The verbs that keep messages word for word, or let go of them again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import ranges
from opencollab_nb.session.bench import Bench

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session


def pin(session: Session, ids: int | Iterable[int]) -> tuple[int, ...]:
    """Keep these messages, with their groups, word for word from the next request on.

    Returns:
        The ids pinned by this; empty while a step is in flight, at whose end it takes effect.

    Raises:
        UsageProblem: (a ValueError) an id that no message has.
    """
    return order_pin(session._bench, "pin", ids)  # noqa: SLF001 - one of the session's verbs


def unpin(session: Session, ids: int | Iterable[int]) -> tuple[int, ...]:
    """Let later rounds change these messages again; see `pin`."""
    return order_pin(session._bench, "unpin", ids)  # noqa: SLF001 - one of the session's verbs


def restore(session: Session, ids: int | Iterable[int]) -> tuple[int, ...]:
    """Bring these messages back word for word; they stay, through later rounds, until `unpin`."""
    return order_pin(session._bench, "restore", ids)  # noqa: SLF001 - one of the session's verbs


def order_pin(bench: Bench, how: str, ids: int | Iterable[int]) -> tuple[int, ...]:
    """Pin, unpin or restore at rest at once, during a step at its end; what was pinned at once."""
    wanted = checked_ids(bench, ids)
    done: list[int] = []
    bench.order(lambda: done.extend(carried_out(bench, how, wanted)))
    return tuple(done)


def checked_ids(bench: Bench, ids: int | Iterable[int]) -> list[int]:
    """Ids of messages that are in the transcript.

    Raises:
        UsageProblem: one is not.
    """
    listed: list[int] = [ids] if isinstance(ids, int) else list(ids)
    end = len(bench.transcript)
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, int) or not 0 <= one < end:
            raise UsageProblem(f"there is no message {one!r}; the transcript has 0 to {end - 1}")
    return listed


def carried_out(bench: Bench, how: str, ids: list[int]) -> tuple[int, ...]:
    """Pin, unpin or restore whole groups; returns their ids."""
    with bench.lock:
        bench.next.forget()
        projection = bench.next.projection()
        messages = bench.transcript.stored
        try:
            whole = projection.unpin(ids) if how == "unpin" else projection.pin(messages, ids)
            bench.note("pin", how=how, ids=ranges({*ids, *whole}), stored=len(messages))
        except BaseException:
            bench.next.reset()
            raise
        return tuple(whole)
