"""The bill of a run: its tokens by category and by step, in dollars, and what each move saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.budget import bill_sums as sums
from opencollab_nb.budget.bill_sums import Part
from opencollab_nb.budget.prices import Prices, prices_of
from opencollab_nb.budget.recorded import Event, start_of
from opencollab_nb.budget.restate import CALLED_FOR_BY
from opencollab_nb.budget.savings import billed, layers_acted, steps_of_tools
from opencollab_nb.budget.still_open import Open, last_line, still_open
from opencollab_nb.messages import Messages


@dataclass(frozen=True)
class Bill:
    """What a run has cost."""

    model: str
    simulated: bool
    prices: Prices | None
    rows: tuple[dict[str, Any], ...] = field(repr=False)
    """One for each step; see `to_frame`."""
    parts: tuple[Part, ...]
    """What each move saved, and what none of them explains."""
    steps: int
    """Steps with a reply."""
    calls: int
    """Model calls, those for summaries too."""
    input_tokens: int
    """Of all calls, summaries too, the cached part included."""
    cached_tokens: int
    output_tokens: int
    unmanaged_tokens: int
    """Input if the whole transcript had been sent at each step."""
    unmanaged_cached_tokens: int
    too_long_from: int | None
    """The step from which on that would not have fit the window; None where it would."""
    dollars: float | None
    unmanaged_dollars: float | None
    categories: dict[str, int]
    """Input tokens by category."""
    growth: float | None
    """Input grows with this power of the steps; 1 would be linear. None for a short run."""
    unmanaged_growth: float | None
    halves: tuple[int, int]
    """Input of the first half of the steps and of the second."""
    compacting_calls: int
    """Model calls for summaries."""
    compacting_steps: int
    """Steps before which older messages were cleared, snipped or compacted."""
    compacting_tokens: int
    """Input and output of those calls."""
    chain_tokens: int
    """Spent by this session and all before it, from handoff to handoff."""
    open: tuple[Open, ...]
    notices: tuple[str, ...] = ()
    """What is worth a warning."""

    @property
    def total_tokens(self) -> int:
        """Input and output of all calls."""
        return self.input_tokens + self.output_tokens

    @property
    def largest_open(self) -> str:
        """The largest saving that is still open, in one line."""
        return last_line(self.open, self.input_tokens)

    def to_frame(self) -> Any:
        """One row a step, as a pandas `DataFrame`: tokens by kind and category, unmanaged input, dollars."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    def moves(self) -> Any:
        """One row a move, as a pandas `DataFrame`."""
        import pandas as pd

        return pd.DataFrame([part._asdict() for part in self.parts])

    def __repr__(self) -> str:
        from opencollab_nb.budget.bill_text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from opencollab_nb.budget.bill_text import as_html

        return as_html(self)


def bill(
    events: Sequence[Event], messages: Messages, *, prices: Any = None, model_name: str | None = None
) -> Bill:
    """What the run has cost so far.

    Without management means: the same transcript, sent whole at each step, nothing but what the moves
    put there left out. What the agent would have done otherwise, nobody knows.

    Args:
        events: of the run's trace, from its start.
        messages: of its transcript, with `meta`.
        prices: a `Prices`, a mapping with `input`, `output` and perhaps `cached` in dollars per million
            tokens, or the name of a model; None for those of `model_name`.
        model_name: None for the run's own model.

    Raises:
        UsageProblem: (a ValueError) the events are no run, or the prices cannot be used.
    """
    start = start_of(events)
    price = prices_of(prices, model_name or start["model_name"])
    entries, only_tools = list(billed(events, messages)), steps_of_tools(messages)
    usages = [event for event in events if event["kind"] == "usage"]
    summaries = [event for event in usages if event["purpose"] != "step"]
    rows = sums.rows_of(entries, summaries, price)
    steps = [row.get("input", 0) for row in rows if row.get("input")]
    input_tokens, output_tokens = _sum(usages, "input_tokens"), _sum(usages, "output_tokens")
    spent = input_tokens + output_tokens
    paid = None if price is None else sum(sums.dollars_of(price, usage) for usage in usages)
    alone = None if price is None else sums.unmanaged_dollars(price, entries, only_tools)
    saved = None if paid is None or alone is None else alone - paid
    compacted = {e["step"] for e in layers_acted(events) if e["layer"] in CALLED_FOR_BY}
    return Bill(
        model=start["model"],
        simulated=start["simulated"],
        prices=price,
        rows=tuple(rows),
        parts=tuple(sums.parts_of(entries, summaries, price, only_tools=only_tools, saved_dollars=saved)),
        steps=len(steps),
        calls=len(usages),
        input_tokens=input_tokens,
        cached_tokens=_sum(usages, "cached_input_tokens"),
        output_tokens=output_tokens,
        unmanaged_tokens=round(sum(e.unmanaged_tokens for e in entries)),
        unmanaged_cached_tokens=round(
            sums.cache_rate(entries) * sum(e.unmanaged_old_tokens for e in entries)
        ),
        too_long_from=next((e.step for e in entries if e.unmanaged_tokens > _window(e.sent.event)), None),
        dollars=paid,
        unmanaged_dollars=alone,
        categories=sums.categories_of(rows),
        growth=sums.growth(steps),
        unmanaged_growth=sums.growth([e.unmanaged_tokens for e in entries if e.unmanaged_tokens]),
        halves=(sum(steps[: len(steps) // 2]), sum(steps[len(steps) // 2 :])),
        compacting_calls=len(summaries),
        compacting_steps=len(compacted),
        compacting_tokens=_sum(summaries, "input_tokens") + _sum(summaries, "output_tokens"),
        chain_tokens=start.get("chain_spent_tokens", 0) + spent,
        open=tuple(still_open(entries, events, messages)),
        notices=tuple(sums.notices(summaries, compacted, len(steps), spent, messages)),
    )


def _sum(usages: Sequence[Event], name: str) -> int:
    return sum(usage[name] for usage in usages)


def _window(request: Event) -> float:
    return request["window"] or float("inf")
