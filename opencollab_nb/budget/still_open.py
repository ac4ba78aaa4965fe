"""What could still be saved: by tool results, by history, by the system prompt, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from opencollab_nb.budget.offload.shaper import MAX_CHARS
from opencollab_nb.budget.quotas import DEFAULT, Quotas
from opencollab_nb.budget.recorded import OFFLOADING, Event, Scales
from opencollab_nb.budget.savings import Billed, bearers
from opencollab_nb.budget.tabular import percent
from opencollab_nb.messages import Message, Messages, covers_of, id_of, is_pinned, text_of
from opencollab_nb.shaping.groups import newest_groups

WHERE = ("tool results", "history", "system prompt")
KEPT_RESULTS, KEPT_GROUPS = 5, 4
"""What clearing and snipping protect by default."""


class Open(NamedTuple):
    """One saving that is still open."""

    where: str
    """One of `WHERE`."""
    tokens: int
    """Input tokens over the whole run that the model had been sent before, or that are over a quota."""
    advice: str


def still_open(entries: Sequence[Billed], events: Sequence[Event], messages: Messages) -> list[Open]:
    """What each of the three could still have saved in this run, in order.

    Tool results: whole results that were sent again though five newer ones had come, or long ones though
    one newer group had. History: replies and what is not pinned older than the four newest groups. System
    prompt: fixed costs over their quota, or the share of tools that were never called.
    """
    scales, own = Scales(events), bearers(events, messages)
    start, last = events[0], _newest_chain(events)
    results = history = system = 0.0
    quota = _quota_tokens(start)
    called = {event["name"] for event in events if event["kind"] == "tool"}
    unused = [name for name in start["tools"] if name not in called]
    for entry in entries:
        pressure = scales.at(entry.sent.event)
        scale = entry.usage["input_tokens"] / max(1, entry.sent.event["tokens"])
        again, told = _sent_again(entry.sent.view, messages)
        results += scale * pressure.weight(again)
        history += scale * pressure.weight([m for m in told if id_of(m) not in own])
        fixed = entry.sent.event["by_category"]
        over = fixed["system"] + fixed["task"] - quota
        spare = pressure.overhead_tokens * len(unused) / max(1, len(start["tools"]))
        system += scale * max(0.0, over, spare)
    return [
        Open(WHERE[0], round(results), _advice_results(last)),
        Open(WHERE[1], round(history), _advice_history(last)),
        Open(WHERE[2], round(system), _advice_system(unused, quota)),
    ]


def last_line(found: Sequence[Open], input_tokens: int) -> str:
    """The largest of them, and all three in their order.

    >>> last_line([Open("tool results", 0, ""), Open("history", 50, "snip")], 100)
    'Largest saving still open: history, 50 tokens (50.0 % of the input): snip. In order: tool results 0, \
history 50.'
    """
    largest = max(found, key=lambda one: one.tokens, default=None)
    if largest is None or not largest.tokens:
        return "No saving is open: nothing was sent again that a move takes away."
    order = ", ".join(f"{one.where} {one.tokens:,}" for one in found)
    share = percent(largest.tokens, input_tokens)
    return (
        f"Largest saving still open: {largest.where}, {largest.tokens:,} tokens ({share} of the input): "
        f"{largest.advice}. In order: {order}."
    )


def _sent_again(view: Messages, messages: Messages) -> tuple[Messages, Messages]:
    """The whole results, and the replies and the like, that are old enough to go."""
    groups = newest_groups(view, KEPT_GROUPS)
    starts = sorted(group.start for group in groups) or [0]
    results = [at for at, m in enumerate(view) if m.get("role") == "tool"]
    newest = set(results[max(0, len(results) - KEPT_RESULTS) :])
    again = [
        view[at]
        for at in results
        if _is_whole(view[at], messages) and (at not in newest or (_is_long(view[at]) and at < starts[-1]))
    ]
    told = [
        m
        for m in view[: starts[0]]
        if m.get("role") != "tool" and not is_pinned(m) and not covers_of(m) and id_of(m) is not None
    ]
    return again, told


def _is_whole(message: Message, messages: Messages) -> bool:
    own = id_of(message)
    return own is not None and not is_pinned(message) and text_of(message) == text_of(messages[own])


def _is_long(message: Message) -> bool:
    return len(text_of(message)) > MAX_CHARS


def _quota_tokens(start: Event) -> int:
    """What fixed costs may have: the quota of the session's budget, else that of the default quotas."""
    settings: dict[str, Any] = start.get("budget") or {}
    quotas = Quotas(**settings["quotas"]) if "quotas" in settings else DEFAULT
    total = start["window"] or settings.get("total_budget") or start["trigger"]
    return quotas.tokens(total)["system"]


def _newest_chain(events: Sequence[Event]) -> list[str]:
    force = next((e for e in reversed(events) if e["kind"] == "swap"), events[0])
    return [str(spec["shaper"]).rpartition(":")[2] for spec in force["chain"]]


def _advice_results(chain: Sequence[str]) -> str:
    if OFFLOADING not in chain:
        return "put OffloadShaper before the cap, or give the session a ContextBudget"
    return "offload shorter results (OffloadShaper(max_chars=...)), or clear earlier with a lower target"


def _advice_history(chain: Sequence[str]) -> str:
    if not {"AutoCompactShaper", "OldHistorySnipShaper", "SegmentCompactShaper"} & set(chain):
        return "snip or compact old groups: this chain keeps all of them"
    return "work down further in each round (use_target), or summarize each finished milestone"


def _advice_system(unused: Sequence[str], quota: int) -> str:
    if unused:
        return (
            f"leave out tools that are never called ({', '.join(unused)}), about their share of the schemas"
        )
    return f"shorten system prompt, task and schemas to their quota of {quota:,} tokens a request"
