"""What is chosen mid-run holds for members that begin later, also in another process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.chain_spec import describe, describe_chain
from opencollab_nb.shaping import OldHistorySnipShaper, ToolResultBudgetShaper
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.team import Team
from tests.team.build import a_team, look, model, reply, seats

MINE = (ToolResultBudgetShaper(max_chars=700), OldHistorySnipShaper(keep_recent_groups=3))


def begun_later(path: Path, choose: Callable[[Team], None], again: bool, **more: Any) -> Team:
    """A team of which the seat `b` begins after the choice; in this process or the next."""
    models = {name: model([reply(look())] * 5) for name in "ab"}
    team = a_team(path / "t", models, seats("a", "b"), **more)
    team.run(1)
    choose(team)
    if again:
        team.close()
        team = Team.resume(path / "t", model=models)
    team.say("Go.", to="b")
    return team


def session(team: Team, name: str = "b") -> Any:
    return team.members[name].session


@pytest.mark.parametrize("again", [False, True])
def test_shapers_of_a_seat_that_has_not_begun_wait_for_it(again: bool, tmp_path: Path) -> None:
    def choose(team: Team) -> None:
        team.use("summarize")
        team.use(*MINE, member="b")

    team = begun_later(tmp_path, choose, again)
    assert session(team).chain.shapers == MINE
    assert session(team, "a").policy == "summarize"
    team.run(2)
    assert session(team).steps == 1


@pytest.mark.parametrize("again", [False, True])
def test_what_is_chosen_for_all_later_replaces_what_was_chosen_for_one(again: bool, tmp_path: Path) -> None:
    def choose(team: Team) -> None:
        team.use(*MINE, member="b")
        team.use("summarize")

    team = begun_later(tmp_path, choose, again)
    assert session(team).policy == "summarize"
    assert describe_chain(session(team).chain) == describe_chain(session(team, "a").chain)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("member", ["b", None])
def test_a_summarizer_waits_for_a_seat_that_has_not_begun(
    again: bool, member: str | None, tmp_path: Path
) -> None:
    mine = ExtractiveSummarizer(fill_ratio=0.4)
    team = begun_later(tmp_path, lambda team: team.use_summarizer(mine, member=member), again)
    assert describe(session(team).summarizer) == describe(mine)


def test_settings_hold_for_seats_that_begin_in_another_process(tmp_path: Path) -> None:
    given = {"steering": False, "max_steps": 7, "summarizer": ExtractiveSummarizer(fill_ratio=0.4)}
    team = begun_later(tmp_path, lambda team: None, True, **given)
    found = session(team)
    assert (found.steering, found.max_steps, describe(found.summarizer)) == (
        False,
        7,
        describe(given["summarizer"]),
    )


def test_a_shaper_made_in_a_cell_is_asked_for_before_the_seat_makes_a_step(tmp_path: Path) -> None:
    def in_a_cell(messages: Any) -> Any:
        return messages

    team = begun_later(tmp_path, lambda team: team.use(in_a_cell, member="b"), True)
    with pytest.raises(UsageProblem, match="in_a_cell"):
        team.run(2)
    team.use(*MINE, member="b")
    team.run(2)
    assert session(team).steps == 1
