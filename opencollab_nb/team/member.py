"""A member of a team: a role, a session once it has something to do, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.messages import text_of
from opencollab_nb.session import Session
from opencollab_nb.session.ends import BUDGET, FAULT, IN_FLIGHT, INTERRUPTED, stopped
from opencollab_nb.session.ends import BY_USER as BY_USER
from opencollab_nb.team.roster import Role

FINISHED, RAN_OUT, STOPPED, FAILED = "finished", "ran out", "stopped", "failed"
NEVER_ACTED, AT_WORK, WAITING = "never acted", "at work", "waiting"
GOES_ON = (stopped(BY_USER), stopped(INTERRUPTED))
"""States in which nothing but the user's word is missing."""


@dataclass
class Member:
    """One member. `session` is None for a seat that was never given anything to do."""

    name: str
    role: Role
    session: Session | None = None
    parent: str | None = None
    """Who gets its result; None for the entry."""
    task: str = ""
    """What it was last given to do."""
    waiting: bool = False
    """True from its call of `wait` until something comes in."""
    ended: str | None = None
    """How it came to an end: `finished`, `ran out`, `stopped` or `failed`; None while it can go on."""
    seen: object = field(default_factory=object, repr=False)
    """The run whose end is known: what a member that was woken has left of it is no new end."""
    workspace: Any = field(default=None, repr=False)
    """Its own view of the team's folder."""

    @property
    def bench(self) -> Any:
        """The parts of its session."""
        assert self.session is not None
        return self.session._bench  # noqa: SLF001 - a team is the session's next of kin

    @property
    def busy(self) -> bool:
        """True while a step of it may be made."""
        return self.session is not None and bool(self.bench.busy)

    @property
    def steps(self) -> int:
        """Finished steps."""
        return 0 if self.session is None else int(self.session.steps)

    @property
    def outcome(self) -> str:
        """`never acted`, `at work`, `waiting`, or how it has ended.

        A member that was begun and stopped before its first reply never acted, unless a limit stopped it.
        """
        if self.ended is not None:
            return self.ended
        if self.session is None:
            return NEVER_ACTED
        if self.session.state in GOES_ON:
            return STOPPED
        if not self.session.trace.last("reply") and self.session.state not in IN_FLIGHT:
            return NEVER_ACTED
        return WAITING if self.waiting else AT_WORK

    @property
    def text(self) -> str:
        """What it said last."""
        stored = [] if self.session is None else self.session.transcript.stored
        said = (text_of(message) for message in reversed(stored) if message.get("role") == "assistant")
        return next((text for text in said if text.strip()), "")


def end_of(session: Session) -> str | None:
    """How a session at rest has come to an end by itself; None where it can simply go on."""
    bench = session._bench  # noqa: SLF001 - as above
    if bench.finished:
        return FINISHED
    state = session.state
    if state == stopped(BUDGET):
        return RAN_OUT
    if state == stopped(FAULT):
        return FAILED
    return STOPPED if state.startswith("stopped") and state not in GOES_ON else None
