"""What the exploring verbs give back: a what-if, a past step, the rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.messages import Messages
from opencollab_nb.shaping import ShaperPipeline
from opencollab_nb.views.labels import clean
from opencollab_nb.views.pairs import PairList
from opencollab_nb.views.recordings import Recording
from opencollab_nb.views.results import Shown
from opencollab_nb.views.snapshot import BARS
from opencollab_nb.views.strips import Strip, strips_html, strips_text
from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import escaped, head
from opencollab_nb.views.trials import Trial, trial_of, without_calls

MOST_BARS = 60
MOST_SPANS = 8


@dataclass(frozen=True)
class Over:
    """All requests so far, under one chain."""

    name: str
    tokens: Sequence[int]
    prefix_kept_tokens: Sequence[int]
    rounds: int
    """Requests on which a layer acted."""

    def bars(self, full_tokens: int) -> str:
        """A bar a request (or a few); a full one is `full_tokens`."""
        every = -(-len(self.tokens) // MOST_BARS) or 1
        heights = [max(self.tokens[at : at + every]) for at in range(0, len(self.tokens), every)]
        return "".join(BARS[min(len(BARS) - 1, len(BARS) * t // (full_tokens + 1))] for t in heights)

    def row(self) -> tuple[object, ...]:
        """Its figures."""
        kept = sum(self.prefix_kept_tokens)
        return self.name, sum(self.tokens), kept, max(self.tokens, default=0), self.rounds


@dataclass(frozen=True, repr=False)
class WhatIfView:
    """What another chain would send, and would have sent."""

    found: Any
    """The `WhatIf`: `.before .after .lost .diff()`."""
    trial: Trial
    curve: Sequence[Any]
    """The points of `pressure_curve`, one a step so far."""
    runs: Sequence[Over]
    trigger: int
    messages: PairList
    """Both requests as one list."""
    weighed: str = "the prefix by the local estimate"
    """How the tokens over all steps were got."""

    @classmethod
    def of(
        cls,
        session: Any,
        chain: Sequence[Any],
        step: int | None,
        mode: str | None,
        target_ratio: float | None = None,
    ) -> WhatIfView:
        """The chain tried at one step, and by replay at all."""
        from opencollab_nb.compare import pressure_curve, what_if

        found = what_if(session, *chain, step=step, mode=mode, target_ratio=target_ratio)
        stored: Messages = session.transcript.messages[: found.stored]
        pressure = session.pressure.snapshot()
        when = f"step {step}" if step else f"the transcript of {session.name or 'the agent'} as it stands"
        trial = trial_of(
            found, Recording(when, stored, pressure), "as it was" if step else "as it is", "what if"
        )
        parts = chain if isinstance(chain[0], str) else map(without_calls, ShaperPipeline(*chain).shapers)
        curve = pressure_curve(session, *parts, mode=found.mode, target_ratio=target_ratio)
        run: list[Any] = list({e["step"]: e for e in session.trace.of("request")}.values())
        acted = {e["step"] for e in session.trace.of("session.history_compaction") if not e["problem"]}
        runs = [
            Over("the run", [e["tokens"] for e in run], [e["prefix_kept_tokens"] for e in run], len(acted)),
            Over(
                "what if",
                [p.tokens for p in curve],
                [p.prefix_kept_tokens for p in curve],
                sum(bool(p.layers) for p in curve),
            ),
        ]
        listed = PairList.of(stored, trial.before.sent, trial.after.sent)
        return cls(found, trial, curve, runs, found.trigger, listed)

    def _title(self) -> str:
        return f"what if {', '.join(self.found.chain)} ({self.found.mode})"

    def table(self) -> Table | None:
        """The requests so far, the run's and those of the other chain by replay."""
        if not self.curve:
            return None
        header = ("all steps so far", "input tokens", "prefix kept", "largest", "acted at")
        note = (
            "by replay of the transcript as it is: what the agent would have done otherwise, nobody knows; "
            + self.weighed
        )
        return Table(header, [run.row() for run in self.runs], "", [note])

    def _lost(self) -> str:
        spans = self.found.newly_lost
        told = ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in spans[:MOST_SPANS])
        more = f" and {len(spans) - MOST_SPANS} ranges more" if len(spans) > MOST_SPANS else ""
        return f"no longer word for word: messages {told}{more}" if spans else "nothing more is lost"

    def __repr__(self) -> str:
        lines = [self._title(), repr(self.trial), self._lost()]
        if table := self.table():
            wide = max(len(run.name) for run in self.runs)
            lines += [str(table), *(f"{run.name:<{wide}}  {run.bars(self.trigger)}" for run in self.runs)]
        return "\n".join([*lines, str(self.messages), "the texts: .found.diff()"])

    def _repr_html_(self) -> str:
        wide = max(len(run.name) for run in self.runs)
        bars = "\n".join(f"{run.name:<{wide}} {run.bars(self.trigger)}" for run in self.runs)
        table = self.table()
        over = f"{table.html()}<pre>{escaped(bars)}</pre>" if table else ""
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p><b>{escaped(self._title())}</b></p>{self.trial._repr_html_()}"
            f"<p>{escaped(self._lost())}</p>{over}"
            f"<details><summary>message by message</summary>{self.messages.html()}</details></div>"
        )


