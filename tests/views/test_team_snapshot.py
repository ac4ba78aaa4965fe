"""The static twin of a team's panel, and how a team is shown where there is no page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.team import Team
from opencollab_nb.views.team_snapshot import OUT, TeamSnapshot
from tests.team.build import a_team, look, model, reply, seats, send, wait
from tests.views.cells import run
from tests.views.test_snapshot import EVIL, tags_of


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """One seat asks, one looks until its tokens are spent, one is never asked."""
    a = model([reply(send("b", EVIL), text=EVIL), reply(wait()), EVIL])
    b = model([reply(look())] * 20, cost=2_000)
    made = a_team(tmp_path / "t", {"a": a, "b": b, "c": model([])}, seats("a", "b", "c"))
    yield made
    made.close()


def test_before_the_first_step_it_says_so(team: Team) -> None:
    text = TeamSnapshot.of(team).text()
    assert "ready" in text
    assert "0 of 30,000 tokens, 0%" in text


def test_it_tells_of_each_member_what_became_of_it_and_of_its_tokens(team: Team) -> None:
    team.run()
    snapshot = TeamSnapshot.of(team)
    rows = {row[0]: row for row in snapshot.members.rows}
    assert rows["a"][1:3] == ("finished", 3)
    assert rows["b"][1:5] == ("ran out", 5, 10_000, 10_000)
    assert rows["c"][1:3] == ("never acted", 0)
    assert rows["b"][-1].endswith(OUT) or OUT in rows["b"][-1][-3:]
    assert set(rows["c"][-1]) == {"·"}
    assert "messages  2" in snapshot.text()


def test_hostile_text_is_text(team: Team) -> None:
    team.run()
    snapshot = TeamSnapshot.of(team)
    tags, attributes = tags_of(snapshot.markup())
    assert not tags & {"script", "img"}
    assert attributes <= {"class", "style"}
    assert "\x1b" not in snapshot.text()


def test_a_team_as_the_value_of_a_cell_is_its_snapshot_where_no_widget_can_live(
    shell: InteractiveShell, team: Team
) -> None:
    shell.user_ns["ours"] = team
    shown = run(shell, "ours").shown[-1]
    assert set(shown) >= {"text/plain", "text/html"}
    assert "oc-snapshot" in shown["text/html"]
    assert "never acted" in shown["text/plain"]


def test_without_the_extension_a_team_shows_its_members(bare_shell: InteractiveShell, team: Team) -> None:
    team.run()
    bare_shell.user_ns["ours"] = team
    page = run(bare_shell, "ours").shown[-1]["text/html"]
    assert "never acted" in page
    assert not tags_of(page)[0] & {"script", "img"}
