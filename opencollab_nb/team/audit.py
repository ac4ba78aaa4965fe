"""The audit of a team: role, behaviour, result and cost of each member, and the run as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.tabular import as_html, as_text, shown
from opencollab_nb.errors import TranscriptError
from opencollab_nb.team.audit_rows import Row, Seen, behaviour_row, cost_row, result_row, role_row
from opencollab_nb.team.ledger import row_of
from opencollab_nb.team.outcome import OUTCOMES
from opencollab_nb.trace.frame import pandas

if TYPE_CHECKING:
    from opencollab_nb.team.team import Team

OPENING = "organisation"
SHOWN = ("member", "role", "outcome", "steps", "reads", "edits", "sent", "received", "granted", "used")
"""Columns of the short table."""


@dataclass(frozen=True, repr=False)
class TeamAudit:
    """What a team was, did, came to and cost.

    Each table has one row a member, in the order in which they came, and then one for each role that nobody
    was spawned for. `member` names the rows; in `run` there is one.
    """

    organisation: Mapping[str, Any]
    """What the run's record opens with: the team as it was declared, its task, its rule and its pool."""
    roles: Any
    """What each was meant to be: role, parent, task, model, policy, tools, edges, prompt."""
    behaviour: Any
    """What each did: steps, calls, reads, edits, messages, spawns, waits, compactions, refusals."""
    results: Any
    """What came of each: outcome, why, what it said last."""
    cost: Any
    """What each was granted, spent and gave back in tokens; dollars where prices are known."""
    run: Any
    """The run as one row: members by outcome, and sums."""

    @property
    def members(self) -> Any:
        """All four side by side."""
        joined = self.roles
        for frame in (self.behaviour, self.results.drop(columns="role"), self.cost):
            joined = joined.merge(frame, on="member", validate="one_to_one")
        return joined

    def __repr__(self) -> str:
        header, rows = self._short()
        return f"{self._opening()}\n{as_text(header, rows)}"

    def _repr_html_(self) -> str:
        header, rows = self._short()
        return f"<div><p>{shown(self._opening())}</p>{as_html(header, rows)}</div>"

    def _opening(self) -> str:
        said = self.organisation
        pool = said["pool_tokens"]
        tokens = "no limit" if pool is None else f"{pool:,} tokens"
        return f"team {said['team']}, {said['rule']} rule, {tokens}: {said['task']}"

    def _short(self) -> tuple[Sequence[str], list[list[object]]]:
        rows = self.members[list(SHOWN)].to_dict("records")
        return SHOWN, [[_plain(row[name]) for name in SHOWN] for row in rows]


def audit(team: Team, prices: Any = None) -> TeamAudit:
    """The audit of a team as it stands, from its own record and those of its members.

    Args:
        team: at rest or at work.
        prices: a `Prices`, a mapping with `input`, `cached` and `output` in dollars per million tokens, or
            the name of a model whose prices are known; None for those of each member's model.

    Raises:
        TranscriptError: the record does not open with the declared organisation.
        UsageProblem: (a ValueError) prices that cannot be used, or pandas cannot be imported.
    """
    return audit_of(team, prices)


def audit_of(team: Any, prices: Any = None) -> TeamAudit:
    """The audit of a team, or of what has its `trace path ledger spec members result state`."""
    events = tuple(team.trace.events)
    if not events or events[0]["kind"] != OPENING:
        raise TranscriptError(f"the record of {team.path} does not open with the declared organisation")
    all_seen = members_of(team, events)
    frame = pandas("`team.result` holds outcomes and tokens").DataFrame
    roles = [role_row(team.spec, seen) for seen in all_seen]
    behaviour = [behaviour_row(seen) for seen in all_seen]
    results = [result_row(seen) for seen in all_seen]
    cost = [cost_row(seen, prices) for seen in all_seen]
    return TeamAudit(
        {key: value for key, value in events[0].items() if key not in ("n", "kind", "step")},
        frame(roles),
        frame(behaviour),
        frame(results),
        frame(cost).astype({"granted": "Int64"}),
        frame([run_row(team, events[0], behaviour, results, cost)]),
    )


def members_of(team: Any, events: Sequence[Mapping[str, Any]]) -> list[Seen]:
    """All members, and the roles that nobody was spawned for."""
    members, results, books = team.members, team.result, team.ledger.books
    found = [
        Seen(
            name,
            member.role.name,
            member,
            results.get(name),
            row_of(books, name) if name in books else None,
            events,
        )
        for name, member in members.items()
    ]
    there = {seen.role for seen in found}
    return [*found, *(Seen(name, name, team_events=events) for name in team.spec.names if name not in there)]


def run_row(
    team: Any,
    opening: Mapping[str, Any],
    behaviour: Sequence[Row],
    results: Sequence[Row],
    cost: Sequence[Row],
) -> Row:
    """The run as a whole."""
    outcomes = [row["outcome"] for row in results]
    known = [row["dollars"] for row in cost if row["model_calls"]]
    return {
        "team": opening["team"],
        "task": opening["task"],
        "state": team.state,
        "rule": opening["rule"],
        "pool_tokens": opening["pool_tokens"],
        "members": len(team.members),
        **{name.replace(" ", "_"): outcomes.count(name) for name in OUTCOMES},
        "not_ended": sum(outcome not in OUTCOMES for outcome in outcomes),
        **{
            name: sum(row[name] for row in behaviour)
            for name in ("steps", "calls", "edits", "sent", "spawned")
        },
        **{
            name: sum(row[name] for row in cost)
            for name in ("used", "input_tokens", "cached_tokens", "output_tokens")
        },
        "dollars": None if not known or None in known else sum(known),
    }


def _plain(value: Any) -> object:
    """A cell of a frame: what is missing there is None here, whole numbers are whole."""
    if value is None or value != value or str(value) == "<NA>":
        return None
    if isinstance(value, str):
        return value
    return int(value)
