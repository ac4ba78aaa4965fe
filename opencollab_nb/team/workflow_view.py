"""What a workflow shows of its agents: a frame, a table for a page, and the audit that a team has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.tabular import as_html as table
from opencollab_nb.budget.tabular import shown
from opencollab_nb.team.agents import AgentResult
from opencollab_nb.team.audit import TeamAudit, audit_of
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.member import Member
from opencollab_nb.team.roster import Role, TeamSpec
from opencollab_nb.trace import Trace
from opencollab_nb.trace.frame import pandas

if TYPE_CHECKING:
    from opencollab_nb.team.workflow import Workflow

COLUMNS = ("agent", "role", "outcome", "steps", "tokens", "text", "detail")


@dataclass(frozen=True)
class Course:
    """A workflow as the audit reads a team: its agents are the members, and nobody is the entry."""

    trace: Trace
    path: Path
    ledger: Ledger
    spec: TeamSpec
    members: Mapping[str, Member]
    result: Mapping[str, AgentResult]
    state: str


def rows_of(flow: Workflow) -> list[list[Any]]:
    """One row an agent that has ended."""
    return [[r.name, r.call.role, r.outcome, r.steps, r.tokens, r.text, r.detail] for r in flow.results]


def to_frame(flow: Workflow) -> Any:
    """One row an agent: role, outcome, steps, tokens, and what it said last."""
    return pandas("`workflow.results` holds the same").DataFrame(rows_of(flow), columns=list(COLUMNS))


def as_html(flow: Workflow) -> str:
    """The same as a table for a page, below a line on the pool; every text is escaped."""
    return f"<div><p>{shown(repr(flow))}</p>{table(COLUMNS, rows_of(flow))}</div>"


def audit(flow: Workflow, prices: Any = None) -> TeamAudit:
    """Role, behaviour, result and cost of each agent that has ended, and of the run; see `Team.audit`.

    Args:
        flow: at rest or at work.
        prices: as for a team.

    Raises:
        UsageProblem: (a ValueError) prices that cannot be used, or pandas cannot be imported.
    """
    results = list(flow.results)
    roles = {result.call.role: Role(result.call.role) for result in results}
    members = {
        result.name: Member(result.name, roles[result.call.role], result.session, task=result.call.task)
        for result in results
    }
    course = Course(
        flow.trace,
        flow.path,
        flow.ledger,
        TeamSpec("", tuple(roles.values()), name="workflow"),
        members,
        {result.name: result for result in results},
        "at work" if flow.busy else "at rest",
    )
    return audit_of(course, prices)
