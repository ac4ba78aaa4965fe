"""The simulated seats: what each one knows is what it was told, or looked up."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import load_task
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages, wire
from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.models.simulated.loading import plan_of
from opencollab_nb.request import Request
from opencollab_nb.team.seats import CODER, SEATS, TESTER, seat_plans, seats
from opencollab_nb.team.team import Team
from tests.build import assistant, call, result, user

RULES = 3
TOLD = "[Message 1 from analyst]\nlogin-lockout: read.\n- limit = 41\n- code = 17\n- wait = 305"
TOOLS = [
    {"type": "function", "function": {"name": name}}
    for name in ("send_message", "wait", "grep", "file_write", "file_read", "run_tests", "bash")
]


def short() -> Any:
    plan = plan_of("orders")
    return replace(plan, milestones=plan.milestones[:RULES])


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Callable[..., Team]]:
    """A team of simulated seats on the first rules of the task, played step by step to its end."""
    made: list[Any] = []

    def play(tokens: Any, *, profile: str = "ideal", folder: str = "team") -> Team:
        solo = load_task("orders").session()
        spec, models = seats(short(), profile=profile, tokens=tokens)
        team = Team(spec, model=models, workspace=solo.workspace, path=tmp_path / folder)
        made.extend([team, solo])
        team.run()
        return team

    yield play
    for one in made:
        one.close()


def committed(team: Team) -> list[str]:
    root = team.members[TESTER].session.workspace.root
    told = subprocess.run(["git", "log", "--format=%s"], cwd=root, capture_output=True, text=True, check=True)
    return [line for line in told.stdout.splitlines() if line.endswith(": tests")][::-1]


def outcomes(team: Team) -> dict[str, str]:
    return {name: team.result[name].outcome for name in SEATS}


def decided(seat: str, *messages: Any, profile: str = "ideal") -> Any:
    model = SimulatedModel(seat_plans("orders")[seat], profile)
    view: Messages = [user(model.plan.task_text), *messages]
    return model.decide(Request(view, tools=TOOLS))


def test_three_seats_do_the_task_together(played: Callable[..., Team]) -> None:
    team = played(400_000)
    assert team.state == "done"
    assert committed(team) == [f"login-{rule}: tests" for rule in ("lockout", "expiry", "remember")]
    assert set(outcomes(team).values()) == {"finished"}


def test_what_the_analyst_can_tell_no_more_the_coder_looks_up(played: Callable[..., Team]) -> None:
    team = played({"analyst": 50_000, "coder": 400_000, "tester": 400_000})
    assert outcomes(team) == {"analyst": "ran out", "coder": "finished", "tester": "finished"}
    assert len(committed(team)) == RULES
    sent = [letter.text.partition(":")[0] for letter in team.messages if letter.sender == "analyst"]
    assert len(set(sent)) < RULES, "not everything was told"


def test_without_analyst_and_coder_the_team_delivers_what_was_written(played: Callable[..., Team]) -> None:
    team = played({"analyst": 50_000, "coder": 15_000, "tester": 400_000})
    assert outcomes(team)["coder"] == "ran out"
    assert len(committed(team)) < RULES
    assert outcomes(team)["tester"] == "finished", "it hands back and does not look for ever"


def test_the_same_seed_plays_the_same_requests(played: Callable[..., Team]) -> None:
    def requests(team: Team) -> list[Any]:
        return [[wire(m) for m in member.session.transcript.messages] for member in team.members.values()]

    first, second = (requests(played(400_000, profile="hasty", folder=name)) for name in "ab")
    assert first == second


def test_the_coder_waits_until_it_is_told() -> None:
    decision = decided(CODER)
    assert [c.name for c in decision.calls] == ["wait"]


def test_what_it_was_told_goes_into_the_file() -> None:
    decision = decided(CODER, user(TOLD))
    [written] = decision.calls
    assert written.name == "file_write"
    assert "== 41" in written.arguments["content"]
    assert "== 305" in written.arguments["content"]


def test_what_was_told_of_another_rule_is_no_fact_of_this_one() -> None:
    other = TOLD.replace("login-lockout", "login-expiry")
    assert [c.name for c in decided(CODER, user(other)).calls] == ["wait"]


def waited(answer: str) -> Messages:
    return [assistant("login-lockout: waiting.", call("wait", {}, "w")), result(answer, "w")]


def test_once_nobody_is_at_work_it_looks_itself() -> None:
    decision = decided(CODER, *waited("Nobody else is at work: there is nothing to wait for."))
    assert {c.name for c in decision.calls} == {"grep"}


def test_once_somebody_speaks_again_it_waits_again() -> None:
    nobody = waited("Nobody else is at work: there is nothing to wait for.")
    said = user("[Message 2 from tester]\nI am here.")
    assert [c.name for c in decided(CODER, *nobody, said).calls] == ["wait"]


def test_where_there_is_nothing_to_look_at_it_hands_back() -> None:
    looked = assistant("login-lockout: I need to look again.", call("grep", again(), "g"))
    nobody = waited("Nobody else is at work: there is nothing to wait for.")
    decision = decided(TESTER, *nobody, looked, result("Error: there is no file", "g"))
    assert (decision.calls, decision.why) == ((), "handed back")


def again() -> dict[str, Any]:
    return {"pattern": "def test", "path": "tests/test_login_lockout.py"}


def test_what_it_has_told_is_finished_for_it() -> None:
    text = "login-lockout: written in tests/test_login_lockout.py"
    told = assistant("login-lockout: telling.", call("send_message", {"to": "tester", "text": text}, "m"))
    done = decided(CODER, user(TOLD), told, result("Message 2 is on its way to tester.", "m"))
    assert done.text.startswith("login-expiry:")
    failed = decided(CODER, user(TOLD), told, result("Error: tester cannot act on it", "m"))
    assert failed.text.startswith("login-lockout:")


def test_a_seat_without_its_plan_s_parts_is_refused() -> None:
    plan = plan_of("orders")
    untested = replace(plan.milestones[0], do=tuple(replace(e, expect=None) for e in plan.milestones[0].do))
    with pytest.raises(UsageProblem, match="login-lockout"):
        seat_plans(replace(plan, milestones=(untested,)))


@pytest.mark.parametrize("task", ["orders", "orders_long", "quickstart"])
def test_every_shipped_task_can_be_divided(task: str) -> None:
    whole, plans = plan_of(task), seat_plans(task)
    assert list(plans) == list(SEATS)
    assert all(len(plan.milestones) == len(whole.milestones) for plan in plans.values())
    assert sum(plan.temptations for plan in plans.values()) == whole.temptations


def test_an_allowance_is_for_all_seats_or_for_each() -> None:
    with pytest.raises(UsageProblem, match="analyst, coder, tester"):
        seats("orders", tokens={"coder": 5})
