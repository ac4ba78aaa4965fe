"""What all requests of a run would have weighed under another chain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from opencollab_nb.compare.setting import Calibrations, replay_pins, trial
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages, wire
from opencollab_nb.session import Session
from opencollab_nb.session.history import Event
from opencollab_nb.tokens.weights import Weights


@dataclass(frozen=True)
class CurvePoint:
    """One request under the other chain."""

    step: int
    tokens: int
    """Input tokens, weighed as at that step."""
    prefix_kept_tokens: int
    """Of the beginning shared with the request before, by the local estimate."""
    layers: tuple[str, ...] = ()
    """The layers that acted."""


def pressure_curve(
    session: Any, *shapers: Any, mode: str = "sticky", target_ratio: float | None = None
) -> list[CurvePoint]:
    """One point a step so far, by replay: what this chain would have sent from the first step on.

    The transcript is the one the run made: what the agent would have done otherwise, nobody knows.
    Weights, window and pins are those of each step; a request that was refused and sent again counts
    once. Nothing of the run is touched, and no model is asked but a summarizer that is given.
    `stateless` shapes the whole transcript at every step, so its time grows with the square of the run.

    Args:
        session: at work, or opened without a model.
        shapers: as for `what_if`.
        mode: `sticky` or `stateless`.
        target_ratio: the share of the trigger to work down to; None for that of the chain, else of each step.

    Raises:
        UsageProblem: (a ValueError) no session, or something that is no chain.
    """
    if not isinstance(session, Session):
        raise UsageProblem(f"{session!r} is no session; pressure_curve needs the weights of every step")
    tried = trial(session, shapers, mode, target_ratio)
    bench = session._bench  # noqa: SLF001 - a view of it that changes nothing
    messages, weights, projection = bench.transcript.messages, Calibrations(bench), tried.projection()
    local, last, points = Weights(), -1, []
    before: Messages = []
    for event in first_of_each_step(bench.history.requests()):
        replay_pins(projection, bench.history.pins(last, event["n"]), messages)
        made = projection.project(messages[: event["stored"]], weights.at(event, tried.target_ratio))
        acted = tuple(report.layer for report in made.reports if report.acted)
        kept = local.total(made.messages[: common(before, made.messages)])
        points.append(CurvePoint(event["step"], made.tokens + weights.late_tokens(event), kept, acted))
        before, last = made.messages, event["n"]
    return points


def first_of_each_step(requests: Iterable[Event]) -> list[Event]:
    """One request a step: the first, which no refusal had shaped."""
    found: dict[int, Event] = {}
    for event in requests:
        found.setdefault(event["step"], event)
    return list(found.values())


def common(one: Messages, other: Messages) -> int:
    """How many messages two requests have in common at their beginning."""
    for at, (old, new) in enumerate(zip(one, other, strict=False)):
        if old is not new and wire(old) != wire(new):
            return at
    return min(len(one), len(other))
