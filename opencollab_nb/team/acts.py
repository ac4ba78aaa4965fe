"""What the tools of a team do; each answers with a text that its agent reads.

An act that was written down before its step was cut off is not done again: the call gets the answer that it
had missed.
"""

from __future__ import annotations

from collections.abc import Iterable

from opencollab_nb.errors import nearest
from opencollab_nb.messages import Message, meta_of, tool_calls_of
from opencollab_nb.team.beginning import begin, spawned
from opencollab_nb.team.books import Refusal
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.delivery import route, why_it_cannot_go_on
from opencollab_nb.team.mail import MOST_CHARS, Letter
from opencollab_nb.team.member import Member
from opencollab_nb.transcript.repair import unanswered

NOBODY = "Nobody else is at work: there is nothing to wait for. Go on, or finish."


def spawn(crew: Crew, own: Member, role: str, task: str) -> str:
    """Give a task to another agent: a new member, or the seat of a declared team."""
    with crew.lock:
        roles = crew.spec.topology.may_spawn(own.role.name)
        if role not in roles:
            return f"Error: you cannot spawn {role!r}{_hint(role, roles)} Roles: {', '.join(roles)}."
        if not task.strip():
            return "Error: the task is empty; say what the agent is to do."
        if len(task) > MOST_CHARS:
            return f"Error: the task has {len(task):,} characters, at most {MOST_CHARS:,} may be given."
        for other in crew.members.values():
            same = other.role.name == role and _words(other.task) == _words(task)
            if same and other.session is not None and other.ended is None:
                return f"{other.name} is at work on this already; its result comes as a message."
        call = call_in_flight(own)
        if not crew.spec.declared:
            new = spawned(crew, crew.spec.role(role))
            if isinstance(new, Refusal):
                return f"Error: no agent was started. {new.text}. Do it yourself, or go on without it."
            begin(crew, new, task, parent=own.name, call=call)
            return told_of_begin(crew, new.name)
        seat = crew.members[role]
        if seat.session is None:
            begin(crew, seat, task, parent=own.name, call=call)
            return told_of_begin(crew, seat.name)
        refusal = why_not_for(crew, own, seat)
        if refusal is not None:
            return f"Error: {refusal}"
        told = _sent(crew, own, seat, task, about="task", call=call)
        if not told.startswith("Error"):
            seat.parent, seat.task = own.name, task
        return told


def why_not_for(crew: Crew, own: Member, seat: Member) -> str | None:
    """Why a seat that has begun cannot be given a task by this member; None where it can.

    A seat has one parent that gets its result. Two that worked for each other would wake each other with
    their results until all tokens are spent.
    """
    above, seen = own.parent, {own.name}
    while above is not None and above not in seen:
        if above == seat.name:
            return f"you work for {above}: what you say last goes to it by itself."
        seen.add(above)
        above = crew.members[above].parent
    if seat.ended is None and seat.parent != own.name:
        return f"{seat.name} is at work for {seat.parent or 'the user'}; try again once it has finished."
    return None


def send(crew: Crew, own: Member, to: str, text: str) -> str:
    """Say something to another member."""
    with crew.lock:
        roles = crew.spec.topology.may_message(own.role.name)
        known = [m.name for m in crew.members.values() if m.role.name in roles and m is not own]
        if to not in known:
            here = f"You can write to: {', '.join(known)}." if known else "There is nobody yet to write to."
            return f"Error: you cannot write to {to!r}{_hint(to, known)} {here}"
        if not text.strip():
            return "Error: the message is empty; say something."
        if len(text) > MOST_CHARS:
            return f"Error: the message has {len(text):,} characters, at most {MOST_CHARS:,} may be sent."
        return _sent(crew, own, crew.members[to], text, about="message", call=call_in_flight(own))


def wait(crew: Crew, own: Member) -> str:
    """Make no further step before something comes in."""
    with crew.lock:
        if crew.mail.waiting(own.name):
            return "Something has come in already; you read it before your next step."
        if not any(crew.at_work(other) for other in crew.members.values() if other is not own):
            return NOBODY
        own.waiting = True
        crew.log.note("wait", step=own.steps + 1, member=own.name)
    if own.session is not None:
        own.session.pause()
    return "You wait; what comes in is the next thing you read."


def answer_known(crew: Crew, member: Member) -> None:
    """Answer calls of a step that was cut off, as far as what they did is written down.

    Called under the session's lock.
    """
    bench = member.bench
    while waiting := unanswered(bench.transcript.stored):
        text = _answer(crew, member, call_in_flight(member))
        if text is None:
            return  # in order: what follows was never begun
        message: Message = {"role": "tool", "tool_call_id": waiting[0], "content": text}
        bench.keep(message, "tool")


def _answer(crew: Crew, member: Member, call: str) -> str | None:
    letter = crew.mail.sent_by(member.name, call)
    if letter is not None:
        return told_of_letter(letter)
    for event in crew.log.trace.of("begin"):
        if event["parent"] == member.name and event["call"] == call:
            return told_of_begin(crew, event["member"])
    return None


def told_of_begin(crew: Crew, name: str) -> str:
    """The answer to a spawn."""
    granted = crew.ledger.books[name].granted
    tokens = "" if granted is None else f" with {granted:,} tokens"
    return f"{name} has started{tokens}. Its result comes as a message: go on, or wait."


def told_of_letter(letter: Letter) -> str:
    """The answer to a message."""
    return f"Message {letter.number} is on its way to {letter.to}."


def _sent(crew: Crew, own: Member, to: Member, text: str, *, about: str, call: str) -> str:
    refusal = why_it_cannot_go_on(crew, to)
    if refusal is not None:
        return f"Error: {to.name} cannot act on it: {refusal}."
    letter = crew.mail.send(own.name, to.name, text, step=own.steps + 1, about=about, call=call)
    route(crew, letter)
    return told_of_letter(letter)


def call_in_flight(own: Member) -> str:
    """Which call is being answered, by the id of its reply and its place there: `17/0`.

    Calls are answered in order. What a model calls them may come again in a later reply.
    """
    stored = own.bench.transcript.stored
    reply = next(m for m in reversed(stored) if m.get("role") == "assistant")
    answered = len(tool_calls_of(reply)) - len(unanswered(stored))
    return f"{meta_of(reply)['id']}/{answered}"


def _hint(name: str, known: Iterable[str]) -> str:
    guess = nearest(name, list(known))
    return f"; did you mean {guess!r}?" if guess else "."


def _words(task: str) -> str:
    return " ".join(task.split())
