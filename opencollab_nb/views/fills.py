"""How full each quota of a session's context budget is: the budget's own figures, read once a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.quotas import CATEGORIES, category_of

if TYPE_CHECKING:
    from opencollab_nb.session import Session
    from opencollab_nb.views.rows import History

Fills = list[list[int]]
"""Tokens in use and quota of each category, in the order of `CATEGORIES`; empty without a budget."""

QUOTA_NAMES: Mapping[str, str] = {
    "system": "system and head",
    "tool_result": "tool results",
    "history": "history",
    "restate": "restate and memory",
}
"""The categories on screen."""


def fills_of(session: Session, history: History) -> Fills:
    """What the last request holds, or the first one will, against the quotas."""
    if not session.trace.stored[0].get("budget"):
        return []
    newest = (len(history.rows), history.rows[-1]) if history.rows else (0, [len(session.transcript)])
    mark = (*newest, session.pressure.observed)
    if history.filled is None or history.filled[0] != mark:
        filling = session.budget.filling
        history.filled = (mark, [[filling.used[c], filling.quota_tokens[c]] for c in CATEGORIES])
    return history.filled[1]


def fills_at(session: Session, moment: Any) -> Fills:
    """The same for the request of a past step; weighed as it would be now."""
    if not session.trace.stored[0].get("budget"):
        return []
    pressure = session.pressure.snapshot()
    used = dict.fromkeys(CATEGORIES, 0)
    used["system"] = pressure.overhead_tokens
    for message in moment.request.shaped:
        used[category_of(message)] += pressure.weight([message])
    quotas = session.budget.filling.quota_tokens
    return [[used[name], quotas[name]] for name in CATEGORIES]
