"""Traces made by hand, event by event, for tests of what views make of them."""

from __future__ import annotations

from typing import Any

from opencollab_nb.trace import Trace
from opencollab_nb.views.folds import fold
from opencollab_nb.views.rows import History

LIMITS = {"trigger": 10_000, "target": 7_500}
EMPTY = {"system": 0, "task": 0, "tool": 0, "assistant": 0, "user": 0, "summary": 0, "restatement": 0}


def request(trace: Trace, step: int, **shares: int) -> None:
    by_category = {**EMPTY, **shares}
    trace.add(
        "request",
        step,
        tokens=sum(by_category.values()),
        source="estimated",
        by_category=by_category,
        messages=3,
        stored=5,
        **LIMITS,
    )


def reply(trace: Trace, step: int, *calls: str, text: str = "", seconds: float = 0.5) -> None:
    trace.add("reply", step, text=text, calls=list(calls), seconds=seconds)
    trace.add("usage", step, purpose="step", input_tokens=100, output_tokens=40)


def tool(trace: Trace, step: int, about: str, *, ok: bool = True) -> None:
    trace.add("tool", step, name=about.split()[0], about=about, ok=ok, seconds=0.25)


def whole_step(trace: Trace, step: int, about: str = "grep x", **shares: int) -> None:
    request(trace, step, **(shares or {"tool": 100 * step}))
    reply(trace, step, "grep")
    tool(trace, step, about)
    trace.add("commit", step)


def fired(trace: Trace, step: int, layer: str, before: int, after: int, **facts: Any) -> None:
    ids = {"removed": [], "rewritten": [], "covered": [], "problem": None}
    trace.add(
        "session.history_compaction",
        step,
        layer=layer,
        tokens_before=before,
        tokens_after=after,
        **{**ids, **facts},
    )


def folded(trace: Trace) -> History:
    history = History()
    for event in trace.events:
        fold(history, event)
    return history
