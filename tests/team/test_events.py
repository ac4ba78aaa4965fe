"""The team's record: every event is as its schema says, and the record has a row for each."""

from __future__ import annotations

from pathlib import Path

from opencollab_nb.shaping import ToolResultBudgetShaper
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.team.events import TEAM_EVENTS
from opencollab_nb.trace import faults_of
from tests.team.build import a_team, look, model, reply, spawn, wait


def test_every_event_is_as_the_schema_says(tmp_path: Path) -> None:
    lead = model([reply(spawn("Do A.")), reply(wait()), "Done."], cost=4_000)
    agent = model([reply(look())] * 9, cost=6_000)
    team = a_team(tmp_path / "t", {"lead": lead, "agent": agent}, pool=20_000)
    team.run(2)
    team.use(ToolResultBudgetShaper())
    team.use_summarizer(ExtractiveSummarizer())
    team.say("Go on.")
    off = team.subscribe(lambda event: 1 // 0)
    team.run()
    off()
    assert [fault for event in team.trace.events for fault in faults_of(event, TEAM_EVENTS)] == []
    assert {event["kind"] for event in team.trace.events} == set(TEAM_EVENTS)
    assert len(team.trace.to_frame()) == len(team.trace.events)
