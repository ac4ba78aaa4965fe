"""The sums of a bill: money, growth, what each part saved, warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import log
from typing import Any, NamedTuple

from opencollab_nb.budget.offload import rereads, too_tight
from opencollab_nb.budget.prices import MILLION, Prices
from opencollab_nb.budget.recorded import Event
from opencollab_nb.budget.savings import PARTS, Billed
from opencollab_nb.budget.tabular import percent
from opencollab_nb.messages import Messages

CALLS_SHARE, TOKENS_SHARE = 1 / 5, 0.10
"""More compacting than one step in five, or a tenth of all tokens, costs more than it can save."""
_LEAST_STEPS = 4
_CATEGORIES = ("system", "task", "tool", "assistant", "user", "summary", "restatement")


class Part(NamedTuple):
    """What one move saved, and what it cost, against no management."""

    name: str
    """`offload cap compact restate memory`, or `other` for what none of them explains."""
    saved_tokens: int
    """Input that was not sent, less what the move put into requests and asked by itself; below 0 where it
    cost more."""
    saved_cached_tokens: int
    """The part of it that a cache would have served."""
    moved_tokens: int
    """Input that was paid in full because the move had changed what stands before it."""
    call_tokens: int
    """Input and output of its own model calls: summaries, and steps that asked for its tools only. Their
    input is in `saved_tokens` already."""
    dollars: float | None
    """All of this in money, where prices are known."""


def parts_of(
    entries: Sequence[Billed],
    summaries: Sequence[Event],
    price: Prices | None,
    *,
    only_tools: Mapping[int, str],
    saved_dollars: float | None,
) -> list[Part]:
    """One for each of `PARTS`: together what was saved against no management, in tokens and in dollars.

    Args:
        entries: the calls of steps.
        summaries: `usage` events of calls for summaries.
        price: of the model, where it is known.
        only_tools: the steps that asked for a move's own tools only, with the move.
        saved_dollars: by all together.
    """
    rate, found = cache_rate(entries), []
    for name in PARTS[:-1]:
        saved = sum(entry.saved.get(name, 0) for entry in entries)
        cached = rate * sum(entry.saved_old.get(name, 0) for entry in entries)
        moved = rate * sum(entry.moved.get(name, 0) for entry in entries)
        own = [e.usage for e in entries if only_tools.get(e.step) == name]
        asked = summaries if name == "compact" else ()
        dollars = None
        if price is not None:
            dollars = (saved - cached) * price.input + cached * price.cached
            dollars -= moved * (price.input - price.cached)
            dollars -= sum(usage["output_tokens"] for usage in own) * price.output
            dollars = dollars / MILLION - sum(dollars_of(price, usage) for usage in asked)
        saved -= sum(usage["input_tokens"] for usage in asked)
        cached -= sum(usage["cached_input_tokens"] for usage in asked)
        spent = sum(usage["input_tokens"] + usage["output_tokens"] for usage in [*own, *asked])
        found.append(Part(name, round(saved), round(cached), round(moved), spent, dollars))
    asked_tokens = sum(usage["input_tokens"] for usage in summaries)
    whole = round(sum(sum(entry.saved.values()) for entry in entries)) - asked_tokens
    rest = whole - sum(part.saved_tokens for part in found)
    moved = round(rate * sum(entry.moved.get("other", 0) for entry in entries))
    left = None if saved_dollars is None else saved_dollars - sum(part.dollars or 0.0 for part in found)
    return [*found, Part("other", rest, 0, moved, 0, left)]


def cache_rate(entries: Sequence[Billed]) -> float:
    """Which part of what two requests share the provider served from its cache; 0 where it reported none."""
    shared = sum(entry.common_tokens for entry in entries)
    served = sum(entry.usage["cached_input_tokens"] for entry in entries)
    return min(1.0, served / shared) if shared else 0.0


def dollars_of(price: Prices, usage: Event) -> float:
    """The price of one call."""
    return price.of(usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"])


def unmanaged_dollars(price: Prices, entries: Sequence[Billed], only_tools: Collection[int]) -> float:
    """The price without management, with the cache that the provider was seen to have."""
    rate = cache_rate(entries)
    return sum(
        price.of(e.unmanaged_tokens, rate * e.unmanaged_old_tokens, e.usage["output_tokens"])
        for e in entries
        if e.step not in only_tools
    )


def rows_of(
    entries: Sequence[Billed], summaries: Sequence[Event], price: Prices | None
) -> list[dict[str, Any]]:
    """One row a step; several calls of one step are added up."""
    rows: dict[int, dict[str, Any]] = {}
    for usage, prefix, entry in [
        *((e.usage, "", e) for e in entries),
        *((usage, "compacting_", None) for usage in summaries),
    ]:
        row = rows.setdefault(usage["step"], {"step": usage["step"]})
        cached = min(usage["cached_input_tokens"], usage["input_tokens"])
        told: dict[str, float] = {
            "calls": 1,
            f"{prefix}input": usage["input_tokens"],
            f"{prefix}cached": cached,
            f"{prefix}uncached": usage["input_tokens"] - cached,
            f"{prefix}output": usage["output_tokens"],
        }
        if entry is not None:
            told |= scaled(entry.sent.event["by_category"], usage["input_tokens"])
            told["unmanaged_input"] = round(entry.unmanaged_tokens)
        if price is not None:
            told["dollars"] = dollars_of(price, usage)
        for name, value in told.items():
            row[name] = row.get(name, 0) + value
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    return [dict.fromkeys(names, 0) | rows[step] for step in sorted(rows)]


def scaled(by_category: Mapping[str, int], total: int) -> dict[str, int]:
    """The categories of a request so that they add up to what was reported.

    >>> scaled({"system": 10, "tool": 90}, 110)
    {'system': 11, 'tool': 99}
    """
    weighed = sum(by_category.values()) or 1
    tokens = {name: round(part * total / weighed) for name, part in by_category.items()}
    largest = max(tokens, key=lambda name: tokens[name])
    tokens[largest] += total - sum(tokens.values())
    return tokens


def categories_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Input tokens by category, the calls for summaries apart."""
    tokens = {name: sum(row.get(name, 0) for row in rows) for name in _CATEGORIES}
    return tokens | {"compacting": sum(row.get("compacting_input", 0) for row in rows)}


