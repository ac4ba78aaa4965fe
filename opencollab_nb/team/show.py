"""A team as a small static table; the live panel lies in `views`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opencollab_nb.budget.tabular import as_html as table
from opencollab_nb.budget.tabular import shown
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
    rows = []
    for one in team.result.values():
        numbers = (
            one.steps,
            one.tokens,
            "from the pool" if one.granted_tokens is None else one.granted_tokens,
        )
        rows.append((one.member, one.role, one.outcome, *numbers, one_line(one.text, 100)))
    return KNOWN.struck(f"<div><p>{shown(caption)}</p>{table(HEADER, rows)}</div>")
