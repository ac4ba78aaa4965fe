"""What came of a session, in one word that tells apart who never acted, who finished and who ran out."""

from __future__ import annotations

from typing import Any

from opencollab_nb.messages import text_of
from opencollab_nb.session.ends import (
    BUDGET,
    BY_USER,
    DONE,
    FAULT,
    IN_FLIGHT,
    INTERRUPTED,
    OVERFLOW,
    RECORDING,
    STEP_LIMIT,
    stopped,
)

NEVER_ACTED, FINISHED, RAN_OUT = "never acted", "finished", "ran out"
STOPPED, FAILED = "stopped", "failed"
OUTCOMES = (NEVER_ACTED, FINISHED, RAN_OUT, STOPPED, FAILED)
AT_WORK, WAITING = "at work", "waiting"
"""Of a member that has not come to an end."""
GOES_ON = (stopped(BY_USER), stopped(INTERRUPTED))
"""States in which nothing but the user's word is missing."""
_BY_STATE = {
    DONE: FINISHED,
    stopped(BUDGET): RAN_OUT,
    stopped(STEP_LIMIT): RAN_OUT,
    stopped(RECORDING): RAN_OUT,
    stopped(OVERFLOW): FAILED,
    stopped(FAULT): FAILED,
}


def end_of(session: Any) -> str | None:
    """How a session at rest has come to an end by itself; None where it can simply go on.

    One that has finished has, also where its state tells of something that came after. Its steps can run
    out like its tokens: `session.detail` says which. One that its window does not hold any more has failed.
    """
    if session._bench.finished:  # noqa: SLF001 - a team is the session's next of kin
        return FINISHED
    state = session.state
    if state in _BY_STATE:
        return _BY_STATE[state]
    return STOPPED if state.startswith("stopped") and state not in GOES_ON else None


def standing_of(session: Any) -> str:
    """`never acted`, `stopped` or `at work`: of a session that has not come to an end by itself.

    One that is at rest and was never stopped, before its first reply, never acted.
    """
    if session is None:
        return NEVER_ACTED
    if session.state in GOES_ON:
        return STOPPED
    return AT_WORK if session.state in IN_FLIGHT or session.trace.last("reply") else NEVER_ACTED


def outcome_of(session: Any) -> str:
    """One of `OUTCOMES`: what came of a session that is asked for nothing more.

    One whose tokens ran out before its first step has run out, it did not just never act.
    """
    ended = None if session is None else end_of(session)
    standing = standing_of(session)
    return ended or (STOPPED if standing == AT_WORK else standing)


def last_said(session: Any) -> str:
    """The newest text of an agent: its answer, or as far as it came; empty where it said nothing."""
    stored = [] if session is None else session.transcript.stored
    said = (text_of(message).strip() for message in reversed(stored) if message.get("role") == "assistant")
    return next(filter(None, said), "")
