"""The rounds of a run, read from its trace: when, why, what they took away, and what stands for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import each, ranges
from opencollab_nb.session.history import Event
from opencollab_nb.shaping.sent import new_record
from opencollab_nb.shaping.summary import summary_text

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench
    from opencollab_nb.session.session import Session

Spans = tuple[tuple[int, int], ...]
"""Closed ranges of ids."""


@dataclass(frozen=True)
class RoundLayer:
    """What one layer did in a round."""

    layer: str
    tokens_before: int
    tokens_after: int
    removed: Spans = ()
    rewritten: Spans = ()
    covered: Spans = ()
    """Ids that a summary stands for since this round."""
    problem: str | None = None
    """Why it did not act."""
    seconds: float = 0.0


@dataclass(frozen=True)
class RoundSummary:
    """The summary that a round left."""

    text: str
    covers: Spans = ()
    """All ids it stands for, those of the summary before it included."""
    model: str | None = None
    """Who wrote it; None for a program."""
    tokens: int | None = None
    """Output tokens, as reported; None where nobody did."""
    version: str | None = None
    """Of the summarizer's prompt or code; None where it has none."""


@dataclass(frozen=True)
class Round:
    """One round: all layers that acted before one request."""

    step: int
    layers: tuple[RoundLayer, ...]
    trigger: int
    """Input tokens above which it opened."""
    target: int
    """Input tokens it worked down to."""
    tokens_before: int
    tokens_after: int
    forced: bool = False
    """True after the provider had refused the request."""
    summary: RoundSummary | None = field(default=None, repr=False)
    from_messages: Spans = ()
    """Ids that left, were shortened or are covered; the transcript holds the originals."""
    sent: bool = True
    """False while the request that it made waits to be sent."""

    @property
    def opened(self) -> bool:
        """True where pressure opened it; False where a layer acted that needs none."""
        return self.forced or any(layer.tokens_before > self.trigger for layer in self.layers)

    def _repr_html_(self) -> str:
        why = "the provider refused" if self.forced else f"over the trigger of {self.trigger:,}"
        head = (
            f"Round at step {self.step:,}: {self.tokens_before:,} → {self.tokens_after:,} tokens, "
            f"{why}, target {self.target:,}; from messages {spans_text(self.from_messages) or 'none'}"
        )
        rows = "".join(f"<li>{escape(_layer_text(layer))}</li>" for layer in self.layers)
        told = ""
        if self.summary is not None:
            by = ", ".join(filter(None, (self.summary.model, self.summary.version)))
            told = f"<details><summary>Summary{escape(f' ({by})' if by else '')}</summary><pre>"
            told += f"{escape(self.summary.text)}</pre></details>"
        return f"<div class='mathjax_ignore tex2jax_ignore'><b>{escape(head)}</b><ul>{rows}</ul>{told}</div>"


class Rounds(list[Round]):
    """Rounds in order; a list that shows itself as cards."""

    def _repr_html_(self) -> str:
        return "".join(one._repr_html_() for one in self) or "<i>No round yet.</i>"


def rounds(session: Session, *, every: bool = False) -> list[Round]:
    """The rounds so far, from the trace alone.

    Args:
        session: one at work, or one opened without a model.
        every: also requests on which layers acted that need no pressure (capping, eager clearing).
    """
    return rounds_of(session._bench, every=every)  # noqa: SLF001 - one of the session's verbs


def rounds_of(bench: Bench, *, every: bool = False) -> list[Round]:
    """The same, of a session's parts."""
    found = (_round(request, layers, bench.trace.stored) for request, layers in bench.history.rounds())
    return Rounds(one for one in found if every or one.opened or _matters(one))


def spans_text(spans: Spans) -> str:
    """Ranges as a reader writes them.

    >>> spans_text(((3, 5), (7, 7)))
    '3–5, 7'
    """
    return ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in spans)


def _matters(one: Round) -> bool:
    return any(layer.problem or layer.removed or layer.covered for layer in one.layers)


def _round(request: Event | None, layers: list[Event], events: Sequence[Event]) -> Round:
    first, last = layers[0], layers[-1]
    touched = {i for e in layers for name in ("removed", "rewritten", "covered") for i in each(e[name])}
    return Round(
        step=first["step"],
        layers=tuple(map(_layer, layers)),
        trigger=first["trigger"],
        target=first["target"],
        tokens_before=first["tokens_before"],
        tokens_after=last["tokens_after"],
        forced=first["forced"],
        summary=_summary(request, layers, events),
        from_messages=_spans(ranges(touched)),
        sent=request is not None,
    )


def _layer(event: Event) -> RoundLayer:
    return RoundLayer(
        event["layer"],
        event["tokens_before"],
        event["tokens_after"],
        _spans(event["removed"]),
        _spans(event["rewritten"]),
        _spans(event["covered"]),
        event["problem"],
        event["seconds"],
    )


def _summary(request: Event | None, layers: list[Event], events: Sequence[Event]) -> RoundSummary | None:
    """The newest summary that came with the request, or with the preview that made it."""
    until = request["n"] if request else len(events) - 1
    made = [event for event in events[layers[0]["n"] : until + 1] if event["kind"] in ("preview", "request")]
    new = [m for event in made for m in (new_record(event) or {}).get("new", ())]
    if not new:
        return None
    told: dict[str, Any] = next((e["summary"] for e in reversed(layers) if e["summary"]), {})
    meta = new[-1]["meta"]
    return RoundSummary(
        summary_text(new[-1]),
        _spans(meta["covers"]),
        meta.get("model"),
        told.get("tokens"),
        told.get("version"),
    )


def _spans(pairs: list[list[int]]) -> Spans:
    return tuple((first, last) for first, last in pairs)


def _layer_text(layer: RoundLayer) -> str:
    text = f"{layer.layer}: {layer.tokens_before:,} → {layer.tokens_after:,} tokens"
    for name in ("removed", "rewritten", "covered"):
        spans: Spans = getattr(layer, name)
        text += f"; {name} {spans_text(spans)}" if spans else ""
    return f"{text}; {layer.problem}" if layer.problem else text
