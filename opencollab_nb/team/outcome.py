"""What came of a member, in one word that tells apart who never acted, who finished and who ran out."""

from __future__ import annotations

from typing import Any

from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.session.ends import BUDGET, DONE, FAULT, OVERFLOW, STEP_LIMIT, stopped

NEVER, FINISHED, RAN_OUT, STOPPED, FAILED = "never acted", "finished", "ran out", "stopped", "failed"
OUTCOMES = (NEVER, FINISHED, RAN_OUT, STOPPED, FAILED)
_BY_STATE = {
    DONE: FINISHED,
    stopped(BUDGET): RAN_OUT,
    stopped(STEP_LIMIT): RAN_OUT,
    stopped(OVERFLOW): FAILED,
    stopped(FAULT): FAILED,
}


def outcome_of(session: Any) -> str:
    """One of `OUTCOMES`: what came of a session so far; one at work, paused or ended by hand is `stopped`.

    A session whose tokens ran out before its first step has run out, it did not just never act.
    """
    if session is None:
        return NEVER
    known = _BY_STATE.get(session.state)
    if known is None:
        return STOPPED if session.steps else NEVER
    return known


def last_said(session: Any) -> str:
    """The newest text of the agent: its answer, or as far as it came; empty where it said nothing."""
    for message in reversed(session.transcript.stored):
        if message.get("role") == "assistant" and (text := text_of(message).strip()):
            return text if not tool_calls_of(message) else f"[unfinished] {text}"
    return ""
