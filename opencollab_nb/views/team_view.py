"""A declared team as the value of a cell: a picture, and a table that says the same in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from opencollab_nb.policy import Policy
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.views.results import Shown
from opencollab_nb.views.snapshot import counted
from opencollab_nb.views.tables import Table
from opencollab_nb.views.team_drawing import allowance_words, drawing
from opencollab_nb.views.text import head

COLUMNS = ("role", "may spend", "model", "tools", "context", "may spawn", "may message", "prompt")
PROMPT_CHARS, LIST_CHARS = 90, 80


@dataclass(frozen=True, repr=False)
class TeamView(Shown):
    """Who is in a team, who may spawn and message whom, and what each may spend."""

    spec: TeamSpec

    def table(self) -> Table:
        """A row a role."""
        rows = [self._row(name) for name in self.spec.names]
        return Table(COLUMNS, rows, self._title(), self._notes())

    def _repr_html_(self) -> str:
        return f"<div class='mathjax_ignore tex2jax_ignore'>{drawing(self.spec)}{self.table().html()}</div>"

    def _row(self, name: str) -> tuple[object, ...]:
        spec, role = self.spec, self.spec.role(name)
        policy = spec.context_of(name)
        tools = "all" if role.tools is None else ", ".join(role.tools) or "none"
        model = spec.model_of(name) or "the team's"
        if role.temperature is not None:
            model += f", temperature {role.temperature:g}"
        return (
            f"{name} (gets the task)" if name == spec.entry else name,
            allowance_words(spec, name),
            head(model, LIST_CHARS),
            head(tools, LIST_CHARS),
            _policy_words(policy),
            head(", ".join(spec.topology.may_spawn(name)) or "nobody", LIST_CHARS),
            head(", ".join(spec.topology.may_message(name)) or "nobody", LIST_CHARS),
            head(role.prompt, PROMPT_CHARS),
        )

    def _title(self) -> str:
        spec = self.spec
        what = "seat" if spec.declared else "role"
        return f"team {head(spec.name, LIST_CHARS)}: {counted(len(spec.roles), what)}, {self._pool()}"

    def _pool(self) -> str:
        spec = self.spec
        if spec.allowances:
            return f"each with an allowance of its own; the pool is their sum, {spec.pool_tokens:,} tokens"
        if spec.shared_tokens is None:
            return "no limit in the file: give budget_tokens="
        if spec.declared:
            return f"all on one pool of {spec.shared_tokens:,} tokens"
        return f"one pool of {spec.shared_tokens:,} tokens; what a member leaves over goes back when it ends"

    def _notes(self) -> list[str]:
        alone = self.spec.unreachable
        if not alone:
            return []
        return [
            f"no edge leads to {', '.join(alone)}: only you can set "
            f"{'it' if len(alone) == 1 else 'them'} to work, with say(text, to={alone[0]!r})"
        ]


def _policy_words(policy: Policy) -> str:
    """The policy by its name, and what it has of its own."""
    own = {key: value for key, value in asdict(policy).items() if value != getattr(Policy(), key)}
    own.pop("policy", None)
    return ", ".join([policy.policy, *(f"{key} {value}" for key, value in own.items())])
