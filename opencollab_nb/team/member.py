"""A member of a team: a role, a session once it has something to do, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.session import Session
from opencollab_nb.team.outcome import AT_WORK, WAITING, last_said, standing_of
from opencollab_nb.team.roster import Role


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
        """`never acted`, `at work`, `waiting`, or how it has ended."""
        standing = self.ended or standing_of(self.session)
        return WAITING if standing == AT_WORK and self.waiting else standing

    @property
    def text(self) -> str:
        """What it said last."""
        return last_said(self.session)
