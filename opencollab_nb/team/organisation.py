"""How a team shares its tokens, and the team of which nothing was declared."""

from __future__ import annotations

from dataclasses import replace

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.orders import check_limit
from opencollab_nb.team.allocation import DeclaredRule, DynamicRule, Rule, WorkflowRule
from opencollab_nb.team.roster import Role, TeamSpec, Topology

LEAD_PROMPT = (
    "You lead a small team. Split the task into parts that can be done and checked one by one, give each "
    "to an agent with all it needs to know, wait for what comes back, look at it, and put it together. What "
    "is left when an agent runs out you finish yourself or give to another one. When the task is finished, "
    "say so in a message without a tool call."
)
AGENT_PROMPT = (
    "You are an agent of a small team. Do the task that you were given and no more: look before you change, "
    "check what you did, and say at the end in a few lines what is done and what is left."
)
DEFAULT = TeamSpec(
    "lead",
    (Role("lead", LEAD_PROMPT), Role("agent", AGENT_PROMPT)),
    Topology(spawn=(("lead", "agent"),), message=(("lead", "agent"), ("agent", "lead"))),
)
"""A lead that spawns agents of one kind, for a team of which nothing was declared."""


def with_pool(spec: TeamSpec, budget_tokens: int | None) -> TeamSpec:
    """The team with this pool.

    Raises:
        UsageProblem: its seats have allowances of their own, the sum of which is the pool.
    """
    check_limit("budget_tokens", budget_tokens)
    if budget_tokens is None:
        return spec
    if spec.allowances:
        raise UsageProblem(
            f"budget_tokens is {budget_tokens:,}, but the seats of {spec.name!r} have allowances of their "
            f"own, {spec.pool_tokens:,} tokens together: give one or the other"
        )
    return replace(spec, shared_tokens=budget_tokens)


def rule_of(spec: TeamSpec) -> tuple[str, Rule]:
    """How the pool of a team is shared, and what that is called.

    >>> rule_of(DEFAULT)
    ('dynamic', DynamicRule(total_tokens=None))
    """
    if spec.allowances:
        return "declared", DeclaredRule(dict(spec.allowances))
    if spec.declared:
        return "shared", WorkflowRule(spec.shared_tokens)
    return "dynamic", DynamicRule(spec.shared_tokens)
