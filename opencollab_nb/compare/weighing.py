"""What messages weighed at each call of a transcript, corrected by what the provider reported until then."""

from __future__ import annotations

from dataclasses import dataclass

from opencollab_nb.compare.subject import Call, Subject
from opencollab_nb.messages import Messages
from opencollab_nb.pressure import ContextPressure, Pressure, window_of
from opencollab_nb.pressure.limits import TARGET_RATIO
from opencollab_nb.tokens.exact import encoding_for
from opencollab_nb.tokens.weights import Weights


@dataclass(frozen=True)
class Weighing:
    """The weights at each call, one list for all chains: none of them changes what was reported."""

    window: int | None
    """In tokens; None where it is not known."""
    at: tuple[tuple[Weights, int, str], ...]
    """For each call: the weights, the tokens that are in no message, and where the numbers come from."""

    def pressure(self, n: int, target_ratio: float | None = None) -> Pressure:
        """The pressure of the n-th call, from 0."""
        weights, overhead_tokens, _ = self.at[n]
        return Pressure.of(
            self.window,
            weigh=weights,
            overhead_tokens=overhead_tokens,
            target_ratio=target_ratio or TARGET_RATIO,
        )


def weighing_of(
    subject: Subject, *, window: int | None = None, model: str | None = None, unseen_tokens: int | None = None
) -> Weighing:
    """Weigh as a live run does: by the reports for all calls before.

    The reports are those for what the original agent sent. They teach what a message weighs, whichever
    chain it is sent by.

    Args:
        subject: the transcript.
        window: in tokens; None for that of the transcript, or of the model.
        model: whose tokens to count; None for those of the transcript's model. Where its encoding is not
            known they are estimated.
        unseen_tokens: of every request, in nothing that is known; None for the transcript's own figure.

    Raises:
        UsageProblem: (a ValueError) a window under 1,024 tokens.
    """
    window = window or (window_of(model) if model else subject.window or window_of(subject.model))
    unseen = subject.constant_tokens or 0 if unseen_tokens is None else unseen_tokens
    counted = model or subject.measured_as or _known(subject.model)
    gauge = ContextPressure(window, model=counted, tools=subject.tools, unseen_tokens=unseen)
    # Where tokens can be counted, reports of another model's tokenizer teach nothing.
    taught = model is None or model == subject.model or not gauge.encoder.exact
    told, short = [], None
    for call in subject.calls:
        if taught and call.calibration is not None:
            gauge.restore(call.calibration)
        now = gauge.snapshot()
        known = (now.weigh, now.overhead_tokens, gauge.source)
        told.append(known if short is None or gauge.observed else short)
        if taught and call.calibration is None and call.usage is not None:
            refused = gauge.observe(subject.sent(call), call.usage)
            if not (refused or gauge.observed):
                short = _of_short(now, subject.sent(call), call.usage.input_tokens)
    return Weighing(window, tuple(told))


def _known(model: str | None) -> str | None:
    """The model, if its tokens can be counted."""
    return model if model and encoding_for(model).exact else None


def _of_short(pressure: Pressure, sent: Messages, reported_tokens: int) -> tuple[Weights, int, str] | None:
    """What the report for a short request tells: little of what text weighs, but all that was in it.

    What is more than its messages weigh stands in none of them; where it is less, they weigh less.
    """
    weighed = pressure.weight(sent)
    if not weighed or reported_tokens <= 0:
        return None
    if reported_tokens >= weighed:
        return pressure.weigh, reported_tokens - weighed, "calibrated"
    return pressure.weigh.scaled(reported_tokens / weighed * pressure.weigh.ratio), 0, "calibrated"


def reply_tokens(call: Call, weights: Weights) -> int:
    """Output of a call: as reported, else what its reply weighs."""
    if call.usage is not None and call.usage.output_tokens:
        return call.usage.output_tokens
    return 0 if call.reply is None else weights(call.reply)