@dataclass(frozen=True, repr=False)
class MomentView:
    """One step of the past, as it was."""

    moment: Any
    """The `Moment`: `.request .tokens .trigger .chain`."""
    strips: Sequence[Strip]

    @classmethod
    def of(cls, session: Any, step: int) -> MomentView:
        """The moment of a step, over the transcript as it was then."""
        moment = session.at(step)
        stored = session.transcript.messages[: moment.stored]
        pressure = session.pressure.snapshot()
        strip = Strip.of("sent", moment.request.shaped, stored, lambda m: pressure.weight([m]), moment.tokens)
        return cls(moment, [strip])

    def __repr__(self) -> str:
        m = self.moment
        layers = ", ".join(f"{r.layer} {r.tokens_before:,} → {r.tokens_after:,}" for r in m.reports)
        return "\n".join(
            [
                f"step {m.step:,} as it was: {m.tokens:,} tokens ({m.source}) of the trigger {m.trigger:,}, "
                f"target {m.target:,}",
                strips_text(self.strips),
                f"{len(m.request.shaped):,} of {m.stored:,} messages sent; the beginning, "
                f"{m.prefix_kept_tokens:,} tokens, was that of the request before",
                f"chain {m.policy or 'of its own'}, {m.mode}: {', '.join(m.chain)}",
                f"layers that acted: {layers or 'none'}" + (" (forced)" if m.forced else ""),
            ]
        )

    def _repr_html_(self) -> str:
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"{self.moment._repr_html_()}{strips_html(self.strips)}</div>"
        )


@dataclass(frozen=True, repr=False)
class RoundTable(Shown):
    """The rounds of a run."""

    rounds: Sequence[Any]

    def table(self) -> Table:
        """A row a layer of a round."""
        rows = [
            (
                r.step,
                x.layer,
                x.tokens_before,
                x.tokens_after,
                _ids(x),
                r.trigger,
                r.target,
                clean(x.problem or ""),
            )
            for r in self.rounds
            for x in r.layers
        ]
        notes = [
            f"step {r.step}: {head(r.summary.text, 100)} (.rounds[{at}].summary.text)"
            for at, r in enumerate(self.rounds)
            if r.summary is not None
        ]
        header = ("step", "layer", "tokens before", "after", "messages", "trigger", "target", "problem")
        title = (
            f"{len(self.rounds)} rounds; the originals are in the transcript: %oc restore ID brings them back"
        )
        return Table(header, rows, title if rows else "no round yet", notes)

    def _repr_html_(self) -> str:
        return "".join(r._repr_html_() for r in self.rounds) or "<p>no round yet</p>"


def _ids(layer: Any) -> str:
    words = {"removed": "out", "rewritten": "shortened", "covered": "summarized"}
    return "; ".join(
        f"{word} {', '.join(f'{a}–{b}' if b > a else f'{a}' for a, b in getattr(layer, name))}"
        for name, word in words.items()
        if getattr(layer, name)
    )
