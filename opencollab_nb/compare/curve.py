"""What all requests of a run would have weighed under another chain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from opencollab_nb.compare.requests import common, prefix_tokens, requests_of
from opencollab_nb.compare.setting import Calibrations, Trial, replay_pins, trial
from opencollab_nb.compare.subject import first_of_each_step, one_subject
from opencollab_nb.compare.weighing import weighing_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages
from opencollab_nb.session import Session
from opencollab_nb.shaping import LayerReport
from opencollab_nb.tokens.weights import Weights
from opencollab_nb.transcript import Transcript


@dataclass(frozen=True)
class CurvePoint:
    """One request under the other chain."""

    step: int
    tokens: int
    """Input tokens, weighed as at that step."""
    prefix_kept_tokens: int
    """Of the beginning shared with the request before: of a session by the local estimate, of a transcript
    weighed as `tokens`."""
    layers: tuple[str, ...] = ()
    """The layers that acted."""


def pressure_curve(
    source: Any,
    *shapers: Any,
    mode: str = "sticky",
    target_ratio: float | None = None,
    window: int | None = None,
) -> list[CurvePoint]:
    """One point a step so far, by replay: what this chain would have sent from the first step on.

    The transcript is the one the run made: what the agent would have done otherwise, nobody knows.
    Weights, window and pins are those of each step; a request that was refused and sent again counts
    once. Nothing of the run is touched, and no model is asked but a summarizer that is given.
    `stateless` shapes the whole transcript at every step, so its time grows with the square of the run.

    Args:
        source: a session, at work or opened without a model; or a transcript that was loaded, whose steps are
            its model calls, weighed by what was reported for those before.
        shapers: as for `what_if`.
        mode: `sticky` or `stateless`.
        target_ratio: the share of the trigger to work down to; None for that of the chain, else of each step.
        window: in tokens, instead of that of a transcript or its model; a session has its own.

    Raises:
        UsageProblem: (a ValueError) neither session nor transcript, or something that is no chain.

    >>> from opencollab_nb.transcript import Transcript
    >>> said = Transcript()
    >>> for role in ("user", "assistant"):
    ...     _ = said.append({"role": role, "content": "Hello."}, source=role, step=0)
    >>> [point.tokens for point in pressure_curve(said, "default", window=16_000)]
    [6]
    """
    if isinstance(source, Transcript):
        return list(_of_transcript(source, trial(source, shapers, mode, target_ratio), window))
    if not isinstance(source, Session):
        raise UsageProblem(
            f"{source!r:.80} is no session and no transcript; pressure_curve needs the weights of every step"
        )
    if window is not None:
        raise UsageProblem("window= is for transcripts: a session has the one it runs in")
    return list(_of_session(source, trial(source, shapers, mode, target_ratio)))


def _of_session(session: Session, tried: Trial) -> Iterator[CurvePoint]:
    bench = session._bench  # noqa: SLF001 - a view of it that changes nothing
    messages, weights, projection = bench.transcript.messages, Calibrations(bench), tried.projection()
    local, last = Weights(), -1
    before: Messages = []
    for event in first_of_each_step(bench.history.requests()):
        replay_pins(projection, bench.history.pins(last, event["n"]), messages)
        made = projection.project(messages[: event["stored"]], weights.at(event, tried.target_ratio))
        kept = local.total(made.messages[: common(before, made.messages)])
        tokens = made.tokens + weights.late_tokens(event)
        yield CurvePoint(event["step"], tokens, kept, _acted(made.reports))
        before, last = made.messages, event["n"]


def _of_transcript(transcript: Transcript, tried: Trial, window: int | None) -> Iterator[CurvePoint]:
    subject = one_subject(transcript)
    for n, asked in enumerate(requests_of(subject, tried, weighing_of(subject, window=window))):
        made = asked.projected
        kept = prefix_tokens(asked.pressure, made.messages, asked.common, first=not n)
        yield CurvePoint(asked.call.step, made.tokens, kept, _acted(made.reports))


def _acted(reports: list[LayerReport]) -> tuple[str, ...]:
    return tuple(report.layer for report in reports if report.acted)
