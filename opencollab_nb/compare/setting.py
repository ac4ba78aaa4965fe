"""What a run was shaped under at a step: its messages, weights, limits and pins, read without touching it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from opencollab_nb.compare.subject import Call, Subject, numbered, of_transcript
from opencollab_nb.compare.weighing import Weighing, weighing_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, each, meta_of
from opencollab_nb.pressure import ContextPressure, Pressure
from opencollab_nb.pressure.limits import TARGET_RATIO
from opencollab_nb.session import Session
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.booked import with_summarizer
from opencollab_nb.session.history import Event
from opencollab_nb.session.next_request import beside
from opencollab_nb.session.orders import Chosen, check_mode, check_target, choose, summarizer_for
from opencollab_nb.session.tail import tail_of
from opencollab_nb.shaping import Projection, ShaperPipeline
from opencollab_nb.transcript import Transcript


class Trial(NamedTuple):
    """A chain to try, and how."""

    chain: ShaperPipeline
    mode: str
    target_ratio: float | None = None
    """None for that of the run."""

    def projection(self) -> Projection:
        """A projection of its own, which shares nothing with a run."""
        return Projection(self.chain, self.mode)


@dataclass(frozen=True)
class Setting:
    """One moment of a transcript, ready to be projected."""

    messages: Messages
    pressure: Pressure
    before: Messages
    """What was sent, or would be if no layer acted; of a chain just swapped in, what it would send."""
    pinned: frozenset[int] = frozenset()
    """Ids pinned by hand."""
    step: int | None = None
    tokens: int | None = None
    """Of what was sent, as it was known then; None to weigh it."""
    source: str = "estimated"
    """Where the weights come from: `counted`, `calibrated` or `estimated`."""
    late_tokens: int = 0
    """Of a restatement that a request ends with since layers acted."""
    calls: tuple[Subject, Weighing] | None = None
    """Of a transcript, the calls up to this moment and what messages weighed at each."""


def trial(source: Any, shapers: Sequence[Any], mode: str | None, target_ratio: float | None = None) -> Trial:
    """The chain to try.

    Without shapers it is the chain of the session, its summarizers left out: no model is asked that
    was not given.

    Raises:
        UsageProblem: (a ValueError) something that is no shaper, or no known policy, mode or target.
    """
    if target_ratio is not None:
        check_target(target_ratio)
    if shapers:
        chosen = choose(shapers)
        summarizer = summarizer_for(chosen, None)
        chosen = chosen._replace(chain=with_summarizer(chosen.chain, summarizer, only_empty=True))
    elif isinstance(source, Session):
        chosen = Chosen(with_summarizer(source.chain, None), mode=source.mode)
    else:
        raise UsageProblem("give the chain to try: shapers, or the name of a policy such as 'default'")
    mode = mode or chosen.mode or (source.mode if isinstance(source, Session) else "sticky")
    check_mode(mode)
    return Trial(chosen.chain, mode, target_ratio or chosen.target_ratio)


def setting_of(
    source: Any,
    step: int | None,
    pressure: Pressure | None,
    target_ratio: float | None = None,
    window: int | None = None,
) -> Setting:
    """The transcript of a run now, or as it was when the request of a step was made.

    Args:
        source: a session, a transcript, or a list of messages.
        step: of the session, or the number of a model call of the transcript; None for now.
        pressure: instead of the one in force.
        target_ratio: instead of the one in force, where no pressure is given.
        window: in tokens, instead of that of a transcript or its model.

    Raises:
        UsageProblem: (a ValueError) no request was sent at this step, or this is no transcript.
    """
    if isinstance(source, Session):
        bench = source._bench  # noqa: SLF001 - a view of it that changes nothing
        if step is None:
            return _now(bench, pressure, target_ratio)
        return _then(bench, step, pressure, target_ratio)
    if isinstance(source, Transcript):
        return _at_call(until(source, step), pressure, target_ratio, window)
    if step is not None:
        raise UsageProblem(
            "step= needs a session or a transcript; of a list of messages give the beginning that you mean"
        )
    if isinstance(source, str) or not isinstance(source, Sequence):
        raise UsageProblem(f"{source!r:.80} is neither a session nor a transcript nor a list of messages")
    messages = numbered(source)
    guess = pressure or Pressure.of(window, target_ratio=target_ratio or TARGET_RATIO)
    return Setting(messages, guess, messages)


def until(transcript: Transcript, step: int | None) -> Subject:
    """A transcript with its model calls up to one of them.

    Args:
        transcript: loaded, or of a run.
        step: the number of the call, from 1 on; None for one that would be made now, as the agent did.

    Raises:
        UsageProblem: it tells of no such call.
    """
    subject = of_transcript(transcript)
    calls = subject.calls
    if step is None:
        view = None
        if calls:
            view = [*subject.sent(calls[-1]), *subject.messages[calls[-1].stored :]]
        return replace(subject, calls=(*calls, Call(len(calls) + 1, len(subject.messages), view=view)))
    if isinstance(step, bool) or not isinstance(step, int) or not 1 <= step <= len(calls):
        known = f"its model calls are 1 to {len(calls)}" if calls else "it holds no reply of a model"
        raise UsageProblem(f"there is no step {step!r} in {subject.name!r}: {known}")
    return replace(subject, calls=calls[:step])


def _at_call(
    subject: Subject, pressure: Pressure | None, target_ratio: float | None, window: int | None
) -> Setting:
    """The last call of a transcript, with what the reports for all calls before have taught."""
    call = subject.calls[-1]
    weighing = weighing_of(subject, window=window)
    weighed = pressure or weighing.pressure(-1, target_ratio)
    own = call.reply is not None or call.usage is not None
    return Setting(
        subject.messages[: call.stored],
        weighed,
        subject.sent(call),
        step=call.step if own else None,
        source=weighing.at[-1][2],
        calls=(subject, weighing),
    )


def _then(bench: Bench, step: int, pressure: Pressure | None, target_ratio: float | None) -> Setting:
    history = bench.history
    event = history.sent_at(step)
    weights = Calibrations(bench)
    return Setting(
        bench.transcript.stored[: event["stored"]],
        pressure or weights.at(event, target_ratio),
        history.view(event),
        history.pinned(event["n"]),
        event["step"],
        event["tokens"] if pressure is None else None,
        late_tokens=weights.late_tokens(event) if pressure is None else 0,
    )


def _now(bench: Bench, pressure: Pressure | None, target_ratio: float | None) -> Setting:
    history = bench.history
    with bench.lock:
        messages, asked = list(bench.transcript.stored), history.requests()
        pinned, weights = history.pinned(len(bench.trace.stored) - 1), copy.copy(bench.pressure)
        own = Trial(with_summarizer(bench.chain, None), bench.mode).projection()
    before, stored = (history.view(asked[-1]), asked[-1]["stored"]) if asked else ([], 0)
    before, tail = [*before, *messages[stored:]], tail_of(bench)
    if asked and history.newest("swap", len(bench.trace.stored))["n"] > asked[-1]["n"]:
        # What the former chain has sent is no view of the one in force, which projects afresh too.
        own.pin(messages, pinned)
        before = own.project(messages, pressure or beside(tail, weights.snapshot())).messages
    weights.target_ratio = target_ratio or weights.target_ratio
    return Setting(messages, pressure or beside(tail, weights.snapshot()), before, pinned)


class Calibrations:
    """The weights and limits that were in force at each request, from the events.

    They share the session's memory of what its messages weigh, and change nothing in it.
    """

    def __init__(self, bench: Bench) -> None:
        self._history = bench.history
        self._pressure: ContextPressure = copy.copy(bench.pressure)

    def at(self, event: Event, target_ratio: float | None = None) -> Pressure:
        """The pressure of a request that was sent, with its own target or another."""
        known = self._history.newest("pressure", event["n"])["pressure"]
        self._pressure.restore(known)
        own = self._history.newest("swap", event["n"])["target_ratio"]
        self._pressure.target_ratio = target_ratio or own
        pressure = self._pressure.snapshot()
        return pressure if made_late(event["tail"]) else beside(event["tail"], pressure)

    def late_tokens(self, event: Event) -> int:
        """Of a tail that came after the layers had acted; `at` was asked before."""
        return self._pressure.snapshot().weight([event["tail"]]) if made_late(event["tail"]) else 0


def made_late(tail: Message | None) -> bool:
    """True for a tail that was due only since layers had acted: they did not know of it."""
    return tail is not None and meta_of(tail).get("reason") == "compaction"


def replay_pins(projection: Projection, events: Sequence[Event], messages: Messages) -> None:
    """Pin and unpin as the user did."""
    for event in events:
        ids = list(each(event["ids"]))
        if event["how"] == "unpin":
            projection.unpin(ids)
        else:
            projection.pin(messages[: event["stored"]], ids)
