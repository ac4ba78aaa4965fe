"""One step of one member after the other, in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass

from opencollab_nb.session import Step
from opencollab_nb.session.ends import DONE, PAUSED, READY
from opencollab_nb.team.acts import answer_known
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.delivery import wake, why_it_cannot_go_on
from opencollab_nb.team.ending import settle, wake_someone
from opencollab_nb.team.member import Member
from opencollab_nb.team.outcome import FAILED, FINISHED, RAN_OUT, STOPPED


@dataclass(frozen=True)
class TeamStep:
    """One step of one member, or why nobody made one.

    >>> TeamStep(None, None, "done")
    TeamStep(done)
    """

    member: str | None
    step: Step | None
    state: str
    """The team's state after it."""

    def __repr__(self) -> str:
        made = "" if self.member is None else f"{self.member}: {self.step!r}, "
        return f"TeamStep({made}{self.state})"


def next_member(crew: Crew) -> Member | None:
    """Whose turn it is: the first at work after the one that made the last step, in the order they came."""
    names = list(crew.members)
    last = names.index(crew.turn) + 1 if crew.turn in names else 0
    for name in (*names[last:], *names[:last]):
        if crew.at_work(crew.members[name]):
            return crew.members[name]
    return None


def take_turn(crew: Crew) -> TeamStep:
    """Make one step of one member, in this thread; an end is handed on before it returns."""
    settle(crew)
    member = next_member(crew)
    if member is None and wake_someone(crew):
        member = next_member(crew)
    if member is None or member.session is None:
        return TeamStep(None, None, state_of(crew))
    ready(crew, member)
    crew.turn = member.name
    try:
        run = member.session.start(1)
        run.wait()
    except KeyboardInterrupt:
        if member.busy:  # the interrupt came before anybody waited
            member.session.stop()
        raise
    settle(crew)
    tell(crew)
    step = run.last or Step(member.steps + 1, state=member.session.state, detail=member.session.detail)
    return TeamStep(member.name, step, state_of(crew))


def take_up(crew: Crew) -> None:
    """Let those try again that nobody can wake: the user calls on them by going on."""
    with crew.lock:
        for member in crew.members.values():
            tries = member.parent is None and member.ended in (FAILED, STOPPED, RAN_OUT)
            if tries and why_it_cannot_go_on(crew, member) is None:
                wake(crew, member)


def tell(crew: Crew) -> None:
    """Hand out what happened, the team's events and its members'; never called under a lock."""
    crew.log.tell()
    for member in list(crew.members.values()):
        if member.session is not None:
            member.bench.tell()


def ready(crew: Crew, member: Member) -> None:
    """Put right what a step that was cut off has left."""
    with member.bench.lock:
        answer_known(crew, member)


def state_of(crew: Crew) -> str:
    """How the team stands, at rest: as its entry has ended, once nobody is at work any more.

    What was stopped by a limit is never shown as done.
    """
    members = list(crew.members.values())
    entry = crew.entry
    if entry.session is None or not any(member.steps or member.ended for member in members):
        return READY
    if entry.ended is None or any(crew.at_work(member) for member in members):
        return PAUSED
    return DONE if entry.ended == FINISHED else entry.session.state


def detail_of(crew: Crew) -> str:
    """The state in one sentence, where there is more to say."""
    ends = (RAN_OUT, FAILED, STOPPED)
    return "; ".join(
        f"{member.name} {member.ended}" for member in crew.members.values() if member.ended in ends
    )
