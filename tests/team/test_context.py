"""A member's context: layers with priorities, one plan, and what shaping does with it under pressure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import PIN_FLOOR, is_pinned, meta_of, text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.pressure import Pressure
from opencollab_nb.session import Session
from opencollab_nb.shaping import default_pipeline
from opencollab_nb.team.context import LAYERS, Source, member_plan, planned, team_text
from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import TeamSpec
from tests.build import numbered, tool_step
from tests.session.build import Tools, echo, working

TEAM = """
entry: lead
name: shop
project: The shop's rules are in rules.md.
roles:
  lead:
    prompt: You lead.
  coder:
    prompt: |
      You write code.
      In small steps.
    skill: Run the tests after each change.
topology:
  spawn: {lead: coder}
  message: {coder: lead}
"""


@pytest.fixture
def team() -> TeamSpec:
    return read_team(TEAM)


def layer(message: Any) -> str:
    return str(meta_of(message).get("layer"))


def test_the_layers_have_the_priorities_of_the_house() -> None:
    assert dict(LAYERS) == {"identity": 100, "team": 90, "skill": 85, "task": 80, "project": 30}


def test_one_plan_puts_all_sources_in_order(team: TeamSpec) -> None:
    plan = member_plan(team, "coder", "Add tests.")
    assert [(layer(m), m["role"], meta_of(m)["priority"]) for m in plan.messages] == [
        ("identity", "system", 100),
        ("team", "user", 90),
        ("skill", "user", 85),
        ("project", "user", 30),
        ("task", "user", 80),
    ]
    assert (plan.system, plan.task) == ("You write code.\nIn small steps.\n", "Add tests.")
    assert plan.context == plan.messages[1:4]
    assert [is_pinned(m) for m in plan.messages] == [True, True, True, False, True]
    assert [s.pinned for s in plan.sources] == [LAYERS[s.layer] >= PIN_FLOOR for s in plan.sources]


def test_what_is_empty_has_no_message_and_several_sources_of_a_layer_have_one(team: TeamSpec) -> None:
    plan = member_plan(
        team, "lead", "Add tests.", project="", more=[Source("skill", "One."), Source("skill", "Two.")]
    )
    assert [layer(m) for m in plan.messages] == ["identity", "team", "skill", "task"]
    assert plan.text("skill") == "One.\n\nTwo."
    assert plan.text("project") == ""


def test_each_member_is_told_who_the_others_are_and_what_it_may_do(team: TeamSpec) -> None:
    lead = team_text(team, team.role("lead"), "lead")
    assert "You are `lead`, which gets the user's task, in the team `shop`." in lead
    assert "- `coder`: You write code." in lead
    assert "You can spawn members as: `coder`" in lead
    assert "You can send messages to nobody" in lead
    coder = team_text(team, team.role("coder"), "coder-2")
    assert "You are `coder-2`, a `coder` in the team `shop`." in coder
    assert "You can send messages to `lead`" in coder
    assert "spawn" not in coder


def test_unknown_layers_roles_and_a_missing_task_are_refused(team: TeamSpec) -> None:
    with pytest.raises(UnknownName, match="unknown layer 'projct'; did you mean 'project'"):
        Source("projct", "x")
    with pytest.raises(UnknownName, match="did you mean 'coder'"):
        member_plan(team, "codr", "Add tests.")
    with pytest.raises(UsageProblem, match="needs a task"):
        planned([Source("identity", "You code."), Source("task", "  ")])


@pytest.mark.parametrize("policy", ["default", "summarize"])
def test_under_pressure_the_project_leaves_first_and_the_pinned_layers_never(
    team: TeamSpec, policy: str
) -> None:
    plan = member_plan(team, "coder", "Add tests.", project="A note on the shop. " * 120)
    work = [
        m for n in range(9) for m in tool_step(n, "a line of a log\n" * 60, "file_read", {"path": f"{n}.py"})
    ]
    messages = numbered([*plan.messages, *work])
    chain = default_pipeline(policy)
    whole = Pressure.of(60_000).tokens(messages)
    seen: list[tuple[bool, int]] = []
    for window in range(2_000, 4 * whole, 400):
        pressure = Pressure.of(window)
        shaped = chain.shape(messages, pressure.in_round() if pressure.over(messages) else pressure)
        kept = {layer(m) for m in shaped}
        assert {"identity", "team", "skill", "task"} <= kept
        assert [m for m in shaped if is_pinned(m)] == [m for m in messages if is_pinned(m)]
        lost = (
            sum(a is not b for a, b in zip(messages, shaped, strict=False))
            if len(shaped) == len(messages)
            else 99
        )
        seen.append(("project" in kept, lost))
    assert (True, 0) in seen
    assert any(not project for project, _ in seen)
    assert all(lost == 0 for project, lost in seen if project), "nothing else gives way before it"


def test_a_session_begins_with_the_plan_and_sheds_the_project_first(team: TeamSpec, tmp_path: Path) -> None:
    plan = member_plan(team, "coder", "Add tests.", project="A note on the shop. " * 150)
    session = Session(
        plan.task,
        system=plan.system,
        context=plan.context,
        model=ScriptedModel(working(8, chars=900), usage="count"),
        workspace=Tools(echo=echo),
        window=3_000,
        path=tmp_path / "run",
    )
    assert [text_of(m) for m in session.request().messages] == [text_of(m) for m in plan.messages]
    assert [meta_of(m)["priority"] for m in session.transcript.messages] == [100, 90, 85, 30, 80]
    session.run()
    acted = [e["layer"] for e in session.trace.of("session.history_compaction")]
    assert acted[0] == "ContextShedShaper"
    (gone,) = session.trace.of("session.history_compaction")[0]["removed"]
    assert layer(session.transcript.messages[gone[0]]) == "project"
    last = [layer(m) for m in session.request(session.steps).shaped]
    assert last[:3] == ["None", "team", "skill"], "the session keeps the system message itself"
    session.close()
    following = Session.continued(session.path, model=ScriptedModel([]), path=tmp_path / "next")
    assert [layer(m) for m in following.transcript.messages[1:4]] == ["team", "skill", "project"]
    following.close()


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ("notes", "context is a list of messages"),
        (
            [{"role": "assistant", "content": "x", "meta": {"priority": 30}}],
            "give user messages with some text",
        ),
        ([{"role": "user", "content": "", "meta": {"priority": 30}}], "give user messages with some text"),
        ([{"role": "user", "content": "x"}], "has the priority None"),
    ],
)
def test_a_session_refuses_context_that_cannot_be_ranked(context: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=says):
        Session("Add tests.", model=ScriptedModel([]), context=context, path=tmp_path / "run")
