"""Other intervals on a recorded run: the run's own comes out as it was, and nearer costs more."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.budget.calibrate import INTERVALS, what_if_intervals
from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.errors import UsageProblem
from tests.budget.recorded_runs import RUNS, a_run
from tests.session.build import working
from tests.session.directed import directed


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_the_recorded_interval_comes_out_as_it_was(task: str, how: str) -> None:
    session = a_run(task, how)
    every = session.budget.settings.restate_every
    tried = what_if_intervals(session.trace.events, session.transcript.messages, [every]).intervals[0]
    told = session.trace.of("restatement")
    assert tried.recorded
    assert tried.restatements == len(told) > 3
    assert tried.tokens_added == sum(event["tokens"] for event in told)


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_a_shorter_interval_adds_tokens_and_brings_the_anchors_nearer(task: str, how: str) -> None:
    session = a_run(task, how)
    tried = what_if_intervals(session.trace.events, session.transcript.messages, [*INTERVALS, None])
    assert [one.restate_every for one in tried.intervals] == [*INTERVALS, None]
    added = [one.tokens_added for one in tried.intervals]
    distances = [one.mean_distance_tokens for one in tried.intervals]
    assert added == sorted(added, reverse=True)
    assert added[0] > 1.5 * added[-1] > 0, "the last are those after milestones and compactions"
    assert distances == sorted(distances)
    assert tried.intervals[0].restated_share == 1
    assert tried.intervals[0].most_distance_tokens < 500 < tried.intervals[-1].most_distance_tokens


def test_a_run_that_was_never_restated_shows_what_restating_would_do(tmp_path: Path) -> None:
    budget = ContextBudget(moves={"offload", "compact"})
    session = directed(tmp_path / "run", working(16, chars=2_000), budget=budget, window=100_000)
    session.run()
    never, every_4 = what_if_intervals(session.trace.events, session.transcript.messages, [None, 4]).intervals
    assert (never.restatements, never.tokens_added) == (0, 0)
    assert every_4.restatements == session.steps // 4
    assert not never.recorded, "that run had no restatements at all"
    assert every_4.mean_distance_tokens < never.mean_distance_tokens


def test_without_anchors_there_is_nothing_to_restate() -> None:
    session = a_run("quickstart", "plain")
    tried = what_if_intervals(session.trace.events, session.transcript.messages)
    assert tried.anchors == 0
    assert {one.tokens_added for one in tried.intervals} == {0}
    assert len(tried.to_frame()) == len(INTERVALS)


def test_it_shows_itself_as_a_table() -> None:
    session = a_run()
    tried = what_if_intervals(session.trace.events, session.transcript.messages)
    assert "8 (as it was)" in repr(tried)
    assert tried._repr_html_().count("<tr>") == len(INTERVALS) + 1
    assert list(tried.to_frame()["restate_every"]) == list(INTERVALS)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "8"])
def test_an_interval_is_a_whole_number_of_steps(wrong: object) -> None:
    session = a_run()
    with pytest.raises(UsageProblem, match="whole number of steps"):
        what_if_intervals(session.trace.events, session.transcript.messages, [wrong])  # type: ignore[list-item]
