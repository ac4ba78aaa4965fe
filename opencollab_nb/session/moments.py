"""One step of the past, as it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import each
from opencollab_nb.request import Request
from opencollab_nb.session.harness import offered_at
from opencollab_nb.session.history import Event, History
from opencollab_nb.shaping import LayerReport

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench
    from opencollab_nb.session.session import Session


@dataclass(frozen=True)
class Moment:
    """What was sent at one step, and what was in force."""

    step: int
    request: Request = field(repr=False)
    """As it was sent."""
    tokens: int
    """Input tokens of it, as they were known then."""
    by_category: dict[str, int] = field(repr=False)
    """The same, by category."""
    trigger: int
    target: int
    window: int | None
    source: str
    """Where the numbers come from: `counted`, `calibrated` or `estimated`."""
    stored: int
    """Messages of the transcript at that time."""
    prefix_kept_tokens: int
    """Tokens of the beginning shared with the request before."""
    mode: str
    policy: str | None
    chain: tuple[str, ...]
    """The names of the shapers, in order."""
    reports: tuple[LayerReport, ...] = field(default=(), repr=False)
    """What the layers did to make it."""
    pinned: frozenset[int] = field(default=frozenset(), repr=False)
    """The ids that were pinned by hand."""
    forced: bool = False
    """True for the retry after an overflow."""
    previous: Request | None = field(default=None, repr=False)
    """The request before."""

    def _repr_html_(self) -> str:
        window = f"{self.window:,}" if self.window else "unknown"
        rows = {
            "step": f"{self.step:,}",
            "input": f"{self.tokens:,} tokens ({self.source})",
            "trigger, target, window": f"{self.trigger:,}, {self.target:,}, {window}",
            "messages": f"{len(self.request.messages):,} sent, {self.stored:,} stored",
            "chain": f"{self.policy or 'custom'} ({self.mode}): {', '.join(self.chain) or 'no shapers'}",
            "layers": ", ".join(f"{r.layer} {r.tokens_before:,} → {r.tokens_after:,}" for r in self.reports),
        }
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(text)}</td></tr>"
            for name, text in rows.items()
            if text
        )
        return (
            "<table class='mathjax_ignore tex2jax_ignore'>"
            f"<caption>Step {self.step:,} as it was</caption>{cells}</table>"
        )


def moment(session: Session, step: int | None = None) -> Moment:
    """The request sent at a step and all that was in force, from the run folder alone.

    Args:
        session: one at work, or one opened without a model by `Session.resume(path)`.
        step: its number; None for the newest.

    Raises:
        UsageProblem: (a ValueError) no request was sent at this step.
    """
    return moment_at(session._bench, step)  # noqa: SLF001 - one of the session's verbs


def moment_at(bench: Bench, step: int | None) -> Moment:
    """The same, of a session's parts."""
    history = bench.history
    event = history.sent_at(step)
    force, before = history.newest("swap", event["n"]), history.before(event)
    previous = _request(bench, history, before) if before else None
    return Moment(
        step=event["step"],
        request=_request(bench, history, event),
        tokens=event["tokens"],
        by_category=dict(event["by_category"]),
        trigger=event["trigger"],
        target=event["target"],
        window=event["window"],
        source=event["source"],
        stored=event["stored"],
        prefix_kept_tokens=event["prefix_kept_tokens"],
        mode=force["mode"],
        policy=force["policy"],
        chain=tuple(map(short_name, force["chain"])),
        reports=tuple(map(report_of, history.layers(event))),
        pinned=history.pinned(event["n"]),
        forced=event["forced"],
        previous=previous,
    )


def short_name(spec: dict[str, Any]) -> str:
    """The name of a shaper written down in a chain.

    >>> short_name({"shaper": "opencollab_nb.shaping.snip:OldHistorySnipShaper", "fields": {}})
    'OldHistorySnipShaper'
    """
    return str(spec["shaper"]).rpartition(":")[2].rpartition(".")[2]


def report_of(event: Event) -> LayerReport:
    """The report that a compaction event was written from; the summary's text lies in the view."""
    return LayerReport(
        event["layer"],
        event["tokens_before"],
        event["tokens_after"],
        tuple(each(event["removed"])),
        tuple(each(event["rewritten"])),
        tuple(each(event["covered"])),
        event["seconds"],
        event["problem"],
    )


def _request(bench: Bench, history: History, event: Event) -> Request:
    force = history.newest("swap", event["n"])
    tools = offered_at(bench.workspace, bench.direction.moves, force, bench.extras)
    view, limit = history.view(event), event["max_output_tokens"]
    return Request(view, event["tail"], tools, limit, strict=event["repaired"])
