"""A team as a small static table; the live panel lies in `views`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.accounts import one_line

if TYPE_CHECKING:
    from opencollab_nb.team.team import Team

HEADER = ("member", "role", "outcome", "steps", "tokens", "granted", "said last")


def as_html(team: Team) -> str:
    """A row a member, without scripts; every text is escaped."""
    pool, detail = team.ledger.pool_tokens, f". {team.detail}" if team.detail else ""
    spent = f"{team.ledger.spent_tokens:,}" + ("" if pool is None else f" of {pool:,}")
    caption = f"Team {one_line(team.spec.name, 60)}: {team.state}{detail} · {spent} tokens"
    rows: list[tuple[object, ...]] = [HEADER]
    for one in team.result.values():
        granted = "from the pool" if one.granted_tokens is None else f"{one.granted_tokens:,}"
        numbers = (f"{one.steps:,}", f"{one.tokens:,}", granted)
        rows.append((one.member, one.role, one.outcome, *numbers, one_line(one.text, 100)))
    lines = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return KNOWN.struck(
        f"<table class='mathjax_ignore tex2jax_ignore'><caption>{escape(caption)}</caption>{lines}</table>"
    )
