"""A team's state as its panel shows it: small plain values, so that only what changed is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.team.ledger import COLUMNS, row_of
from opencollab_nb.team.outcome import NEVER_ACTED
from opencollab_nb.views.labels import clean, model_label, window_label
from opencollab_nb.views.snapshot import counted
from opencollab_nb.views.state import question_of

if TYPE_CHECKING:
    from opencollab_nb.session import Session
    from opencollab_nb.team import Team
    from opencollab_nb.views.team_lanes import Lane, Lanes

MOST_AT_WORK = 4
QUESTIONS_A_MEMBER = 1_000_000
"""The number of a question on screen is the member's own and its lane times this."""


def team_state(team: Team, lanes: Lanes) -> dict[str, Any]:
    """Everything on the panel that is not a step, a message, a mark, a log line or one member's."""
    ledger = team.ledger
    return {
        "run": team.state,
        "detail": clean(team.detail, 300),
        "doing": doing(team),
        "step": lanes.tick,
        "max_steps": None,
        "name": clean(team.spec.name, 60),
        "model": models_of(team),
        "window_label": counted(len(lanes.lanes), "member"),
        "entry": team.spec.entry,
        "pool": ledger.pool_tokens,
        "spent": ledger.spent_tokens,
        "left": ledger.unallocated_tokens,
        "rule": rule_of(team),
        **asked(team, lanes),
    }


def lane_of(lane: Lane) -> list[Any]:
    """What is known of a member from its beginning on."""
    return [clean(lane.name, 60), clean(lane.role, 60), lane.parent, lane.began, lane.task]


def figures_of(team: Team, lane: Lane) -> list[Any]:
    """How a member stands: outcome, own steps, its account, its trigger."""
    member, books = team.members.get(lane.name), team.ledger.books
    session = None if member is None else member.session
    outcome = NEVER_ACTED if member is None else member.outcome
    account = row_of(books, lane.name) if lane.name in books else {}
    # The state of the account is said by the outcome.
    tokens = [account.get(name, 0) for name in COLUMNS[:-1]]
    trigger = 0 if session is None else session.pressure.snapshot().trigger
    return [outcome, lane.steps, *tokens, trigger]


def rule_of(team: Team) -> str:
    """How the pool is shared."""
    if team.spec.allowances:
        return "each seat has an allowance of its own"
    return "all draw on one pool" if team.spec.declared else "what a member leaves over goes back to the pool"


def doing(team: Team) -> str:
    """Who is making a step."""
    busy = [clean(name, 30) for name, member in team.members.items() if member.busy]
    if not busy:
        return ""
    more = f" and {len(busy) - MOST_AT_WORK} more" if len(busy) > MOST_AT_WORK else ""
    return f"{', '.join(busy[:MOST_AT_WORK])}{more} at work"


def models_of(team: Team) -> str:
    """The models of those that have begun."""
    sessions = sessions_of(team)
    names = dict.fromkeys(clean(model_label(session.model), 60) for session in sessions)
    windows = dict.fromkeys(window_label(s.pressure.window, s.pressure.window_source) for s in sessions)
    name = next(iter(names), "") if len(names) < 2 else f"{len(names)} models"
    return ", ".join(filter(None, [name, next(iter(windows), "") if len(windows) == 1 else ""]))


def sessions_of(team: Team) -> list[Session]:
    """Of those that have begun."""
    return [member.session for member in team.members.values() if member.session is not None]


def asked(team: Team, lanes: Lanes) -> dict[str, Any]:
    """The command of a member that waits for an answer, the first if there are several."""
    for name, member in team.members.items():
        if member.session is not None and member.session.question:
            found = question_of(member.session)
            at = lanes.lane(name).at
            found["question_number"] += at * QUESTIONS_A_MEMBER
            return {**found, "asker": clean(name, 60)}
    return {"question": "", "question_number": 0, "question_editable": False, "held_by": "", "asker": ""}
