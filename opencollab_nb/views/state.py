"""A session's state as a panel shows it: small plain values, so that only what changed is sent."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from opencollab_nb.shaping.report import name_of
from opencollab_nb.views import labels
from opencollab_nb.views.fills import fills_of
from opencollab_nb.views.rows import History
from opencollab_nb.views.text import visible

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_SHOWN_CHARS = 20_000
"""Of a command that waits; one that is longer says so."""
POLICIES = ("default", "summarize", "no_history_compaction")


def state_of(session: Session, history: History) -> dict[str, Any]:
    """Everything on the panel that is not a row, a mark or a log line."""
    pressure = session.pressure
    limits = pressure.snapshot()
    return {
        "run": session.state,
        "detail": labels.clean(session.detail or "", 300),
        "doing": history.doing,
        "step": session.steps,
        "max_steps": session.max_steps,
        "name": labels.clean(session.name or "", 60),
        "model": labels.clean(labels.model_label(session.model), 60),
        "window": pressure.window,
        "window_label": labels.window_label(pressure.window, pressure.window_source),
        "trigger": limits.trigger,
        "target": limits.target,
        "tokens": history.tokens,
        "source": source_label(history.source, pressure.observed),
        "sent": history.sent_messages,
        "stored": history.stored_messages,
        "spent": session.spent_tokens,
        "budget": session.budget_tokens,
        "cached_ratio": cached_ratio(session),
        **question_of(session),
        "policy": policy_name(session.policy),
        "mode": session.mode,
        "pending": pending_label(session),
        "chain": [
            [labels.human(name_of(s)), labels.clean(labels.words(s), 120), int(labels.is_off(s))]
            for s in session.chain.shapers
        ],
        "savings": [saving_of(history, s) for s in session.chain.shapers],
        "fills": fills_of(session, history),
        **history.direction.state(),
        "notices": list(history.notices) if is_recording(session.model) else [],
    }


def is_recording(model: Any) -> bool:
    """True for a model that plays what was recorded: it notes where the run would have gone another way."""
    return hasattr(model, "said_after")


def question_of(session: Session) -> dict[str, Any]:
    """The command that waits: all of it, for who allows it must have seen it, and what holds it."""
    workspace, command = session.workspace, session.question
    if not command:
        return {"question": "", "question_number": 0, "question_editable": False, "held_by": ""}
    shown = visible(command[:MOST_SHOWN_CHARS])
    more = len(command) - MOST_SHOWN_CHARS
    if more > 0:
        shown += f"\n… {more:,} characters more, which are NOT shown here"
    return {
        "question": shown,
        "question_number": getattr(workspace, "question_number", 0),
        "question_editable": more <= 0 and bool(getattr(workspace, "question_editable", False)),
        "held_by": labels.clean(getattr(workspace, "containment", ""), 200),
    }


def source_label(source: str, observed: int) -> str:
    """Whether a number was counted, calibrated or estimated.

    >>> source_label("calibrated", 1), source_label("estimated", 0)
    ('calibrated by 1 reply', 'estimated')
    """
    if source != "calibrated":
        return source
    return f"calibrated by {observed:,} {'reply' if observed == 1 else 'replies'}"


def cached_ratio(session: Session) -> float | None:
    """The share of all input tokens that the provider served from its cache; None before the first."""
    sent = session.input_tokens_sent
    return floor(100 * session.cached_tokens / sent) / 100 if sent else None


def policy_name(policy: str | None) -> str:
    """The policy in force; `custom` for a chain made by hand."""
    return policy if policy in POLICIES else "custom"


def pending_label(session: Session) -> str:
    """What a swap that waits for the next step says; empty when none waits."""
    if session.pending is None:
        return ""
    return f"Changes apply from step {session.steps + 2:,}."


def saving_of(history: History, shaper: Any) -> list[int]:
    """Last step, tokens saved then, times, tokens saved in all; empty for a layer that never acted."""
    saving = history.savings.get(name_of(shaper))
    return [saving.last_step, saving.last_tokens, saving.times, saving.tokens] if saving else []


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The entries of `after` that are not the same in `before`.

    >>> changed({"a": 1, "b": 2}, {"a": 1, "b": 3})
    {'b': 3}
    """
    return {key: value for key, value in after.items() if key not in before or before[key] != value}
