"""The budget rules of a team file: an allowance for all seats or for none, and no pool beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from opencollab_nb.team.parts import tokens_at
from opencollab_nb.team.reading import Entry, Place


class Allowed(NamedTuple):
    """What the file lets the team spend, in tokens."""

    each_tokens: int | None = None
    """Each seat that has no allowance of its own."""
    pool_tokens: int | None = None
    """All together, where no seat has an allowance."""
    own: Mapping[str, int] = {}
    """Seats with an allowance of their own."""


def allowed_at(
    top: Place, budget: Place | None, roles: Mapping[str, Entry], own: Mapping[str, Place]
) -> Allowed:
    """The allowances that the file gives, checked against one another.

    Args:
        top: of the file.
        budget: the team's, None where there is none.
        roles: all roles, by name.
        own: the budgets of those that have one.
    """
    said = {} if budget is None else tokens_at(budget, pool=True)
    each = said["tokens"][1] if "tokens" in said else None
    read = {name: tokens_at(place, pool=False).get("tokens") for name, place in own.items()}
    if budget is not None and "pool" in said and ("tokens" in said or own):
        budget.wrong(
            "a separate pool is refused where seats have allowances: the pool is their sum; take out `pool`",
            said["pool"][0].key,
        )
    lacking = [name for name in roles if name not in own]
    if own and lacking and "tokens" not in said:
        top.wrong(
            f"an allowance for all seats or for none: {', '.join(lacking)} "
            f"{'has' if len(lacking) == 1 else 'have'} none; give budget: {{tokens: N}} there, or at the top",
            roles[lacking[0]].key,
        )
    tokens = {name: found[1] for name, found in read.items() if found is not None and found[1] is not None}
    return Allowed(each, said["pool"][1] if "pool" in said else None, tokens)
