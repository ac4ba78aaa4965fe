"""All members at once, each in a thread: pausing, stopping, awaiting, and what fails."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import SessionBusy
from opencollab_nb.models import Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.team import Team
from opencollab_nb.ticket import Ticket
from tests.team import chatter
from tests.team.build import a_team, act, letters, look, model, outcomes, reply, seats, send, spawn, wait


class Gate:
    """A model whose calls wait until as many are waiting as there are members."""

    name = "gate"

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties)

    def reply(self, request: Any, *, cancel: Ticket | None = None) -> Reply:
        self.barrier.wait(30)
        return Reply({"role": "assistant", "content": "Done."})


class Stuck:
    """A model that answers only when it is cancelled."""

    name = "stuck"

    def __init__(self) -> None:
        self.asked = threading.Event()

    def reply(self, request: Any, *, cancel: Ticket | None = None) -> Reply:
        self.asked.set()
        assert cancel is not None
        cancel.wait(60)
        raise AssertionError("nobody cancelled")


def test_members_are_asked_at_the_same_time(tmp_path: Path) -> None:
    lead = model(
        [reply(spawn("Do A."), spawn("Do B."), spawn("Do C.")), reply(wait()), reply(wait())]
        + [reply(wait())] * 3
        + ["Done."]
    )
    team = a_team(tmp_path / "t", {"lead": lead, "agent": Gate(3)}, pool=100_000)
    team.start().wait()
    assert [outcome for name, outcome in outcomes(team).items() if name != "lead"] == ["finished"] * 3


def test_messages_between_threads_come_in_order_and_once(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", chatter.models(), seats(*chatter.NAMES, tokens=10_000_000))
    assert team.start().wait() == "done"
    for name in chatter.NAMES:
        assert letters(team, name) == sorted(set(letters(team, name)))
    assert len(team.messages) >= 6 * chatter.MANY


def test_a_run_ends_with_every_end_handed_on(tmp_path: Path) -> None:
    for n in range(12):
        a = model([reply(send("b", "Go."), send("c", "Go.")), *["Done."] * 4])
        others = {"b": model(["B."]), "c": model(["C."])}
        team = a_team(tmp_path / str(n), {"a": a, **others}, seats("a", "b", "c"))
        assert team.start().wait() == "done"
        assert outcomes(team) == dict.fromkeys("abc", "finished")
        team.close()


def test_pause_ends_after_the_steps_in_flight_and_start_goes_on(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", chatter.models(), seats(*chatter.NAMES, tokens=10_000_000))
    run = team.start()
    while team.members["a"].steps < 3:
        time.sleep(0.005)
    team.pause()
    assert run.wait() == "paused"
    assert all(not member.busy for member in team.members.values())
    assert team.start().wait() == "done"


def test_stop_ends_all_members_as_fast_as_one_and_the_team_can_go_on(tmp_path: Path) -> None:
    stuck = {name: Stuck() for name in ("b", "c", "d", "e")}
    a = model([reply(*(send(name, "Go.") for name in stuck)), reply(wait())])
    team = a_team(tmp_path / "t", {"a": a, **stuck}, seats("a", *stuck))
    run = team.start()
    for one in stuck.values():
        assert one.asked.wait(30)
    begun = time.perf_counter()
    team.stop()
    assert run.over
    assert time.perf_counter() - begun < 10
    assert team.state == "stopped(by user)"
    assert outcomes(team)["b"] == "stopped"
    assert team.ledger.spent_tokens > 0
    team.close()
    again = Team.resume(tmp_path / "t", model=lambda _role: model(["Done."]))
    assert again.run() == "done"
    again.close()


def test_while_it_runs_nothing_else_can_be_begun(tmp_path: Path) -> None:
    stuck = Stuck()
    team = a_team(tmp_path / "t", {"a": stuck}, seats("a"))
    team.start()
    assert stuck.asked.wait(30)
    for verb in (team.step, team.run, team.start):
        with pytest.raises(SessionBusy, match="the team is at work"):
            verb()
    assert team.state == "running"
    team.close()


def test_a_run_can_be_awaited_and_limited_in_steps(tmp_path: Path) -> None:
    a = model([reply(send("b", "Go."))] + [reply(look())] * 50)
    team = a_team(tmp_path / "t", {"a": a, "b": model([reply(look())] * 50)}, seats("a", "b"))

    async def awaited() -> str:
        return (await team.start(4)).state

    assert asyncio.run(awaited()) == "paused"
    assert {member.steps for member in team.members.values()} == {4}


def test_events_reach_subscribers_in_order_and_one_that_fails_ends_nothing(tmp_path: Path) -> None:
    heard: list[int] = []

    def failing(_event: Any) -> None:
        raise ValueError("broken view")

    team = a_team(tmp_path / "t", chatter.models(), seats(*chatter.NAMES, tokens=10_000_000))
    team.subscribe(lambda event: heard.append(event["n"]))
    off = team.subscribe(failing)
    team.start().wait()
    off()
    assert heard == sorted(set(heard))
    assert len(heard) > 100
    assert [event["message"] for event in team.trace.of("fault")] == ["broken view"]


def test_a_member_may_stop_the_team_from_inside_its_step(tmp_path: Path) -> None:
    stuck, teams = Stuck(), list[Team]()

    def stops(_request: Any) -> Any:
        assert stuck.asked.wait(30)
        teams[0].stop()
        return "Done."

    lines = ScriptedModel([reply(send("b", "Go.")), reply(look())])
    a = ScriptedModel(lambda request: lines.reply(request) if len(lines.requests) < 1 else stops(request))
    team = a_team(tmp_path / "t", {"a": a, "b": stuck}, seats("a", "b"))
    teams.append(team)
    assert team.start().wait() == "stopped(by user)"
    assert not any(member.busy for member in team.members.values())


def test_what_was_stopped_goes_on_step_by_step(tmp_path: Path) -> None:
    stuck = Stuck()
    team = a_team(tmp_path / "t", {"a": stuck}, seats("a"))
    team.start()
    assert stuck.asked.wait(30)
    team.stop()
    session = team.members["a"].session
    assert session is not None
    session._bench.model = model(["Done."])
    assert team.step().state == team.state == "done"


def test_members_work_in_one_folder_each_by_its_own_view_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    def writer(name: str) -> ScriptedModel:
        lines = [reply(act("file_write", path=f"{name}-{n}.txt", content=name)) for n in range(4)]
        return model([*lines, "Done."])

    lead = model([reply(*(send(name, "Go.") for name in "bcd")), *[reply(wait())] * 9])
    models = {"a": lead, **{name: writer(name) for name in "bcd"}}
    team = a_team(tmp_path / "t", models, seats(*"abcd"), workspace=folder)
    team.start().wait()
    assert sorted(file.name for file in folder.iterdir()) == [f"{m}-{n}.txt" for m in "bcd" for n in range(4)]
    views = [member.session.workspace for member in team.members.values() if member.session is not None]
    assert len({id(view) for view in views}) == 4
    assert {view.root for view in views} == {folder.resolve()}
    team.close()
    assert all(view.closed for view in views)
