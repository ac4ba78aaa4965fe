"""What a member knows before its first step: sources in layers, put together by one plan.

Each message carries its layer's priority. From `PIN_FLOOR` up shaping pins it; what lies below, the notes
on the project, leaves first under pressure, and the transcript still holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import PIN_FLOOR, SYSTEM_PRIORITY, TASK_PRIORITY, Message, Messages
from opencollab_nb.team.roster import Role, TeamSpec

LAYERS: Mapping[str, int] = MappingProxyType(
    {"identity": SYSTEM_PRIORITY, "team": 90, "skill": 85, "project": 30, "task": TASK_PRIORITY}
)
"""Priority of each layer, in the order in which a member reads them: the task last, what is lost first
just before it."""
SOURCE = "context"
"""`meta.source` of what is put beside the conversation."""


@dataclass(frozen=True)
class Source:
    """One text of a member's context, and the layer it belongs to."""

    layer: str
    text: str

    def __post_init__(self) -> None:
        if self.layer not in LAYERS:
            raise UnknownName("layer", self.layer, LAYERS)

    @property
    def priority(self) -> int:
        """That of its layer."""
        return LAYERS[self.layer]

    @property
    def pinned(self) -> bool:
        """True where no shaper may change it."""
        return self.priority >= PIN_FLOOR


@dataclass(frozen=True)
class Plan:
    """The context of one member, in the order in which it is read.

    >>> given = {"task": "Add tests.", "identity": "You code.", "project": "A shop."}
    >>> plan = planned(Source(layer, text) for layer, text in given.items())
    >>> [(m["role"], m["meta"]["priority"]) for m in plan.messages]
    [('system', 100), ('user', 30), ('user', 80)]
    """

    sources: tuple[Source, ...]

    def text(self, layer: str) -> str:
        """All of a layer; empty where nothing was given.

        Raises:
            UnknownName: no such layer.
        """
        if layer not in LAYERS:
            raise UnknownName("layer", layer, LAYERS)
        return "\n\n".join(source.text for source in self.sources if source.layer == layer)

    @property
    def system(self) -> str:
        """The system message: `Session(system=...)`."""
        return self.text("identity")

    @property
    def task(self) -> str:
        """The task: `Session(task)`."""
        return self.text("task")

    @property
    def context(self) -> Messages:
        """What stands between the two: `Session(context=...)`."""
        return [
            _message(layer, self.text(layer)) for layer in ("team", "skill", "project") if self.text(layer)
        ]

    @property
    def messages(self) -> Messages:
        """All of it as messages, each with the priority of its layer."""
        return [_message(layer, text) for layer in LAYERS if (text := self.text(layer))]


def planned(sources: Iterable[Source]) -> Plan:
    """Put sources in order, the texts of one layer together; empty ones are left out.

    Raises:
        UsageProblem: there is no task.
    """
    order = list(LAYERS)
    kept = sorted((s for s in sources if s.text.strip()), key=lambda source: order.index(source.layer))
    if not any(source.layer == "task" for source in kept):
        raise UsageProblem("a member needs a task: give Source('task', ...)")
    return Plan(tuple(kept))


def member_plan(
    spec: TeamSpec,
    role: str,
    task: str,
    *,
    member: str | None = None,
    project: str | None = None,
    more: Iterable[Source] = (),
) -> Plan:
    r"""The plan of one member of a team.

    Args:
        spec: the team.
        role: the member's.
        task: what it is to do.
        member: its name; None for that of the role.
        project: notes on the project; None for those of the team's file.
        more: sources besides, such as a second skill.

    Raises:
        UnknownName: no such role.
        UsageProblem: there is no task.

    >>> team = TeamSpec("coder", (Role("coder", "You write code."), Role("tester", "You test.\nAll of it.")))
    >>> print(member_plan(team, "coder", "Add tests.").text("team"))
    [Team] You are `coder`, which gets the user's task, in the team `team`.
    - `tester`: You test.
    You can send messages to nobody; what you say last is your result.
    """
    own = spec.role(role)
    return planned(
        [
            Source("identity", own.prompt),
            Source("team", team_text(spec, own, member or role)),
            Source("skill", own.skill and f"[Skill]\n{own.skill}"),
            Source(
                "project",
                (project := spec.project if project is None else project) and f"[Project]\n{project}",
            ),
            Source("task", task),
            *more,
        ]
    )


def team_text(spec: TeamSpec, own: Role, member: str) -> str:
    """Who is in the team, and whom this member may spawn and message."""
    called = f"`{member}`" if member == own.name else f"`{member}`, a `{own.name}`"
    entry = ", which gets the user's task," if own.name == spec.entry else ""
    others = [f"- `{role.name}`: {_first_line(role.prompt)}" for role in spec.roles if role.name != own.name]
    spawns = _listed(spec.topology.may_spawn(own.name))
    can = [f"You can spawn members as: {spawns}; the result of each comes back to you."] if spawns else []
    messages = _listed(spec.topology.may_message(own.name)) or "nobody"
    can.append(f"You can send messages to {messages}; what you say last is your result.")
    return "\n".join([f"[Team] You are {called}{entry} in the team `{spec.name}`.", *others, *can])


def _message(layer: str, text: str) -> Message:
    source = {"identity": "system", "task": "task"}.get(layer, SOURCE)
    role = "system" if layer == "identity" else "user"
    return {
        "role": role,
        "content": text,
        "meta": {"source": source, "layer": layer, "priority": LAYERS[layer]},
    }


def _first_line(text: str) -> str:
    """As much of a prompt as tells the others what a role is for."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 120 else f"{line[:119]}…"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
