"""A session in one line, and as a small static table; the live panel lies in `views`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.accounts import one_line
from opencollab_nb.session.opening import label_of

if TYPE_CHECKING:
    from opencollab_nb.session.session import Session


def as_text(session: Session) -> str:
    """One line."""
    reason = f": {one_line(session.detail)}" if session.detail and session.state.startswith("stopped") else ""
    context = f"step {session.steps}, {_context(session)}"
    return KNOWN.struck(f"Session({one_line(session.task, 40)!r}, {context}, {session.state}{reason})")


def as_html(session: Session) -> str:
    """A table without scripts; every text is escaped."""
    rows = {
        "task": one_line(session.task),
        "model": one_line(label_of(session.model)) if session.model is not None else "none given yet",
        "state": f"{session.state}. {session.detail}" if session.detail else session.state,
        "steps": f"{session.steps:,}" + (f" of {session.max_steps:,}" if session.max_steps else ""),
        "context": _context(session),
        "spent": f"{session.spent_tokens:,} tokens"
        + (f" of {session.budget_tokens:,}" if session.budget_tokens else "")
        + _chain_spent(session),
        "shapers": f"{session.policy or 'custom'}: {session.chain!r}",
        "run folder": str(session.path),
    }
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(one_line(text, 400))}</td></tr>"
        for name, text in rows.items()
    )
    caption = escape(one_line(session.name, 60))
    return KNOWN.struck(
        f"<table class='mathjax_ignore tex2jax_ignore'><caption>Session {caption}</caption>{cells}</table>"
    )


def _chain_spent(session: Session) -> str:
    """What the whole work has cost, where earlier sessions had a part in it."""
    total = session.chain_spent_tokens
    return f", {total:,} with the sessions before it" if total > session.spent_tokens else ""


def _context(session: Session) -> str:
    last = session.trace.last("request")
    if last is None:
        return "nothing sent yet"
    # Events of files from elsewhere may lack what ours have; a session must still have a repr.
    window, tokens = last.get("window"), last.get("tokens", 0)
    of, unknown = (f" of {window:,}", "") if window else ("", ", window unknown")
    return f"{tokens:,}{of} tokens ({last.get('source', 'unknown')}{unknown})"
