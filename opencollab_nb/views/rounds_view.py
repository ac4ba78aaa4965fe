"""The rounds of a session as cards: which layers acted, on what, and what the summary says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import each, ranges
from opencollab_nb.views.direction import OFFLOADING
from opencollab_nb.views.labels import clean
from opencollab_nb.views.moments_view import report_row
from opencollab_nb.views.text import ends

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_CARDS = 40
MOST_SPANS = 100
SUMMARY_CHARS = 3_000


def round_cards(session: Session, first: int) -> dict[str, Any]:
    """Cards of the rounds, and of requests at which results were offloaded, from number `first` on."""
    opened = {one.step for one in session.rounds()}
    rounds = [one for one in session.rounds(every=True) if one.step in opened or offloads(one)]
    start = max(first, len(rounds) - MOST_CARDS, 0)
    restated = {e["step"]: [clean(e["reason"], 20), e["tokens"]] for e in session.trace.of("restatement")}
    cards = [
        {**card(number, one), "restated": restated.get(one.step)}
        for number, one in enumerate(rounds[start:], start)
    ]
    return {"first": start, "total": len(rounds), "cards": cards}


def offloads(one: Any) -> bool:
    """True where a long result gave way to a pointer."""
    return any(layer.layer == OFFLOADING and layer.rewritten for layer in one.layers)


def card(number: int, one: Any) -> dict[str, Any]:
    """One round as plain data."""
    summary = one.summary
    return {
        "number": number,
        "step": one.step,
        "forced": int(bool(one.forced)),
        "before": one.tokens_before,
        "after": one.tokens_after,
        "trigger": one.trigger,
        "target": one.target,
        "layers": [report_row(layer) for layer in one.layers],
        "ids": spans(one.from_messages),
        "summary": None
        if summary is None
        else {
            "text": ends(getattr(summary, "text", "") or "", SUMMARY_CHARS, "session.rounds()"),
            "model": clean(getattr(summary, "model", None) or "no model", 60),
            "tokens": getattr(summary, "tokens", None),
            "version": clean(getattr(summary, "version", None) or "", 60),
        },
    }


def spans(found: Iterable[Any]) -> list[list[int]]:
    """Ranges of ids, whatever form they came in, bounded."""
    ids: list[int] = []
    for one in found:
        ids += each([one]) if isinstance(one, (list, tuple)) else [one]
    return ranges(ids)[:MOST_SPANS]
