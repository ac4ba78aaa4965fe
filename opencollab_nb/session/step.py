"""One step: transcript → projection → request → model → tools → transcript."""

from __future__ import annotations

from dataclasses import dataclass

from opencollab_nb.messages import Message, call_name, meta_of, text_of, tool_calls_of
from opencollab_nb.request import Request
from opencollab_nb.session.accounts import one_line
from opencollab_nb.session.answers import answer_all
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.ends import DONE, FAULT, RECORDING, RUNNING, STEP_LIMIT, Ended
from opencollab_nb.session.send import Sending, Sent
from opencollab_nb.session.unfinished import Made, handed_back, left_open
from opencollab_nb.session.well_formed import well_formed
from opencollab_nb.ticket import Ticket, holding
from opencollab_nb.tokens.usage import Usage


@dataclass(frozen=True)
class Step:
    """One step, as it was committed, or why there was none.

    >>> Step(3, state="stopped(budget)", detail="5,000 of 5,000 budgeted tokens spent")
    Step(3, stopped(budget): 5,000 of 5,000 budgeted tokens spent)
    """

    number: int
    request: Request | None = None
    """As sent; None where no request was allowed."""
    reply: Message | None = None
    """The assistant message, as stored."""
    results: tuple[Message, ...] = ()
    """The results of its calls, as stored, in order."""
    usage: Usage | None = None
    """As booked."""
    finish_reason: str | None = None
    state: str = RUNNING
    """The session's state after it; `running` inside a longer run."""
    detail: str = ""

    def __repr__(self) -> str:
        if self.reply is None:
            return f"Step({self.number}, {self.state}: {self.detail})"
        calls = ", ".join(call_name(call) for call in tool_calls_of(self.reply))
        return f"Step({self.number}, {calls or one_line(text_of(self.reply), 60)!r})"

    @property
    def text(self) -> str:
        """What the agent said."""
        return text_of(self.reply) if self.reply else ""


@dataclass(frozen=True)
class Kept:
    """A reply that is in the transcript."""

    sent: Sent
    reply: Message
    usage: Usage
    results: tuple[Message, ...] = ()


def take_step(bench: Bench, ticket: Ticket) -> Step:
    """Make one step, in this thread.

    Raises:
        Ended: a limit, or a refusal that cannot be helped.
        StepCancelled: the ticket was cancelled; what was not committed is as if it had not been made.
    """
    ticket.listener = lambda text: heard(bench, ticket, text)
    with holding(ticket):
        bench.snapshots.begin(ticket)
        former = left_open(bench)
        if former is not None:
            return committed(bench, ticket, former)
        return committed(
            bench, ticket, made(answered(bench, ticket, kept(bench, ticket, sent(bench, ticket))))
        )


def heard(bench: Bench, ticket: Ticket, text: str) -> None:
    """What a model tells while it is waited for: an attempt that failed, and what is tried now."""
    with bench.lock:
        ticket.check()
        bench.note("fault", where="model", error="ModelUnavailable", message=one_line(text, 800))
    bench.tell()


def sent(bench: Bench, ticket: Ticket) -> Sent:
    """The next request and the reply to it."""
    with bench.lock:
        ticket.check()
        check_limits(bench)
        bench.settle()
    return Sending(bench, ticket).send(bench.next.take(ticket))


def kept(bench: Bench, ticket: Ticket, sent: Sent) -> Kept:
    """The reply in the transcript, its usage booked, before any of its tools runs."""
    reply = sent.reply
    message = well_formed(reply.message)
    with bench.lock:
        ticket.check()
        usage = book(bench, sent)
        stored = bench.keep(with_output(message, reply.usage), "reply")
        bench.note(
            "reply",
            message_id=stored["meta"]["id"],
            finish_reason=str(reply.finish_reason or ""),
            seconds=round(sent.seconds, 4),
            calls=[one_line(call_name(call)) for call in tool_calls_of(stored)],
            text=one_line(text_of(stored)),
            model=None if reply.model is None else one_line(reply.model),
        )
        for text in reply.notices:
            bench.notice(text)
    bench.tell()
    return Kept(sent, stored, usage)


