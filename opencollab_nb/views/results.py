"""What the verbs of `%oc` give back: values that show themselves as text and as escaped HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.errors import SessionBusy
from opencollab_nb.messages import call_arguments, call_name, tool_calls_of
from opencollab_nb.views.labels import is_off, layer_of, window_label, words
from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import escaped, head, percent, visible
from opencollab_nb.views.wording import in_magics

BAR_COLUMNS = 30
LAYER = "session.history_compaction"


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
    rows: Sequence[tuple[str, str]] = ()
    """What can be typed, and what it does."""
    after: Sequence[str] = ()
    code: str = ""
    """A cell to start from."""

    def __repr__(self) -> str:
        width = max((len(typed) for typed, _ in self.rows), default=0)
        rows = [f"  {typed:<{width}}  {does}" for typed, does in self.rows]
        code = ["", *self.code.rstrip().split("\n")] if self.code else []
        return "\n".join(map(visible, [*self.lines, *rows, *self.after, *code]))

    def _repr_html_(self) -> str:
        # Words stay whole: a front end may break the cells of a table anywhere.
        style = "text-align:left;vertical-align:top;word-break:normal;overflow-wrap:normal"
        rows = "".join(
            f"<tr><td style='{style};min-width:16em'><code>{escaped(typed)}</code></td>"
            f"<td style='{style}'>{escaped(does)}</td></tr>"
            for typed, does in self.rows
        )
        table = f"<table><tbody>{rows}</tbody></table>" if rows else ""
        code = f"<pre>{escaped(self.code.rstrip())}</pre>" if self.code else ""
        before, after = (
            "".join(f"<p>{escaped(line)}</p>" for line in part) for part in (self.lines, self.after)
        )
        return f"<div class='mathjax_ignore tex2jax_ignore'>{before}{table}{after}{code}</div>"


@dataclass(frozen=True, repr=False)
class Standing:
    """Where a session stands, on one line."""

    name: str
    state: str
    steps: int
    max_steps: int | None = None
    detail: str = ""
    simulated: bool = False
    refused: Sequence[str] = ()
    """Layers that were refused, with the law that they would have broken."""

    @classmethod
    def of(cls, session: Any, since: int | None = None) -> Standing:
        """The session as it is now; with `since`, also what was refused from that event on."""
        refused = refusals(session, since) if since is not None else {}
        return cls(
            session.name or "agent",
            session.state,
            session.steps,
            session.max_steps,
            in_magics(session.detail or ""),
            bool(getattr(session.model, "simulated", False)),
            [f"{layer} {said}" for layer, said in refused.items()],
        )

    def __repr__(self) -> str:
        limit = f" of at most {self.max_steps}" if self.max_steps else ""
        line = f"{self.name}: {self.state} after step {self.steps}{limit}"
        line += f" · {head(self.detail, 200)}" if self.detail else ""
        line += " · simulated" if self.simulated else ""
        return visible("\n".join([line, *(head(said, 300) for said in self.refused)]))

    def _repr_html_(self) -> str:
        return (
            f"<div class='mathjax_ignore tex2jax_ignore'>{escaped(repr(self)).replace(chr(10), '<br>')}</div>"
        )


@dataclass(frozen=True, repr=False)
class StepTable(Shown):
    """The steps just taken, and where the session stands after them."""

    steps: Sequence[Any]
    standing: Standing

    def table(self) -> Table:
        """A row a step."""
        notes = repr(self.standing).split("\n")
        return Table(("step", "calls", "says", "input tokens"), list(map(_step, self._made)), "", notes)

    @property
    def _made(self) -> list[Any]:
        """A step that came to nothing has no row: the standing says why."""
        return [step for step in self.steps if step.reply is not None]

    def __repr__(self) -> str:
        return str(self.table()) if self._made else repr(self.standing)

    def _repr_html_(self) -> str:
        return self.table().html() if self._made else self.standing._repr_html_()


def _step(step: Any) -> tuple[object, ...]:
    calls = [f"{call_name(c)} {call_arguments(c)}" for c in tool_calls_of(step.reply)]
    tokens = step.usage.input_tokens if step.usage else None
    return step.number, head(", ".join(calls), 70), head(step.text, 70), tokens


@dataclass(frozen=True, repr=False)
class ShaperTable(Shown):
    """The chain in force: each shaper, its settings in words, and what it has saved so far."""

    rows: Sequence[tuple[str, str, int, int]]
    title: str
    notes: Sequence[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    """How often a layer was refused, and why, by name."""

    @classmethod
    def of(cls, session: Any, *notes: str) -> ShaperTable:
        """The session's chain; one that waits for the next step is shown, and said to wait."""
        waiting = getattr(session, "pending", None)
        chain = waiting or session.chain
        saved: dict[str, list[int]] = {}
        for event in session.trace.of(LAYER):
            if not event.get("problem"):
                saved.setdefault(event["layer"], []).append(event["tokens_before"] - event["tokens_after"])
        refused = refusals(session)
        rows = []
        for shaper in chain.shapers:
            done = saved.get(layer_of(shaper), [])
            rows.append((layer_of(shaper), words(shaper), len(done), sum(done)))
        if any(map(is_off, chain.shapers)):
            notes = (*notes, "no summaries until a summarizer is set: %oc summarizer extractive")
        names = {name for name, *_ in rows}
        gone = [n for n in dict.fromkeys((*saved, *refused)) if n not in names]
        rows += [(n, "no longer in the chain", len(saved.get(n, ())), sum(saved.get(n, ()))) for n in gone]
        title = f"policy {session.policy}" if session.policy else "own chain"
        title += f", {session.mode}" + (", waiting for the step under way" if waiting else "")
        return cls(rows, title, notes, refused)

    def table(self) -> Table:
        """A row a shaper; where one was refused, a column says how often, and why the last time."""
        header: tuple[str, ...] = ("shaper", "what it does", "acted", "tokens saved")
        if not self.refused:
            return Table(header, self.rows, self.title, self.notes)
        rows = [(*row, self.refused.get(row[0], "")) for row in self.rows]
        return Table((*header, "refused"), rows, self.title, self.notes)


