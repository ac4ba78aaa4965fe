"""Small teams for tests: scripted models by role, calls of the team's tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.messages import Message, meta_of, text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.team import Role, Team, TeamSpec
from opencollab_nb.team.mail import NUMBER
from opencollab_nb.team.roster import Edge, Topology
from opencollab_nb.tokens.usage import Usage


def act(name: str, call_id: str = "c", **arguments: Any) -> dict[str, Any]:
    """One call of a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def reply(*calls: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """A reply with these calls, each under an id of its own."""
    numbered = [{**call, "id": f"{call['id']}{n}"} for n, call in enumerate(calls)]
    return {"role": "assistant", "content": text, "tool_calls": numbered}


def spawn(task: str, role: str = "agent") -> dict[str, Any]:
    return act("spawn_agent", role=role, task=task)


def send(to: str, text: str) -> dict[str, Any]:
    return act("send_message", to=to, text=text)


def wait() -> dict[str, Any]:
    return act("wait")


def look() -> dict[str, Any]:
    """A call of a tool that there is not: a step like any other."""
    return act("look")


def model(lines: Iterable[Any] | Callable[[Request], Any], cost: int = 100) -> ScriptedModel:
    """A model that says these lines, each call reported to cost so many tokens."""
    return ScriptedModel(lines, usage=lambda _request: Usage(cost - cost // 10, 0, cost // 10))


def seats(*names: str, tokens: int | None = 10_000, **own: int) -> TeamSpec:
    """A declared team in which everybody may write to everybody; the first seat is the entry."""
    edges: tuple[Edge, ...] = tuple((a, b) for a in names for b in names if a != b)
    roles = tuple(Role(name, f"You are {name}.", budget_tokens=own.get(name)) for name in names)
    return TeamSpec(names[0], roles, Topology(message=edges), budget_tokens=tokens)


def a_team(
    path: Path,
    models: Mapping[str, Any],
    spec: TeamSpec | None = None,
    pool: int | None = 40_000,
    **more: Any,
) -> Team:
    """A team on the task `Build it.`: a lead that spawns agents, or the seats given."""
    budget = None if spec is not None else pool
    return Team(spec, task="Build it.", model=dict(models), budget_tokens=budget, path=path, **more)


def texts(team: Team, member: str) -> list[str]:
    """What stands in a member's transcript."""
    session = team.members[member].session
    assert session is not None
    return [text_of(message) for message in session.transcript.messages]


def letters(team: Team, member: str) -> list[int]:
    """Numbers of the messages in a member's transcript, in order."""
    session = team.members[member].session
    stored: list[Message] = [] if session is None else session.transcript.messages
    return [meta_of(message)[NUMBER] for message in stored if NUMBER in meta_of(message)]


def outcomes(team: Team) -> dict[str, str]:
    return {name: result.outcome for name, result in team.result.items()}
