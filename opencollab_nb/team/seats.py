"""A shipped task for three simulated seats: what one agent does by itself, divided among a team.

The analyst reads and tells the coder the facts, the coder writes and tells the tester the file, the tester
runs the tests and commits. Each seat plays its part of the task's plan and sees nothing but its own
requests; where nobody is left to tell it a fact, it looks it up itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.models.simulated.loading import plan_of
from opencollab_nb.models.simulated.plan import Entry, Fact, Milestone, Plan, ToolCall
from opencollab_nb.models.simulated.profile import Profile
from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.team.shipped import shipped

ANALYST, CODER, TESTER = SEATS = ("analyst", "coder", "tester")
TEAM_FILE = "analyst_coder_tester"


def seat_plans(task: Any) -> Mapping[str, Plan]:
    """The plan of each seat: the task's own milestones, each in three parts.

    Args:
        task: the name of a shipped task, a task, or a `Plan` whose milestones write a file and test it.

    Raises:
        UsageProblem: a milestone has no file that judges it, or runs no tests that must pass.

    >>> [len(plan.milestones) for plan in seat_plans("orders").values()]
    [9, 9, 9]
    """
    whole = plan_of(task)
    # Seats begin one after the other, so that there is no moment at which all of them could be told more.
    constraints = {name: replace(each, told_after=None) for name, each in whole.constraints.items()}
    divided = [_divided(milestone) for milestone in whole.milestones]
    return {
        seat: replace(
            whole,
            name=f"{whole.name}/{seat}",
            constraints=constraints,
            milestones=tuple(parts[at] for parts in divided),
        )
        for at, seat in enumerate(SEATS)
    }


def seats(
    task: Any,
    *,
    profile: str | Profile = "plain",
    seed: int = 0,
    window: int | None = None,
    tokens: int | Mapping[str, int] | None = None,
) -> tuple[TeamSpec, dict[str, SimulatedModel]]:
    """A declared team of three simulated seats for a task, and the model of each.

    Args:
        task: as for `seat_plans`.
        profile: of every seat; settings, not measurements.
        seed: what chance is hashed with.
        window: context window of each seat in tokens; None for that of the task.
        tokens: allowance of every seat, or of each by name; None for that of the team's file.

    Raises:
        UsageProblem: (a ValueError) as for `seat_plans`; an allowance for a seat that there is not, or
            for some seats only.

    >>> from opencollab_nb.team import seats
    >>> team, models = seats("orders", tokens=80_000)
    >>> team.pool_tokens, [models[name].plan.name for name in team.names]
    (240000, ['orders/analyst', 'orders/coder', 'orders/tester'])
    """
    plans = seat_plans(task)
    window = window or plan_of(task).window
    models = {seat: SimulatedModel(plan, profile, seed, window=window) for seat, plan in plans.items()}
    spec = read_team(shipped()[TEAM_FILE])
    skill = f"The team's task, word for word:\n{plans[ANALYST].task_text}"
    own = _allowances(tokens, spec)
    roles = tuple(
        replace(role, skill=skill, tools=None, budget_tokens=own.get(role.name)) for role in spec.roles
    )
    return replace(spec, roles=roles, window=window, task=plans[ANALYST].task_text), models


def _allowances(tokens: int | Mapping[str, int] | None, spec: TeamSpec) -> Mapping[str, int]:
    if tokens is None:
        return spec.allowances
    given = dict.fromkeys(SEATS, tokens) if isinstance(tokens, int) else dict(tokens)
    if set(given) != set(SEATS):
        raise UsageProblem(
            f"tokens is for {', '.join(map(str, given))}: give all seats of {', '.join(SEATS)}"
        )
    return given


def _divided(whole: Milestone) -> tuple[Milestone, Milestone, Milestone]:
    """The three parts of a milestone: reading, writing up to its test, and testing from there."""
    tested = next((at for at, entry in enumerate(whole.do) if entry.expect), None)
    if tested is None or whole.accept is None:
        raise UsageProblem(
            f"the milestone {whole.id!r} has no test that must pass and no file that is judged, so it cannot "
            "be divided among an analyst, a coder and a tester"
        )
    said = f"{whole.id}: read." + "".join(f"\n- {name} = <{name}>" for name in whole.facts)
    tell = _message(CODER, said, "telling the coder what it needs")
    written = _message(
        TESTER, f"{whole.id}: written in {whole.accept}", "telling the tester that it is written"
    )
    facts = {name: replace(fact, told=_told(whole.id, name)) for name, fact in whole.facts.items()}
    return (
        replace(whole, done=f"{whole.id}: read|{whole.done}", do=(tell,), accept=None),
        replace(
            whole,
            done=f"{whole.id}: written|{whole.done}",
            facts=facts,
            read=(),
            do=(*whole.do[:tested], written),
            accept=None,
        ),
        replace(
            whole,
            facts={"written": _written(whole.id, whole.accept)},
            read=(),
            do=tuple(_for_tester(entry, whole.accept) for entry in whole.do[tested:]),
        ),
    )


def _told(milestone_id: str, name: str) -> str:
    """How the analyst says a fact: in the lines below the milestone's own."""
    other = r"(?:(?!: read\.).)*?"
    return rf"(?s)(?<![\w-]){re.escape(milestone_id)}: read\.{other}\n- {re.escape(name)} = ([^\n]+)"


def _written(milestone_id: str, accept: str) -> Fact:
    """That the file is there: told by the coder, or seen in the file itself."""
    path = re.escape(accept)
    again = ToolCall("grep", {"pattern": "def test", "path": accept})
    return Fact(
        "written", accept, rf"({path}):\d+", again, rf"{re.escape(milestone_id)}: written in ({path})"
    )


def _message(to: str, text: str, say: str) -> Entry:
    return Entry(ToolCall("send_message", {"to": to, "text": text}), say=say)


def _for_tester(entry: Entry, accept: str) -> Entry:
    """The entry as the tester plays it: it runs what was written, and commits that alone."""
    call = entry.call
    if call is None:
        return entry
    if entry.expect and call.arguments.get("path") == accept:
        return replace(entry, call=ToolCall(call.name, {**call.arguments, "path": "<written>"}))
    command = call.arguments.get("command")
    if isinstance(command, str):
        # The coder is at work in the same folder: what it has just begun is not to be committed.
        mine = command.replace("git add -A", f"git add {accept}")
        return replace(entry, call=ToolCall(call.name, {**call.arguments, "command": mine}))
    return entry
