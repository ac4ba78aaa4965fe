"""The team's record: once it was given back, nothing more is written to it from here."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.team import Team
from opencollab_nb.team.log import FILE, Log
from tests.team.build import a_team, model, seats


def test_a_closed_log_refuses_events(tmp_path: Path) -> None:
    log = Log.new(tmp_path)
    log.note("wait", member="a")
    log.close()
    with pytest.raises(TranscriptError, match="is closed"):
        log.note("wait", member="a")
    assert len(log.trace.events) == len((tmp_path / FILE).read_text().splitlines()) == 1


def test_a_closed_team_cuts_nothing_off_from_the_record_of_the_one_that_goes_on(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model([])}, seats("a"))
    team.close()
    again = Team.resume(tmp_path / "t", model={"a": model(["Done."])})
    again.run()
    for late in (
        lambda: team.say("Hello."),
        lambda: team.use("default"),
        lambda: team.use_summarizer(None),
        team.start,
    ):
        with pytest.raises(UsageProblem, match="this team is closed"):
            late()
    written = (tmp_path / "t" / FILE).read_text().splitlines()
    assert len(written) == len(again.trace.events)
    again.close()
