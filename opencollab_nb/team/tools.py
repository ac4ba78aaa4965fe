"""The tools that the members of a team have beside those of the workspace: spawn, message, wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opencollab_nb.session.extras import ExtraTool

if TYPE_CHECKING:
    from opencollab_nb.team.crew import Crew
    from opencollab_nb.team.member import Member

SPAWN, MESSAGE, WAIT = "spawn_agent", "send_message", "wait"


def tools_of(crew: Crew, member: Member) -> tuple[ExtraTool, ...]:
    """The tools of a member, as the topology has it; none that it could not use."""
    topology, role = crew.spec.topology, member.role.name
    may_spawn, may_message = topology.may_spawn(role), topology.may_message(role)
    tools = []
    if may_spawn:
        tools.append(spawn_tool(crew, member, may_spawn))
    if may_message:
        tools.append(message_tool(crew, member, may_message))
    if may_spawn or may_message or any(to == role for _, to in topology.message):
        tools.append(wait_tool(crew, member))
    return tuple(tools)


def spawn_tool(crew: Crew, member: Member, roles: tuple[str, ...]) -> ExtraTool:
    """Give a task to another agent."""
    from opencollab_nb.team.acts import spawn

    def act(arguments: Mapping[str, Any]) -> str:
        return spawn(crew, member, arguments["role"], arguments["task"])

    about = (
        "Give a task to another agent, which works on it by itself with tokens of its own. It knows nothing "
        "but the task: say all it needs. Its result comes to you as a message."
    )
    return ExtraTool(
        SPAWN,
        about,
        act,
        {
            "role": {"type": "string", "enum": list(roles), "description": "What kind of agent."},
            "task": {"type": "string", "description": "What it is to do, and how one sees that it is done."},
        },
        ("role", "task"),
        branches=False,
    )


def message_tool(crew: Crew, member: Member, roles: tuple[str, ...]) -> ExtraTool:
    """Say something to another member."""
    from opencollab_nb.team.acts import send

    def act(arguments: Mapping[str, Any]) -> str:
        return send(crew, member, arguments["to"], arguments["text"])

    about = "Say something to another agent of the team. It reads it before its next step."
    to = f"Name of the agent; you may write to: {', '.join(roles)}."
    return ExtraTool(
        MESSAGE,
        about,
        act,
        {
            "to": {"type": "string", "description": to},
            "text": {"type": "string", "description": "What it is to know or to do."},
        },
        ("to", "text"),
        branches=False,
    )


def wait_tool(crew: Crew, member: Member) -> ExtraTool:
    """Make no further step before something comes in."""
    from opencollab_nb.team.acts import wait

    about = "Make no further step until a message or a result comes in. Costs nothing meanwhile."
    return ExtraTool(WAIT, about, lambda _: wait(crew, member), branches=False)
