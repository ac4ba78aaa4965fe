"""A beginning that fails or is cut off: nothing stays reserved, nobody is lost, the folder is free."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import StepCancelled, UsageProblem
from opencollab_nb.team import Role, Team, TeamSpec, Topology
from opencollab_nb.team.log import FILE
from tests.team.build import a_team, model, outcomes, reply, seats, spawn, texts, wait


class Models:
    """Models by role; that of an agent is there from the second time on."""

    def __init__(self, lead: Any, problem: BaseException) -> None:
        self.lead, self.problem, self.asked = lead, problem, 0

    def __call__(self, role: str) -> Any:
        if role == "lead":
            return self.lead
        self.asked += 1
        if self.asked == 1:
            raise self.problem
        return model(["A done."])


def test_a_spawn_that_cannot_begin_gives_its_tokens_back_and_the_next_one_can(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(spawn("Do A.")), reply(wait()), "Done."])
    given: Any = Models(lead, KeyError("no model today"))
    team = Team(task="Build it.", model=given, budget_tokens=20_000, path=tmp_path / "t")
    assert team.run() == "done"
    assert outcomes(team) == {"lead": "finished", "agent": "failed", "agent-2": "finished"}
    assert team.ledger.books["agent"].reserved == 0
    assert team.ledger.books["agent-2"].granted == 10_000
    team.close()
    again = Team.resume(tmp_path / "t", model=model([]))
    assert outcomes(again) == {"lead": "finished", "agent": "failed", "agent-2": "finished"}
    assert again.ledger.spent_tokens == again.ledger.pool_tokens - again.ledger.unallocated_tokens  # type: ignore[operator]
    again.close()


def test_a_spawn_that_was_cut_off_before_its_session_was_made_is_made_up_for(tmp_path: Path) -> None:
    """As by a stop that strikes while the session is made; the call is answered when the team goes on."""
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done."])
    given: Any = Models(lead, StepCancelled())
    team = Team(task="Build it.", model=given, budget_tokens=20_000, path=tmp_path / "t")
    team.step()
    assert team.run() == "done"
    assert outcomes(team) == {"lead": "finished", "agent": "finished"}
    told = "agent has started with 10,000 tokens. Its result comes as a message: go on, or wait."
    assert texts(team, "lead").count(told) == 1


def test_a_team_that_could_not_be_made_leaves_its_folder_free(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="give the team more tokens"):
        a_team(tmp_path / "t", {"lead": model([]), "agent": model([])}, pool=0)
    team = a_team(tmp_path / "t", {"lead": model(["Done."]), "agent": model([])})
    assert team.run() == "done"
    team.close()


@pytest.mark.parametrize("kept", [1, 2, 3, 4])
def test_a_process_that_ended_while_the_team_was_made_is_taken_up(kept: int, tmp_path: Path) -> None:
    """After the organisation, after one seat or both, after the entry was to begin."""
    team = a_team(tmp_path / "t", {"a": model([]), "b": model([])}, seats("a", "b"))
    team.close()
    record = tmp_path / "t" / FILE
    lines = record.read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["organisation", "grant", "grant", "begin"]
    record.write_text("".join(f"{line}\n" for line in lines[:kept]))
    for file in sorted((tmp_path / "t" / "members").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    again = Team.resume(tmp_path / "t", model={"a": model(["Done."]), "b": model([])})
    assert again.run() == "done"
    assert [account.granted for account in again.ledger.books.values()] == [10_000, 10_000]
    again.close()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (TeamSpec("../out", (Role("../out", "P."),)), "is no name of a role"),
        (TeamSpec("a", (Role("a", "P."), Role("a", "Q."))), "two roles 'a'"),
        (TeamSpec("z", (Role("a", "P."),)), "unknown role 'z'"),
        (TeamSpec("a", (Role("a", "P."),), Topology(spawn=(("a", "a"),))), "both ends"),
        (TeamSpec("a", (Role("a", "P.", budget_tokens=True),)), "no whole number of tokens"),
    ],
)
def test_a_team_made_in_python_is_looked_at_like_a_file(spec: TeamSpec, says: str, tmp_path: Path) -> None:
    """It could not be gone on with otherwise, and its members' folders could lie anywhere."""
    with pytest.raises(ValueError, match=says):
        a_team(tmp_path / "t", {"a": model([])}, spec)
    assert not (tmp_path / "out").exists()
