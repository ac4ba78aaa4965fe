"""Bringing messages to their receivers at step boundaries; one that had ended is woken by what comes in."""

from __future__ import annotations

from functools import partial

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.orders import say
from opencollab_nb.team import allocation
from opencollab_nb.team.beginning import begin
from opencollab_nb.team.books import Refusal
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.mail import NUMBER, TEAM, USER, Letter
from opencollab_nb.team.member import Member
from opencollab_nb.team.outcome import FINISHED


def route(crew: Crew, letter: Letter) -> None:
    """See to it that a message reaches its receiver: now, or at the end of the step in flight.

    A seat that had nothing to do begins with it. One that cannot go on does not get it.
    """
    with crew.lock:
        member = crew.members[letter.to]
        if member.session is None:
            parent = letter.sender if letter.sender not in (USER, TEAM) else None
            begin(crew, member, letter.text, parent=parent, message=letter.number)
            return
        if member.ended is not None:
            if why_it_cannot_go_on(crew, member) is not None:
                return
            wake(crew, member)
        fetch(crew, member)


def said(crew: Crew, text: str, to: str | None) -> Letter:
    """A message of the user to a member, the entry if no other is named; see `Team.say`."""
    if not isinstance(text, str) or not text.strip():
        raise UsageProblem("say() needs some text")
    with crew.lock:
        member = crew.entry if to is None else crew.member(to)
        refusal = why_it_cannot_go_on(crew, member)
        if refusal is not None:
            raise UsageProblem(f"{member.name} cannot act on it: {refusal}")
        letter = crew.mail.send(USER, member.name, text)
        route(crew, letter)
    return letter


def fetch(crew: Crew, member: Member) -> None:
    """Put what waits for a member into its transcript at its next step boundary.

    Like an order of the user; subscribers hear of it later, as the crew's lock may be held here.

    Raises:
        UsageProblem: its session is closed.
    """
    bench = member.bench
    with bench.lock:
        bench.check_open()
        if bench.ticket is None:
            deliver(crew, member)
        else:
            bench.waiting.append((partial(deliver, crew, member), None))


def deliver(crew: Crew, member: Member) -> None:
    """Put what waits for a member into its transcript now; called under its session's lock."""
    from opencollab_nb.team.acts import answer_known

    for letter in crew.mail.waiting(member.name):
        answer_known(crew, member)
        source = "user" if letter.sender == USER else "message"
        say(member.bench, letter.as_text, source=source, **{NUMBER: letter.number})
        own = member.bench.transcript.stored[-1]["meta"]["id"]
        crew.mail.delivered(letter)
        member.waiting = False
        crew.log.note("delivery", step=member.steps, member=member.name, number=letter.number, message_id=own)


def wake(crew: Crew, member: Member) -> None:
    """Let a member that had ended go on, with what it had given back of its allowance."""
    if not crew.ledger.books[member.name].open:
        crew.ledger.grant(member.name)
    member.ended = None
    member.seen = None if member.session is None else member.session.run_handle


def why_it_cannot_go_on(crew: Crew, member: Member) -> str | None:
    """Why a member that has ended could make no further step; None where it could, or has not ended."""
    session = member.session
    if member.ended is None:
        return None
    if session is None:
        return "it could not be started"
    if session.max_steps is not None and session.steps >= session.max_steps:
        return f"it has made all of its {session.max_steps:,} steps"
    ledger = crew.ledger
    if ledger.books[member.name].open:
        refusal = allocation.admit(ledger.rule, ledger.books, member.name)
        return None if refusal is None else refusal.text
    outcome = allocation.grant(ledger.rule, ledger.books, member.name)
    if isinstance(outcome, Refusal):
        spent = ledger.books[member.name]
        return outcome.text if member.ended == FINISHED else f"it has spent its {spent.cap:,} tokens"
    return None