def growth(inputs: Sequence[float]) -> float | None:
    """The power of the steps with which the input so far grows, from half of the steps to all.

    >>> growth([10] * 8), round(growth(range(1, 101)), 1), growth([1, 2])
    (1.0, 2.0, None)
    """
    half = len(inputs) // 2
    before = sum(inputs[:half])
    if len(inputs) < _LEAST_STEPS or before <= 0:
        return None
    return log(sum(inputs) / before) / log(len(inputs) / half)


def notices(
    summaries: Sequence[Event], compacted: Collection[int], steps: int, spent: int, messages: Messages
) -> Iterator[str]:
    """What is worth a warning: too much compacting, results that are read again and again.

    Args:
        summaries: `usage` events of calls for summaries.
        compacted: the steps before which older messages were cleared, snipped or compacted.
        steps: made so far.
        spent: input and output of all calls.
        messages: the transcript.
    """
    of = f"of {steps:,} steps"
    if steps and len(summaries) > CALLS_SHARE * steps:
        yield f"{len(summaries):,} calls for summaries in {of[3:]}: more than one step in five. {_RARER}"
    elif steps and len(compacted) > CALLS_SHARE * steps:
        yield f"Compacted before {len(compacted):,} {of}: more than one step in five. {_RARER}"
    tokens = sum(usage["input_tokens"] + usage["output_tokens"] for usage in summaries)
    if spent and tokens > TOKENS_SHARE * spent:
        yield f"Summaries took {percent(tokens, spent)} of all tokens: more than a tenth. {_RARER}"
    notice = too_tight(rereads(messages))
    if notice:
        yield notice


_RARER = "Work down to a lower target (use_target), or keep more out by offloading."
