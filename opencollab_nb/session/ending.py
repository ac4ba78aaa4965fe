"""What a session leaves at its end: a handoff in its run folder, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.session.ends import BUDGET, DONE, FAULT, stopped

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench
    from opencollab_nb.session.session import Session

WHERE = "the handoff to a next session is in"


def handoff_now(session: Session) -> Any:
    """Write the handoff to a next session as things stand now; returns the `Handoff`.

    At an end it is written by itself: always where the token budget is spent, and at every other end
    of a session that has a budget, a memory or a handoff.

    Raises:
        UsageProblem: the session is closed.
        OSError: the run folder cannot be written to.
    """
    from opencollab_nb.budget.handoff_text import ASKED

    bench = session._bench  # noqa: SLF001 - one of the session's verbs
    with bench.lock:
        bench.check_open()
        handoff = write(bench, ASKED, without_where(bench.detail))
    bench.tell()
    return handoff


def last_handoff(session: Session) -> Any:
    """The handoff that was written last, as a `Handoff`; None where none was."""
    from opencollab_nb.budget.handoff import Handoff

    written = session.trace.last("handoff")
    return None if written is None else Handoff.load(Path(written["path"]))


def made(bench: Bench, reason: str, detail: str) -> Any:
    """The handoff of this moment, from transcript and trace; nothing is written."""
    from opencollab_nb.budget.handoff import Handoff

    start = bench.trace.stored[0]
    former = start.get("handoff")
    return Handoff.of(
        anchors=bench.direction.anchors,
        todos=bench.direction.todos,
        events=bench.trace.stored,
        messages=bench.transcript.stored,
        session=bench.direction.id,
        reason=reason,
        detail=detail,
        steps=bench.transcript.committed,
        spent_tokens=bench.ledger.spent_tokens,
        former=None if former is None else Handoff.from_dict(former),
    )


def write(bench: Bench, reason: str, detail: str) -> Any:
    """The handoff, as `handoff.md` and `handoff.json` in the run folder."""
    handoff = made(bench, reason, detail)
    bench.note("handoff", path=str(handoff.save(bench.path)), reason=reason)
    return handoff


def handed_over(bench: Bench, state: str, detail: str) -> str:
    """Write the handoff where a session ends; returns the detail, with where it is.

    An end must not fail because its handoff cannot be written: that is told as a fault.
    """
    if not leaves_one(bench, state):
        return detail
    try:
        write(bench, state, detail)
    except (OpenCollabError, OSError) as problem:
        bench.fault("handoff", problem)
        return detail
    where = f"{WHERE} {bench.trace.stored[-1]['path']}"
    return f"{detail} ({where})".strip()


def without_where(detail: str) -> str:
    """The detail as it was before `handed_over` said where the handoff is."""
    return detail.partition(f"({WHERE}")[0].rstrip()


def leaves_one(bench: Bench, state: str) -> bool:
    """True for an end at which a handoff is written."""
    if state == stopped(BUDGET):
        return True
    ended = state == DONE or (state.startswith("stopped") and state != stopped(FAULT))
    direction, start = bench.direction, bench.trace.stored[0]
    cares = direction.budget is not None or direction.memory is not None or start.get("handoff") is not None
    return ended and cares


def remembered(bench: Bench, state: str) -> None:
    """Keep in the memory what is worth it of a session that has ended, under the session's id.

    A store may wait for another process, so this is not done under the lock.
    """
    memory, written = bench.direction.memory, bench.trace.last("handoff")
    if memory is None or "memory" not in bench.direction.moves:
        return
    if written is None or written["reason"] != state or not leaves_one(bench, state):
        return
    from opencollab_nb.budget.handoff import Handoff
    from opencollab_nb.budget.memory import memories_of

    try:
        for memory_of_it in memories_of(Handoff.load(Path(written["path"]))):
            memory.remember(**memory_of_it)
    except Exception as problem:  # noqa: BLE001 - a store that is closed, full or locked must not fail an end
        bench.fault("memory", problem)
