"""A bill as text and as escaped HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opencollab_nb.budget import tabular
from opencollab_nb.budget.offload.pieces import plain
from opencollab_nb.budget.tabular import percent, shown

if TYPE_CHECKING:
    from opencollab_nb.budget.bill import Bill

_MOVES = ("move", "input saved", "of it cached", "moved prefix", "own calls", "dollars saved")
_CATEGORIES = ("category", "input", "share")
_STEPS = ("step", "input", "cached", "uncached", "output", "compacting", "without management", "dollars")
_BARS = " ▁▂▃▄▅▆▇█"
_MOST_BARS = 60


def as_text(bill: Bill) -> str:
    """The bill in lines; the last one is the largest saving that is still open."""
    blocks = [
        *head_lines(bill),
        "",
        tabular.as_text(_CATEGORIES, category_rows(bill)),
        "",
        tabular.as_text(_MOVES, move_rows(bill)),
        "",
        *growth_lines(bill),
        compacting_line(bill),
        *bill.notices,
        bill.largest_open,
    ]
    return plain("\n".join(blocks))


def as_html(bill: Bill) -> str:
    """The bill for a page; every text is escaped."""
    first, *rest = head_lines(bill)
    lines = "".join(f"<li>{shown(line)}</li>" for line in rest)
    after = "".join(f"<p>{shown(line)}</p>" for line in [*growth_lines(bill), compacting_line(bill)])
    notices = "".join(f"<p><b>{shown(line)}</b></p>" for line in bill.notices)
    steps = tabular.as_html(_STEPS, step_rows(bill))
    return (
        f"<div><b>{shown(first)}</b><ul>{lines}</ul>"
        f"{tabular.as_html(_CATEGORIES, category_rows(bill), 'Input by category')}"
        f"{tabular.as_html(_MOVES, move_rows(bill), 'What each move saved against no management')}"
        f"{after}{notices}<details><summary>{bill.steps:,} steps</summary>{steps}</details>"
        f"<p>{shown(bill.largest_open)}</p></div>"
    )


def head_lines(bill: Bill) -> list[str]:
    """What the run has cost, in a few sentences."""
    label = " (simulated: no model's figures)" if bill.simulated else ""
    lines = [
        f"Bill of {bill.model}{label}: {bill.steps:,} steps, {bill.calls:,} calls, "
        f"{bill.total_tokens:,} tokens{money(bill.dollars)}",
        f"input {bill.input_tokens:,}: cached {bill.cached_tokens:,}, uncached "
        f"{bill.input_tokens - bill.cached_tokens:,}; output {bill.output_tokens:,}",
        f"without management {bill.unmanaged_tokens:,} input: cached {bill.unmanaged_cached_tokens:,}, "
        f"uncached {bill.unmanaged_tokens - bill.unmanaged_cached_tokens:,}{money(bill.unmanaged_dollars)}"
        f"{too_long(bill)}",
    ]
    if bill.chain_tokens != bill.total_tokens:
        lines.append(f"all sessions of this work, from handoff to handoff: {bill.chain_tokens:,} tokens")
    if bill.prices is None:
        lines.append(
            "no prices are known for this model: give another's name, %oc bill --prices gpt-5 or "
            "session.bill('gpt-5'), or {'input': ..., 'cached': ..., 'output': ...} in dollars per million "
            "tokens, session.bill({...})"
        )
    else:
        p = bill.prices
        lines.append(
            f"prices ({p.source}): input {p.input:g}, cached {p.cached:g}, output {p.output:g} dollars per "
            "million tokens"
        )
    return lines


def category_rows(bill: Bill) -> list[tuple[object, ...]]:
    """Input by category."""
    whole = sum(bill.categories.values())
    return [(name, tokens, percent(tokens, whole)) for name, tokens in bill.categories.items()]


def move_rows(bill: Bill) -> list[tuple[object, ...]]:
    """What each move saved."""
    return [
        (p.name, p.saved_tokens, p.saved_cached_tokens, p.moved_tokens, p.call_tokens, rounded(p.dollars))
        for p in bill.parts
        if any(p[1:5]) or p.name != "other"
    ]


def step_rows(bill: Bill) -> list[tuple[object, ...]]:
    """The steps."""
    names = ("step", "input", "cached", "uncached", "output", "compacting_input", "unmanaged_input")
    return [(*(row.get(name, 0) for name in names), rounded(row.get("dollars"))) for row in bill.rows]


def growth_lines(bill: Bill) -> list[str]:
    """How the input grows with the steps, as figures and as a row of bars."""
    if bill.growth is None:
        return []
    first, second = bill.halves
    alone = f"; without management {bill.unmanaged_growth:.2f}" if bill.unmanaged_growth is not None else ""
    return [
        f"Input grows with the steps to the power of {bill.growth:.2f}{alone} (1 is linear, 2 is all sent "
        f"again at each step): the first half of the steps took {first:,}, the second {second:,}.",
        f"Input by step: {bars([row.get('input', 0) for row in bill.rows])}",
    ]


def compacting_line(bill: Bill) -> str:
    """The share of calls and tokens that compacting took."""
    return (
        f"Compacting: {bill.compacting_calls:,} of {bill.calls:,} calls "
        f"({percent(bill.compacting_calls, bill.calls)}), {bill.compacting_tokens:,} tokens "
        f"({percent(bill.compacting_tokens, bill.total_tokens)}), before {bill.compacting_steps:,} of "
        f"{bill.steps:,} steps."
    )


def bars(values: list[int]) -> str:
    """Values as a row of bars, several steps a bar where there are many.

    >>> bars([0, 4, 8])
    ' ▄█'
    """
    size = -(-len(values) // _MOST_BARS) if values else 1
    means = [sum(part) / len(part) for at in range(0, len(values), size) if (part := values[at : at + size])]
    most = max(means, default=0) or 1
    return "".join(_BARS[round(value / most * (len(_BARS) - 1))] for value in means)


def too_long(bill: Bill) -> str:
    """From which step on the whole transcript would not have fit."""
    step = bill.too_long_from
    return "" if step is None else f" (it would not have fit the window from step {step:,} on)"


def money(dollars: float | None) -> str:
    """Dollars behind a figure; nothing where they are not known."""
    return "" if dollars is None else f", ${dollars:,.4f}"


def rounded(dollars: float | None) -> str | None:
    """Dollars in a cell."""
    return None if dollars is None else f"{dollars:,.4f}"
