"""A lead that spawns: what its agents are granted, and what it gets back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import text_of
from opencollab_nb.models import Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.team import Team
from opencollab_nb.tokens.usage import Usage
from tests.team.build import a_team, act, letters, look, model, outcomes, reply, spawn, texts, wait


def test_a_spawned_agent_works_by_itself_and_its_result_comes_to_the_lead(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A."), spawn("Do B.")), reply(wait()), "All done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["A done.", "B done."])})
    assert team.run() == "done"
    assert outcomes(team) == {"lead": "finished", "agent": "finished", "agent-2": "finished"}
    assert team.result.text == "All done."
    results = [text for text in texts(team, "lead") if text.startswith("[Result")]
    assert [text.splitlines()[-1] for text in results] == ["A done.", "B done."]


def test_an_agent_knows_its_task_and_not_what_its_lead_was_told(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["A done."])})
    team.run()
    assert "Do A." in texts(team, "agent")
    assert not any("Build it." in text for text in texts(team, "agent"))


def test_the_allowance_is_booked_before_the_agent_starts_and_what_is_left_returns(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A."), spawn("Do B.")), reply(wait()), reply(wait()), "Done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["A done.", "B done."])}, pool=25_000)
    team.step()
    assert [account.granted for account in team.ledger.books.values()] == [10_000, 10_000, 5_000]
    assert team.ledger.unallocated_tokens == 0
    team.run()
    assert [account.returned for account in team.ledger.books.values()] == [9_600, 9_900, 4_900]


def test_nothing_left_refuses_the_spawn_with_a_message_and_the_lead_goes_on(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), "I did it myself."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model([])}, pool=9_000)
    assert team.run() == "done"
    told = next(text for text in texts(team, "lead") if text.startswith("Error: no agent"))
    assert "all of the team's 9,000 tokens are spent or kept for others" in told
    assert list(team.members) == ["lead"]


def test_a_second_spawn_of_the_same_task_returns_the_running_one(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A."), spawn("Do  A.\n"), spawn("Do B.")), reply(wait()), "Done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["one", "two"])})
    team.step()
    assert list(team.members) == ["lead", "agent", "agent-2"]
    assert "agent is at work on this already; its result comes as a message." in texts(team, "lead")


def test_an_agent_that_ran_out_leaves_a_partial_result_and_the_lead_goes_on(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "I finished what was left."])
    agent = model([reply(look(), text="Half of A is done.")] * 9, cost=6_000)
    team = a_team(tmp_path / "t", {"lead": lead, "agent": agent}, pool=20_000)
    assert team.run() == "done"
    assert outcomes(team) == {"lead": "finished", "agent": "ran out"}
    result = next(text for text in texts(team, "lead") if text.startswith("[Result"))
    assert result.startswith("[Result 1 of agent: ran out]\n(2 steps, 12,000 tokens; its tokens are spent.)")
    assert result.endswith("Half of A is done.")
    session = team.members["agent"].session
    assert session is not None
    assert session.state == "stopped(budget)"
    assert session.detail.startswith("12,000 of 10,000 tokens of agent's allowance spent")


def test_a_call_in_flight_may_overshoot_and_is_booked(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["A done."], cost=25_000)}, pool=20_000)
    assert team.run() == "stopped(budget)"
    assert team.ledger.books["agent"].spent == 25_000
    assert outcomes(team) == {"lead": "ran out", "agent": "finished"}
    assert "of the team's 20,000 tokens 25,100 are spent" in (team.result["lead"].detail)


def test_a_lead_that_runs_out_stops_the_team_and_is_not_shown_as_done(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"lead": model([reply(look())] * 9, cost=6_000), "agent": model([])})
    assert team.run() == "stopped(budget)"
    assert team.detail == "lead ran out"


def test_an_agent_that_fails_is_told_to_the_lead(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done without it."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": ScriptedModel([RuntimeError("no network")])})
    assert team.run() == "done"
    assert outcomes(team)["agent"] == "failed"
    assert any("it failed: RuntimeError: no network" in text for text in texts(team, "lead"))


def test_who_waits_makes_no_step_until_something_comes_in(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done."])
    agent = model([reply(look()), reply(look()), reply(look()), "A done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": agent})
    made = [team.step().member for _ in range(7)]
    assert made == ["lead", "agent", "lead", "agent", "agent", "agent", "lead"]
    assert team.state == "done"


def test_nobody_waits_for_nobody(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"lead": model([reply(wait()), "Done."]), "agent": model([])})
    assert team.run() == "done"
    assert any(text.startswith("Nobody else is at work") for text in texts(team, "lead"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            spawn("Do A.", role="agnet"),
            "Error: you cannot spawn 'agnet'; did you mean 'agent'? Roles: agent.",
        ),
        (spawn(" "), "Error: the task is empty; say what the agent is to do."),
        (act("spawn_agent", role="agent"), "Error: spawn_agent needs 'task'. It takes: role, task."),
        (act("send_message", to="lead", text="hi"), "Error: you cannot write to 'lead'. There is nobody yet"),
    ],
)
def test_a_call_that_cannot_be_done_is_an_error_that_the_lead_reads(
    call: dict[str, str], said: str, tmp_path: Path
) -> None:
    team = a_team(tmp_path / "t", {"lead": model([reply(call), "Done."]), "agent": model([])})
    team.step()
    assert texts(team, "lead")[-1].startswith(said)


def test_a_message_wakes_an_agent_that_had_finished_with_what_it_had_returned(tmp_path: Path) -> None:
    lead = model(
        [reply(spawn("Do A.")), reply(wait()), reply(act("send_message", to="agent", text="More.")), "Done."]
    )
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["A done.", "More done."])})
    assert team.run() == "done"
    assert team.ledger.books["agent"].spent == 200
    assert letters(team, "agent") == [2]
    assert letters(team, "lead") == [1, 3]


def test_an_agent_that_ran_out_cannot_be_written_to(tmp_path: Path) -> None:
    lead = model(
        [reply(spawn("Do A.")), reply(wait()), reply(act("send_message", to="agent", text="More.")), "Done."]
    )
    agent = model([reply(look())] * 3, cost=10_000)
    team = a_team(tmp_path / "t", {"lead": lead, "agent": agent})
    assert team.run() == "done"
    assert "Error: agent cannot act on it: it has spent its 10,000 tokens." in texts(team, "lead")


def test_the_user_can_say_something_to_each_member(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done.", "Done again."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model([reply(look()), "A done."])})
    team.run(2)
    team.say("Be quick.", to="agent")
    assert texts(team, "agent")[-1] == "Be quick."
    assert team.run() == "done"
    team.say("Once more.")
    assert team.run() == "done"
    assert team.result.text == "Done again."
    with pytest.raises(UsageProblem, match="did you mean 'agent'"):
        team.say("Hello.", to="agnet")


def test_without_a_declaration_a_task_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="the team has no task"):
        Team(model=model([]), path=tmp_path / "t")


def test_a_pool_beside_allowances_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="give one or the other"):
        Team("analyst_coder_tester", task="Go.", model=model([]), budget_tokens=5, path=tmp_path / "t")


def test_a_role_without_a_model_is_named_before_anything_is_begun(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="no model for the role 'agent'"):
        Team(task="Go.", model={"lead": model([])}, path=tmp_path / "t")


def test_what_is_no_setting_of_a_team_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="did you mean 'window'"):
        Team(task="Go.", model=model([]), path=tmp_path / "t", windwo=5)
    with pytest.raises(UsageProblem, match="its roles or its file say it"):
        Team(task="Go.", model=model([]), path=tmp_path / "t", system="You.")


def test_an_entry_that_failed_tries_again_when_the_user_goes_on(tmp_path: Path) -> None:
    lead = ScriptedModel([RuntimeError("no network"), "Done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model([])})
    assert team.run() == "stopped(fault)"
    assert outcomes(team) == {"lead": "failed"}
    assert team.run() == "done"


def test_a_lead_that_ran_out_goes_on_when_what_returns_lets_it(tmp_path: Path) -> None:
    """One agent overshoots, so the pool refuses the lead; the end of the other one makes room again."""
    lead = model([reply(spawn("Do B."), spawn("Do A.")), "Done."])

    def agent(request: Request) -> Any:
        if any(text_of(message) == "Do A." for message in request.messages):
            return Reply({"role": "assistant", "content": "A is done."}, Usage(21_000, 0, 0))
        looked = any(message["role"] == "tool" for message in request.messages)
        said = {"role": "assistant", "content": "B is done."} if looked else reply(look())
        return Reply(said, Usage(100, 0, 0), "stop" if looked else "tool_calls")

    team = a_team(tmp_path / "t", {"lead": lead, "agent": ScriptedModel(agent)}, pool=30_000)
    assert [team.step().member for _ in range(4)] == ["lead", "agent", "agent-2", "lead"]
    assert outcomes(team)["lead"] == "ran out"
    assert team.run() == "done"
    assert team.ledger.spent_tokens == 21_400


def test_an_agent_that_fails_again_after_a_message_is_told_again(tmp_path: Path) -> None:
    more = reply(act("send_message", to="agent", text="Try again."))
    lead = model([reply(spawn("Do A.")), reply(wait()), more, reply(wait()), "Done without it."])
    agent = ScriptedModel([RuntimeError("no network"), RuntimeError("no network either")])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": agent})
    assert team.run() == "done"
    results = [text for text in texts(team, "lead") if text.startswith("[Result")]
    assert [text.partition("RuntimeError: ")[2].partition(".")[0] for text in results] == [
        "no network",
        "no network either",
    ]
