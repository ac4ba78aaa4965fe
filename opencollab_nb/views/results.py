"""What the verbs of `%oc` give back: values that show themselves as text and as escaped HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.errors import SessionBusy
from opencollab_nb.messages import call_arguments, call_name, tool_calls_of
from opencollab_nb.views.labels import is_off, layer_of, window_label, words
from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import escaped, head, visible

BAR_COLUMNS = 30


class Shown:
    """A value whose text and HTML come from one table."""

    def table(self) -> Table:
        """What is shown."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


@dataclass(frozen=True, repr=False)
class Help:
    """A help text; what is missing comes first."""

    lines: Sequence[str]

    def __repr__(self) -> str:
        return "\n".join(map(visible, self.lines))

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(repr(self))}</pre>"


@dataclass(frozen=True, repr=False)
class Standing:
    """Where a session stands, on one line."""

    name: str
    state: str
    steps: int
    max_steps: int | None = None
    detail: str = ""
    simulated: bool = False

    @classmethod
    def of(cls, session: Any) -> Standing:
        """The session as it is now."""
        return cls(
            session.name or "agent",
            session.state,
            session.steps,
            session.max_steps,
            session.detail or "",
            bool(getattr(session.model, "simulated", False)),
        )

    def __repr__(self) -> str:
        limit = f" of at most {self.max_steps}" if self.max_steps else ""
        line = f"{self.name}: {self.state} after step {self.steps}{limit}"
        line += f" · {head(self.detail, 200)}" if self.detail else ""
        return visible(line + (" · simulated" if self.simulated else ""))

    def _repr_html_(self) -> str:
        return f"<div>{escaped(repr(self))}</div>"


@dataclass(frozen=True, repr=False)
class StepTable(Shown):
    """The steps just taken, and where the session stands after them."""

    steps: Sequence[Any]
    standing: Standing

    def table(self) -> Table:
        """A row a step."""
        return Table(
            ("step", "calls", "says", "input tokens"), list(map(_step, self.steps)), "", [repr(self.standing)]
        )


def _step(step: Any) -> tuple[object, ...]:
    if step.reply is None:
        return step.number, "", head(f"{step.state}: {step.detail}"), None
    calls = [f"{call_name(c)} {call_arguments(c)}" for c in tool_calls_of(step.reply)]
    tokens = step.usage.input_tokens if step.usage else None
    return step.number, head(", ".join(calls), 70), head(step.text, 70), tokens


@dataclass(frozen=True, repr=False)
class ShaperTable(Shown):
    """The chain in force: each shaper, its settings in words, and what it has saved so far."""

    rows: Sequence[tuple[str, str, int, int]]
    title: str
    notes: Sequence[str] = field(default=())

    @classmethod
    def of(cls, session: Any, *notes: str) -> ShaperTable:
        """The session's chain; one that waits for the next step is shown, and said to wait."""
        waiting = getattr(session, "pending", None)
        chain = waiting or session.chain
        saved: dict[str, list[int]] = {}
        for event in session.trace.of("session.history_compaction"):
            saved.setdefault(event["layer"], []).append(event["tokens_before"] - event["tokens_after"])
        rows = []
        for shaper in chain.shapers:
            done = saved.get(layer_of(shaper), [])
            rows.append((layer_of(shaper), words(shaper), len(done), sum(done)))
        if any(map(is_off, chain.shapers)):
            notes = (*notes, "no summaries until a summarizer is set: %oc summarizer extractive")
        names = {name for name, *_ in rows}
        rows += [(n, "no longer in the chain", len(t), sum(t)) for n, t in saved.items() if n not in names]
        title = f"policy {session.policy}" if session.policy else "own chain"
        title += f", {session.mode}" + (", waiting for the step under way" if waiting else "")
        return cls(rows, title, notes)

    def table(self) -> Table:
        """A row a shaper."""
        header = ("shaper", "what it does", "acted", "tokens saved")
        return Table(header, self.rows, self.title, self.notes)


@dataclass(frozen=True, repr=False)
class PressureLine:
    """The next request against window, trigger and target, on one line."""

    tokens: int
    target: int
    trigger: int
    window: int | None
    source: str
    window_source: str

    @classmethod
    def of(cls, session: Any) -> PressureLine:
        """The session's next request; during a step, the one under way."""
        gauge, pressure = session.pressure, session.pressure.snapshot()
        try:
            tokens = pressure.tokens(session.request().shaped)
        except SessionBusy:
            tokens = session.trace.last("request")["tokens"]
        return cls(
            tokens, pressure.target, pressure.trigger, pressure.window, gauge.source, gauge.window_source
        )

    @property
    def trigger_ratio(self) -> float:
        """Share of the trigger that is used."""
        return self.tokens / self.trigger

    def __repr__(self) -> str:
        full = min(BAR_COLUMNS, round(BAR_COLUMNS * self.trigger_ratio))
        return (
            f"[{'#' * full}{'-' * (BAR_COLUMNS - full)}] {self.tokens:,} tokens {self.source}, "
            f"{self.trigger_ratio:.0%} of the trigger {self.trigger:,} "
            f"(target {self.target:,}, {window_label(self.window, self.window_source)})"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(repr(self))}</pre>"


@dataclass(frozen=True, repr=False)
class AgentTable(Shown):
    """The agents of this kernel by name."""

    rows: Sequence[tuple[str, str, int, str]]

    @classmethod
    def of(cls, names: Any) -> AgentTable:
        """The named sessions, the current one marked."""
        return cls(
            [
                (("* " if name == names.current else "  ") + name, s.state, s.steps, head(s.task, 60))
                for name, s in names.items()
            ]
        )

    def table(self) -> Table:
        """A row an agent."""
        return Table(("agent", "state", "steps", "task"), self.rows)
