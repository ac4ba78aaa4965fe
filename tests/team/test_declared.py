"""Seats that are all there from the start: who acted, who finished, whose allowance ran out."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.session import Session
from opencollab_nb.team import read_team
from tests.team.build import (
    a_team,
    act,
    letters,
    look,
    model,
    outcomes,
    reply,
    seats,
    send,
    spawn,
    texts,
    wait,
)


def test_every_seat_is_there_with_its_allowance_before_the_first_call(tmp_path: Path) -> None:
    team = a_team(
        tmp_path / "t", {"a": model([]), "b": model([]), "c": model([])}, seats("a", "b", "c", c=500)
    )
    assert list(team.members) == ["a", "b", "c"]
    assert [account.granted for account in team.ledger.books.values()] == [10_000, 10_000, 500]
    assert team.ledger.pool_tokens == 20_500
    assert team.state == "ready"


def test_the_result_tells_apart_who_never_acted_finished_and_ran_out(tmp_path: Path) -> None:
    a = model([reply(send("b", "Do it.")), reply(wait()), "All done."])
    team = a_team(
        tmp_path / "t",
        {"a": a, "b": model([reply(look(), text="Half.")] * 5), "c": model([])},
        seats("a", "b", "c", b=250),
    )
    assert team.run() == "done"
    assert outcomes(team) == {"a": "finished", "b": "ran out", "c": "never acted"}
    assert [result.steps for result in team.result.values()] == [3, 3, 0]
    assert team.members["c"].session is None
    frame = team.result.to_frame()
    assert frame["outcome"].tolist() == ["finished", "ran out", "never acted"]
    assert frame["tokens"].tolist() == [300, 300, 0]


def test_a_seat_begins_with_the_first_message_that_it_gets(tmp_path: Path) -> None:
    a = model([reply(send("b", "Do it."), send("b", "And quickly.")), reply(wait()), "All done."])
    team = a_team(tmp_path / "t", {"a": a, "b": model(["Did it."])}, seats("a", "b"))
    team.step()
    assert texts(team, "b")[-2:] == ["Do it.", "[Message 2 from a]\nAnd quickly."]
    assert team.run() == "done"
    assert letters(team, "a") == [3]


@pytest.mark.parametrize("overshoot", [100, 90_000])
def test_a_seat_makes_the_steps_that_a_session_alone_makes_with_its_allowance(
    overshoot: int, tmp_path: Path
) -> None:
    """Whatever another seat overshoots, and however often."""
    own = [reply(look(), text=f"step {n}") for n in range(30)]
    a = model([reply(send("b", "Do it."), look()), *[reply(look())] * 30], cost=overshoot)
    team = a_team(tmp_path / "t", {"a": a, "b": model(own, cost=999)}, seats("a", "b"))
    team.run()
    alone = Session("Do it.", model=model(own, cost=999), budget_tokens=10_000, path=tmp_path / "alone")
    alone.run()
    session = team.members["b"].session
    assert session is not None
    assert (session.steps, session.spent_tokens, session.state) == (
        alone.steps,
        alone.spent_tokens,
        alone.state,
    )


def test_without_allowances_all_seats_draw_on_one_pool(tmp_path: Path) -> None:
    a = model([reply(send("b", "Do it."))] + [reply(look())] * 9, cost=1_000)
    b = model([reply(look())] * 9, cost=1_000)
    team = a_team(tmp_path / "t", {"a": a, "b": b}, seats("a", "b", tokens=None))
    assert team.run(6) == "paused"
    team.close()
    again = a_team(
        tmp_path / "u",
        {"a": model([reply(send("b", "Do it."))] + [reply(look())] * 9, cost=1_000), "b": b},
        read_team({**FILE, "budget": {"pool": 5_000}}),
    )
    assert again.run() == "stopped(budget)"
    assert 5_000 <= again.ledger.spent_tokens <= 7_000


FILE = {
    "entry": "a",
    "roles": {"a": {"prompt": "You are a."}, "b": {"prompt": "You are b."}},
    "topology": {"message": {"a": ["b"], "b": ["a"]}},
}


def test_a_role_is_offered_only_the_tools_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = {
        **FILE,
        "roles": {"a": {"prompt": "A.", "tools": ["file_read"]}, "b": {"prompt": "B.", "tools": []}},
    }
    team = a_team(
        tmp_path / "t",
        {"a": model([reply(send("b", "Hi."), act("bash", command="ls"))]), "b": model(["Hi."])},
        read_team(file),
        workspace=tmp_path / "work",
        shell="allow",
    )
    step = team.step().step
    assert step is not None
    assert step.request is not None
    assert [tool["function"]["name"] for tool in step.request.tools] == ["file_read", "send_message", "wait"]
    assert texts(team, "a")[-1].startswith("Error: unknown tool 'bash'")
    session = team.members["b"].session
    assert session is not None
    assert session.workspace is None
    team.close()


def test_nobody_writes_to_whom_the_topology_does_not_name(tmp_path: Path) -> None:
    spec = seats("a", "b", "c")
    file = {
        "entry": "a",
        "budget": {"tokens": 9_000},
        "roles": {name: {"prompt": name} for name in spec.names},
        "topology": {"message": {"a": ["b"]}},
    }
    team = a_team(
        tmp_path / "t", {name: model([reply(send("c", "Hi.")), "x"]) for name in spec.names}, read_team(file)
    )
    team.step()
    assert texts(team, "a")[-1] == "Error: you cannot write to 'c'. You can write to: b."


def test_a_declared_team_shipped_with_the_house_can_be_begun_by_name(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    lines = {name: model([f"I am the {name}."]) for name in ("analyst", "coder", "tester")}
    team = a_team(
        tmp_path / "t", lines, read_team("analyst_coder_tester"), workspace=tmp_path / "work", shell="allow"
    )
    assert team.run() == "done"
    assert team.result.text == "I am the analyst."
    assert outcomes(team) == {"analyst": "finished", "coder": "never acted", "tester": "never acted"}
    team.close()


def test_the_run_opens_with_the_declared_organisation(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model([]), "b": model([])}, seats("a", "b"))
    first = team.trace.events[0]
    assert first["kind"] == "organisation"
    assert (first["rule"], first["pool_tokens"], first["task"]) == ("declared", 20_000, "Build it.")
    assert read_team(first["spec"]) == team.spec


def test_a_seat_may_be_given_its_task_by_a_spawn_and_another_one_after_it(tmp_path: Path) -> None:
    file = {**FILE, "budget": {"tokens": 9_000}, "topology": {"spawn": {"a": ["b"]}}}
    lines = [reply(spawn("Do A.", "b")), reply(wait()), reply(spawn("Do B.", "b")), reply(wait()), "Done."]
    team = a_team(tmp_path / "t", {"a": model(lines), "b": model(["A done.", "B done."])}, read_team(file))
    assert team.run() == "done"
    assert list(team.members) == ["a", "b"]
    assert "b has started with 9,000 tokens. Its result comes as a message: go on, or wait." in texts(
        team, "a"
    )
    assert texts(team, "b")[-2:] == ["[New task 2 from a]\nDo B.", "B done."]
    assert letters(team, "a") == [1, 3]


CIRCLE = {**FILE, "budget": {"tokens": 3_000}, "topology": {"spawn": {"a": ["b"], "b": ["a"]}}}


def test_two_seats_that_may_spawn_each_other_do_not_wake_each_other_without_end(tmp_path: Path) -> None:
    a = model([reply(spawn("Do A.", "b")), reply(wait()), "Done."])
    b = model([reply(spawn("Do B.", "a")), "A done."])
    team = a_team(tmp_path / "t", {"a": a, "b": b, "c": model([])}, read_team(CIRCLE))
    assert team.run() == "done"
    assert "Error: you work for a: what you say last goes to it by itself." in texts(team, "b")
    assert [(letter.sender, letter.to, letter.about) for letter in team.messages] == [("b", "a", "result")]
    assert team.ledger.spent_tokens == 500


def test_a_seat_at_work_for_one_is_not_taken_over_by_another(tmp_path: Path) -> None:
    """Its result would never come to the first."""
    file = {
        **FILE,
        "roles": {name: {"prompt": f"You are {name}."} for name in "abc"},
        "budget": {"tokens": 9_000},
        "topology": {"spawn": {"a": ["b", "c"], "b": ["c"]}},
    }
    a = model([reply(spawn("Do A.", "c"), spawn("Do B.", "b"))] + [reply(wait())] * 2 + ["Done."])
    b = model([reply(spawn("Do C.", "c")), "B done."])
    c = model([reply(look()), reply(look()), "A done."])
    team = a_team(tmp_path / "t", {"a": a, "b": b, "c": c}, read_team(file))
    assert team.run() == "done"
    assert "Error: c is at work for a; try again once it has finished." in texts(team, "b")
    assert sorted((x.sender, x.to) for x in team.messages if x.about == "result") == [("b", "a"), ("c", "a")]
