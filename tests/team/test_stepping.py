"""One step of one member after the other: a fixed order, the same trace each time."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.shaping import ToolResultBudgetShaper, name_of
from opencollab_nb.team import Team
from opencollab_nb.team.allocation import DynamicRule
from opencollab_nb.tokens.usage import Usage
from tests.team.build import a_team, look, model, reply, seats, send, spawn, wait


def wild(seed: int) -> dict[str, ScriptedModel]:
    """Models that spawn, write, wait, look and finish as a seed has it."""
    chance = random.Random(seed)

    def line(request: Request) -> Any:
        offered = {tool["function"]["name"] for tool in request.tools}
        able = [reply(look()), reply(look()), reply(wait())]
        if "spawn_agent" in offered:
            able += [reply(spawn(f"Part {chance.randrange(5)}.")) for _ in range(3)]
            able += [reply(send("agent", "How is it?")), reply(send("agent-2", "And you?"))]
        else:
            able += [reply(send("lead", "Well.")), "Done so far."]
        return chance.choice(able)

    def usage(_request: Request) -> Usage:
        return Usage(chance.randrange(100, 4_000), 0, chance.randrange(10, 400))

    return {"lead": ScriptedModel(line, usage=usage), "agent": ScriptedModel(line, usage=usage)}


def told(team: Team) -> list[str]:
    """All events, without the times."""
    events = list(team.trace.events)
    for member in team.members.values():
        events += [] if member.session is None else member.session.trace.events
    timed = ("at", "seconds", "digest", "path", "detail")
    return [json.dumps({k: v for k, v in event.items() if k not in timed}) for event in events]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_trace(seed: int, tmp_path: Path) -> None:
    runs = []
    for name in ("one", "two"):
        team = a_team(tmp_path / name, wild(seed))
        team.run(25)
        runs.append(told(team))
        team.close()
    assert len(runs[0]) > 60
    assert runs[0] == runs[1]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60_000), st.booleans())
def test_a_team_never_spends_more_than_its_pool_and_each_member_s_last_call(
    tmp_path_factory: Any, seed: int, pool: int, at_once: bool
) -> None:
    team = a_team(tmp_path_factory.mktemp("team") / "t", wild(seed), pool=pool)
    if at_once:
        team.start(12).wait()
    else:
        team.run(30)
    assert isinstance(team.ledger.rule, DynamicRule)
    last = {event["member"]: event["tokens"] for event in team.trace.of("spend")}
    assert team.ledger.spent_tokens <= pool + sum(last.values())
    spent = {m.name: m.session.spent_tokens for m in team.members.values() if m.session is not None}
    assert spent == {name: account.spent for name, account in team.ledger.books.items() if name in spent}
    team.close()


def test_members_take_turns_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    a = model([reply(send("b", "Go."), send("c", "Go."))] + [reply(look())] * 5)
    others = {name: model([reply(look())] * 5) for name in ("b", "c")}
    team = a_team(tmp_path / "t", {"a": a, **others}, seats("a", "b", "c"))
    assert [team.step().member for _ in range(7)] == ["a", "b", "c", "a", "b", "c", "a"]
    assert team.run(2) == "paused"
    assert [event["member"] for event in team.trace.of("step")][-2:] == ["b", "c"]


def test_a_step_beyond_the_end_says_so_and_makes_none(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model(["Done."])}, seats("a"))
    assert repr(team.step()) == "TeamStep(a: Step(1, 'Done.'), done)"
    assert repr(team.step()) == "TeamStep(done)"


def test_shapers_are_swapped_for_one_member_or_for_all_between_two_steps(tmp_path: Path) -> None:
    a = model([reply(send("b", "Go."))] + [reply(look())] * 5 + [reply(send("c", "Go."))])
    others = {name: model([reply(look())] * 9) for name in ("b", "c")}
    team = a_team(tmp_path / "t", {"a": a, **others}, seats("a", "b", "c"))
    team.run(2)

    def chains() -> dict[str, list[str]]:
        begun = {m.name: m.session for m in team.members.values() if m.session is not None}
        return {name: [name_of(s) for s in session.chain.shapers] for name, session in begun.items()}

    before = chains()
    team.use(ToolResultBudgetShaper(max_chars=500), member="b")
    assert chains() == {**before, "b": ["ToolResultBudgetShaper"]}
    team.use("summarize")
    assert chains()["a"] == chains()["b"] == ["ToolResultBudgetShaper", *chains()["a"][1:]]
    assert "AutoCompactShaper" in chains()["a"]
    team.run(12)
    assert chains()["c"] == chains()["a"]
    assert [event["member"] for event in team.trace.of("swap")] == ["b", None]