def refusals(session: Any, since: int = 0) -> dict[str, str]:
    """Layers that were skipped from that event on, by name: how often, and the newest reason."""
    found: dict[str, list[str]] = {}
    for event in session.trace.of(LAYER):
        if event["n"] >= since and event.get("problem"):
            found.setdefault(event["layer"], []).append(event["problem"])
    return {layer: f"refused {len(said):,}×: {head(said[-1], 240)}" for layer, said in found.items()}


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
            f"{percent(self.trigger_ratio)} of the trigger {self.trigger:,} "
            f"(target {self.target:,}, {window_label(self.window, self.window_source)})"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(repr(self))}</pre>"


@dataclass(frozen=True, repr=False)
class AgentTable(Shown):
    """The agents of this kernel by name, and the transcripts that were loaded."""

    rows: Sequence[tuple[str, str, int, str]]

    @classmethod
    def of(cls, names: Any) -> AgentTable:
        """The named sessions, the current one marked."""
        return cls(
            [
                (("* " if name == names.current else "  ") + name, s.state, s.steps, head(s.task, 60))
                for name, s in names.items()
            ]
            + [(f"  {name}", "loaded", *_loaded(found)) for name, found in names.loaded.items()]
        )

    def table(self) -> Table:
        """A row an agent."""
        return Table(("agent", "state", "steps", "task"), self.rows)


def _loaded(found: Any) -> tuple[int, str]:
    """Model calls and title of what was loaded."""
    several = found if isinstance(found, list) else [found]
    origins = [one.origin for one in several if one.origin]
    title = f"{len(several)} transcripts" if len(several) > 1 else origins[0].title if origins else ""
    return sum(len(origin.sent) for origin in origins), head(title, 60)
