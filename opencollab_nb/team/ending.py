"""What happens when a member has come to an end: what it leaves goes to whom it worked for."""

from __future__ import annotations

from opencollab_nb.session import Session
from opencollab_nb.session.ends import BUDGET, stopped
from opencollab_nb.team.beginning import begin_anew, not_begun
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.delivery import route
from opencollab_nb.team.mail import MOST_CHARS, TEAM
from opencollab_nb.team.member import Member
from opencollab_nb.team.outcome import FAILED, FINISHED, end_of

NOBODY_LEFT = "Nobody else is at work any more. Go on with what there is, or finish."


def settle(crew: Crew) -> bool:
    """Look at every member at rest; hand on what those leave that have ended, each end once.

    Returns:
        True where one had ended.
    """
    found = False
    with crew.lock:
        for member in list(crew.members.values()):
            if member.session is None and member.task and member.ended is None:
                begun_late(crew, member)
            if member.session is None or member.ended is not None or member.busy:
                continue
            outcome = end_of(member.session)
            if outcome != FINISHED and member.seen is member.session.run_handle:
                continue
            if outcome is not None and not crew.mail.waiting(member.name):
                end(crew, member, outcome)
                found = True
    return found


def begun_late(crew: Crew, member: Member) -> None:
    """Make the session of a member whose beginning was cut off; its parent is told where that fails."""
    try:
        begin_anew(crew, member)
    except Exception as problem:  # noqa: BLE001 - a member that cannot begin ends alone
        not_begun(crew, member, problem)
        if member.parent is not None:
            text = f"It could not be started: {type(problem).__name__}: {problem}"
            route(crew, crew.mail.send(member.name, member.parent, text, about="result", outcome=FAILED))


def end(crew: Crew, member: Member, outcome: str) -> None:
    """Take back what a member of a dynamic team has not spent, and send what it leaves to its parent."""
    session = member.session
    assert session is not None
    member.ended, member.waiting = outcome, False
    end_account(crew, member)
    if member.parent is not None:
        text = result_text(member, session, outcome)
        letter = crew.mail.send(
            member.name, member.parent, text, step=member.steps, about="result", outcome=outcome
        )
        route(crew, letter)
    crew.log.note("end", step=member.steps, member=member.name, outcome=outcome, detail=session.detail)


def end_account(crew: Crew, member: Member) -> None:
    """An allowance that was given at a spawn goes back; a seat's own stays its own."""
    if crew.spec.declared:
        crew.ledger.end(member.name)
    else:
        crew.ledger.close(member.name)


def result_text(member: Member, session: Session, outcome: str) -> str:
    """What the parent reads: how it ended and what it said last, marked as partial where it is."""
    made = f"{session.steps:,} steps, {session.spent_tokens:,} tokens"
    said = member.text or "(It said nothing.)"
    if len(said) > MOST_CHARS:
        said = f"{said[:MOST_CHARS]}\n[{len(said) - MOST_CHARS:,} more characters are left out]"
    if outcome == FINISHED:
        return f"({made})\n{said}"
    why = session.detail or session.state
    if session.state == stopped(BUDGET):
        why = "its tokens are spent"
    if outcome == FAILED:
        why = f"it failed: {session.detail}"
    return f"({made}; {why}.) The task is not finished. What it said last:\n{said}"


def wake_someone(crew: Crew) -> bool:
    """Where nobody is at work and someone waits all the same: tell the first of them so."""
    with crew.lock:
        if any(crew.at_work(member) or member.busy for member in crew.members.values()):
            return False
        for member in crew.members.values():
            if member.session is not None and member.waiting and member.ended is None:
                route(crew, crew.mail.send(TEAM, member.name, NOBODY_LEFT, about="note"))
                return True
    return False