def with_output(message: Message, reported: Usage | None) -> Message:
    """The reply with its reported output in `meta`: encrypted reasoning weighs no more than that.

    >>> with_output({"content": "hi"}, Usage(900, output_tokens=40))
    {'content': 'hi', 'meta': {'output_tokens': 40}}
    """
    if reported is None or reported.output_tokens <= 0:
        return message
    return {**message, "meta": {**meta_of(message), "output_tokens": reported.output_tokens}}


def answered(bench: Bench, ticket: Ticket, kept: Kept) -> Kept:
    """The results of the reply's calls in the transcript."""
    results = answer_all(bench, kept.reply, ticket)
    return Kept(kept.sent, kept.reply, kept.usage, tuple(results))


def made(kept: Kept) -> Made:
    """The step as far as it is on the disk."""
    sent = kept.sent
    request, reason = sent.prepared.request, sent.reply.finish_reason
    return Made(kept.reply, kept.results, reason, request, kept.usage)


def committed(bench: Bench, ticket: Ticket, made: Made) -> Step:
    """The finished step, marked as such, and whether the agent has handed back."""
    bench.snapshots.keep(bench.number, ticket)
    with bench.lock:
        ticket.check()
        number = bench.number
        state, detail = RUNNING, ""
        said = recorded_turn(bench, number)
        if not said and not tool_calls_of(made.reply) and bench.transcript.stored[-1] is made.reply:
            state, detail, note = handed_back(bench.transcript.stored[-2:-1], made.reply, made.finish_reason)
            if note:
                bench.keep({"role": "user", "content": note}, "note")
        bench.transcript.commit(number)
        sealed = (bench.trace.last("commit") or {}).get("stored", 0)
        digest = bench.transcript.digest(sealed)
        bench.note("commit", step=number, stored=len(bench.transcript), digest=digest)
        bench.finished = state == DONE
    bench.tell()
    if state not in (RUNNING, DONE):
        raise Ended(FAULT, detail)
    return Step(number, made.request, made.reply, made.results, made.usage, made.finish_reason, state, detail)


def recorded_turn(bench: Bench, number: int) -> bool:
    """Where the model is a recording that goes on: what its user said after this step is said again."""
    said_after = getattr(bench.model, "said_after", None)
    said = None if said_after is None else said_after(number)
    if said and meta_of(bench.transcript.stored[-1]).get("source") in ("reply", "tool"):
        for message in said:
            bench.keep(message, "user")
    return said is not None


def check_limits(bench: Bench) -> None:
    """Refuse a step over the step limit or the token budget, or past the end of a recording.

    Raises:
        Ended: one is reached.
    """
    if bench.max_steps is not None and bench.transcript.committed >= bench.max_steps:
        raise Ended(STEP_LIMIT, f"{bench.transcript.committed:,} of {bench.max_steps:,} steps made")
    recorded = getattr(bench.model, "ends_after", None)
    if isinstance(recorded, int) and bench.transcript.committed >= recorded:
        raise Ended(RECORDING, f"the recording ends after {recorded:,} replies; give another model to go on")
    bench.check_budget()


def book(bench: Bench, sent: Sent) -> Usage:
    """The usage of the call, reported or estimated, booked; the weights learn from a report."""
    prepared, usage = sent.prepared, sent.reply.usage
    reported = usage is not None and usage.input_tokens > 0
    if usage is None or not reported:
        output = bench.pressure.snapshot().weight([sent.reply.message])
        usage = Usage(prepared.tokens, 0, usage.output_tokens if usage and usage.output_tokens else output)
    else:
        refused = bench.pressure.observe(prepared.request, usage)
        if refused:
            bench.notice(refused, weights_changed=True)
    bench.book("step", usage, reported=reported)
    return usage
