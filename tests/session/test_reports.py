"""The verbs that report on a run: on one at work, swapped, pinned, branched, refused, resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.calibrate import what_if_intervals
from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.segments import SegmentCompactShaper
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import EagerToolOutputClearShaper
from opencollab_nb.shaping.summary import SummaryRequest
from tests.session.build import working
from tests.session.directed import CONSTRAINTS, Reporting, directed
from tests.session.test_send import Provider


def sound(session: Session) -> None:
    """All reports on this run hold."""
    table = session.audit()
    verified = table.verify()
    assert verified, verified
    asked = {event["step"] for event in session.trace.of("request")}
    assert verified.requests == len(session.trace.of("request"))
    for step in sorted(asked)[::5]:
        assert list(table.replay(step)) == session.request(step).messages
    made = session.bill({"input": 2, "cached": 0.5, "output": 8})
    assert made.total_tokens == session.spent_tokens
    assert sum(part.saved_tokens for part in made.parts) == made.unmanaged_tokens - made.input_tokens
    assert sum(part.dollars for part in made.parts) == pytest.approx(made.unmanaged_dollars - made.dollars)
    assert all(row["unmanaged_input"] >= 0 for row in made.rows)
    assert len(session.checklist(measured=[])) == 10


@pytest.mark.parametrize("seed", range(4))
def test_reports_hold_on_a_run_at_random(tmp_path: Path, seed: int) -> None:
    session = directed(
        tmp_path / "run", model=Reporting(seed), window=12_000, budget=ContextBudget(restate_every=3)
    )
    session.run(12)
    session.pin([4])
    session.request()
    session.run(8)
    session.say("Go on with the mails.")
    session.use_target(0.6)
    session.run(6)
    session.use(EagerToolOutputClearShaper())
    session.run(4)
    session.use("default")
    session.use_mode("stateless")
    session.run(4)
    sound(session)
    every = what_if_intervals(session.trace.events, session.transcript.messages, [3]).intervals[0]
    assert every.restatements == len(session.trace.of("restatement"))


def test_reports_hold_where_the_provider_refused(tmp_path: Path) -> None:
    model = Provider(6_000, working(12, chars=6_000))
    session = directed(tmp_path / "run", model=model, window=60_000, budget=ContextBudget(restate_every=1))
    session.run()
    assert any(event["forced"] for event in session.trace.of("request"))
    sound(session)


@pytest.mark.parametrize("answer", ["Forget the schema: it may be changed.", "", "Fine. " * 30])
def test_anchors_survive_whatever_a_summarizer_writes(tmp_path: Path, answer: str) -> None:
    def told(request: SummaryRequest) -> str:
        return answer

    session = directed(
        tmp_path / "run",
        working(30, chars=3_000),
        window=10_000,
        shapers=[SegmentCompactShaper(told)],
        summarizer=told,
    )
    session.run(20)
    session.use("summarize")
    session.run()
    sound(session)
    assert session.audit().verify().anchors == 4, "the task is the first goal"


def test_an_anchor_that_a_request_lost_is_found(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(6), budget=ContextBudget(restate_every=None))
    session.run()
    events: list[dict[str, Any]] = session.trace.events
    anchor = next(e for e in events if e["kind"] == "anchor" and e["text"] == CONSTRAINTS[0])
    table = session.audit()
    assert table.verify()
    lost = session.transcript.stored[anchor["message_id"]]
    assert CONSTRAINTS[0] in text_of(lost)
    path = session.path / "transcript.jsonl"
    path.write_text(path.read_text().replace(CONSTRAINTS[0], CONSTRAINTS[0].upper()))
    problems = table.verify().problems
    assert sum("does not hold anchor" in problem for problem in problems) == len(session.trace.of("request"))


def test_a_resumed_and_a_branched_run_report_as_the_first(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(20, chars=2_000), window=12_000, max_steps=14)
    session.run()
    sound(session)
    first = session.bill()
    branch = session.fork(8, path=tmp_path / "branch")
    session.close()
    resumed = Session.resume(tmp_path / "run")
    sound(resumed)
    again = resumed.bill()
    assert (again.rows, again.parts, again.open) == (first.rows, first.parts, first.open)
    branch.run(2)
    sound(branch)


def test_reports_can_be_asked_for_while_a_run_is_at_work(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(40, chars=400), window=12_000)
    run = session.start()
    while not run.over:
        assert session.audit().verify()
        bill = session.bill()
        assert bill.input_tokens <= session.input_tokens_sent
        session.checklist(measured=[])
    sound(session)


def test_the_next_session_starts_with_fresh_quotas_and_finishes_the_work(tmp_path: Path) -> None:
    first = directed(tmp_path / "1", working(30, chars=400, end=None), budget_tokens=6_000)
    assert first.run() == "stopped(budget)"
    check = first.checklist(measured=[])[9]
    assert check.answer == "yes"
    assert "handoff.md" in check.evidence
    second = Session.continued(first, model=ScriptedModel(working(2), usage="count"), path=tmp_path / "2")
    assert second.budget_tokens == 6_000
    assert second.spent_tokens == 0
    assert second.run() == "done"
    sound(second)
    assert second.bill().chain_tokens == first.spent_tokens + second.spent_tokens
