"""What `%oc team` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.team.shipped import shipped
from opencollab_nb.views.deeds import Order
from opencollab_nb.views.names import Names
from opencollab_nb.views.team_view import TeamView

ACTS = ("show",)


def team(order: Order) -> Any:
    """Show a team."""
    act, *rest = order.texts or ["show"]
    if act not in ACTS:
        raise UnknownName("deed of a team", act, ACTS)
    if len(rest) != 1:
        raise UsageProblem(
            f"show which team? %oc team show FILE, a Python name, or {' | '.join(sorted(shipped()))}"
        )
    return TeamView(team_named(rest[0], order.user_names))


def team_named(name: str, user_names: Mapping[str, Any]) -> TeamSpec:
    """The team of a Python name, else of a file or a shipped one."""
    given = user_names.get(name)
    given = getattr(given, "spec", given)
    return read_team(given if isinstance(given, TeamSpec | Mapping) else name)


def team_words(_names: Names, user_names: Mapping[str, Any]) -> Iterable[str]:
    """What may follow: what to do, shipped teams, Python names of teams."""
    own = [n for n, v in user_names.items() if not n.startswith("_") and _is_team(v)]
    return [*ACTS, *sorted(shipped()), *own]


def _is_team(value: Any) -> bool:
    return isinstance(getattr(value, "spec", value), TeamSpec)
