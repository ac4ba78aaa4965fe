"""A team as it was declared: roles, who may spawn and message whom, and what each may spend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from opencollab_nb.errors import UnknownName
from opencollab_nb.policy import Policy

Edge = tuple[str, str]
"""From whom, to whom: two names of roles."""


@dataclass(frozen=True)
class Role:
    """One role of a team."""

    name: str
    prompt: str = ""
    """Who this member is and how it works: its system message."""
    model: str | None = None
    """The name of a model, never an endpoint; None for the team's."""
    tools: tuple[str, ...] | None = None
    """Names of the workspace's tools that it is offered; None for all, empty for none."""
    temperature: float | None = None
    budget_tokens: int | None = None
    """Its own allowance; None where the team's says it, or there are no allowances."""
    context: Policy | None = None
    """Its own context policy; None for the team's."""
    skill: str = ""
    """How-to that it keeps at hand, word for word."""


@dataclass(frozen=True)
class Topology:
    """Who may spawn whom, and who may send messages to whom.

    >>> topology = Topology(spawn=(("lead", "coder"), ("lead", "tester")), message=(("coder", "tester"),))
    >>> topology.may_spawn("lead"), topology.may_message("coder"), topology.may_message("tester")
    (('coder', 'tester'), ('tester',), ())
    """

    spawn: tuple[Edge, ...] = ()
    message: tuple[Edge, ...] = ()

    def may_spawn(self, role: str) -> tuple[str, ...]:
        """The roles that this one may spawn, in the order of the file."""
        return _targets(self.spawn, role)

    def may_message(self, role: str) -> tuple[str, ...]:
        """The roles that this one may send messages to, in the order of the file."""
        return _targets(self.message, role)


@dataclass(frozen=True)
class TeamSpec:
    """A declared team.

    With allowances each role is one seat, there before the first call, and the pool is their sum. Without
    them the roles that may be spawned get their members when they are, and all share one pool.

    >>> roles = (Role("lead"), Role("coder", budget_tokens=5_000))
    >>> team = TeamSpec("lead", roles, budget_tokens=20_000)
    >>> dict(team.allowances), team.pool_tokens
    ({'lead': 20000, 'coder': 5000}, 25000)
    """

    entry: str
    """The role that gets the task."""
    roles: tuple[Role, ...]
    topology: Topology = Topology()
    context: Policy = field(default_factory=Policy)
    """The context policy of every role that has none of its own."""
    budget_tokens: int | None = None
    """The allowance of each seat that has none of its own."""
    shared_tokens: int | None = None
    """One pool for all, in place of allowances."""
    name: str = "team"
    task: str | None = None
    project: str = ""
    """Notes about the project, for every member; the first to leave under pressure."""
    model: str | None = None
    """The name of the model of every role that has none of its own."""
    window: int | None = None
    """Context window of every member in tokens; None for that of its model."""
    max_steps: int | None = None
    """Steps that each member may take."""

    @property
    def names(self) -> tuple[str, ...]:
        """The roles' names, in the order of the file."""
        return tuple(role.name for role in self.roles)

    def role(self, name: str) -> Role:
        """The role of that name.

        Raises:
            UnknownName: there is none; names the nearest.
        """
        for role in self.roles:
            if role.name == name:
                return role
        raise UnknownName("role", name, self.names)

    @property
    def allowances(self) -> Mapping[str, int]:
        """Tokens each seat may spend; empty where there are no allowances."""
        each = {role.name: role.budget_tokens or self.budget_tokens for role in self.roles}
        return {name: tokens for name, tokens in each.items() if tokens}

    @property
    def pool_tokens(self) -> int | None:
        """What all may spend together: the sum of the allowances, else the shared pool, else None."""
        return sum(self.allowances.values()) or self.shared_tokens

    @property
    def declared(self) -> bool:
        """True where every role is a seat from the start: there are allowances, or nobody may spawn."""
        return bool(self.allowances) or not self.topology.spawn

    @property
    def unreachable(self) -> tuple[str, ...]:
        """Roles that no edge leads to from the entry: only the user can set them to work."""
        reached, fresh = {self.entry}, [self.entry]
        while fresh:
            role = fresh.pop()
            for to in (*self.topology.may_spawn(role), *self.topology.may_message(role)):
                if to not in reached:
                    reached.add(to)
                    fresh.append(to)
        return tuple(name for name in self.names if name not in reached)

    def context_of(self, name: str) -> Policy:
        """The context policy in force for a role."""
        return self.role(name).context or self.context

    def model_of(self, name: str) -> str | None:
        """The name of a role's model; None where the file names none."""
        return self.role(name).model or self.model


def _targets(edges: Iterable[Edge], role: str) -> tuple[str, ...]:
    return tuple(to for source, to in edges if source == role)
