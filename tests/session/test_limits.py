"""The token budget and the step limit."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import AutoCompactShaper, Summary, SummaryRequest
from opencollab_nb.tokens.usage import Usage
from tests.session.build import a_session, working


def test_a_spent_budget_stops_before_the_next_call_and_says_what_it_is() -> None:
    model = ScriptedModel(working(9), usage=lambda request: Usage(400, 100, 20))
    session = a_session(model=model, budget_tokens=1_000)
    assert session.run() == "stopped(budget)"
    assert (session.steps, session.spent_tokens, len(model.requests)) == (3, 1_260, 3)
    assert (session.input_tokens_sent, session.cached_tokens) == (1_200, 300)
    assert "not a billing cap" in session.detail
    assert "may overshoot" in session.detail
    assert session.trace.of("limit")[0]["reason"] == "budget"


def test_step_says_which_limit_forbids_it() -> None:
    session = a_session(max_steps=1)
    session.step()
    step = session.step()
    assert (step.reply, step.state) == (None, "stopped(step limit)")
    assert "1 of 1 steps" in step.detail


def test_the_step_limit_is_never_shown_as_success() -> None:
    session = a_session(replies=working(5), max_steps=2)
    assert session.run() == "stopped(step limit)"
    assert session.steps == 2


def test_a_raised_limit_lets_the_session_go_on() -> None:
    session = a_session(max_steps=2)
    session.run()
    session.max_steps = 9
    assert session.run() == "done"
    session.budget_tokens = 0
    session.say("more")
    assert session.run() == "stopped(budget)"


@pytest.mark.parametrize("usage", [None, lambda request: Usage(0, 0, 0)])
def test_what_a_provider_does_not_report_is_estimated_and_booked(usage: Any) -> None:
    session = a_session(model=ScriptedModel(working(2), usage=usage))
    session.run()
    events = session.trace.of("usage")
    assert not any(e["reported"] for e in events)
    assert session.spent_tokens == sum(e["input_tokens"] + e["output_tokens"] for e in events) > 0
    assert [e["input_tokens"] for e in events] == [e["tokens"] for e in session.trace.of("request")]


def summarized(summarizer: Any, **settings: Any) -> Session:
    return a_session(
        replies=working(14, chars=2_400),
        shapers=[AutoCompactShaper(summarizer, keep_recent_groups=1)],
        window=8_000,
        **settings,
    )


def test_summaries_are_booked_as_such_before_the_request_that_uses_them() -> None:
    def summarizer(request: SummaryRequest) -> Summary:
        return Summary("They worked.", Usage(700, 0, 9), model="tiny")

    session = summarized(summarizer)
    assert session.run() == "done"
    events = session.trace.events
    paid = [e for e in events if e["kind"] == "usage" and e["purpose"] == "summary"]
    assert paid
    assert session.spent_tokens == sum(
        e["input_tokens"] + e["output_tokens"] for e in events if e["kind"] == "usage"
    )
    for event in paid:
        after = [e["kind"] for e in events[event["n"] + 1 :]]
        assert after.index("session.history_compaction") < after.index("request")
    compaction = next(e for e in session.trace.of("session.history_compaction") if e["summary"])
    assert compaction["summary"]["model"] == "tiny"
    assert compaction["covered"]


def test_a_summarizer_that_reports_nothing_is_estimated() -> None:
    session = summarized(lambda request: "They worked.")
    session.run()
    event = next(e for e in session.trace.of("usage") if e["purpose"] == "summary")
    assert event["reported"] is False
    assert event["input_tokens"] > 100


def test_a_summary_that_spends_the_budget_is_the_last_call() -> None:
    calls: list[int] = []

    def dear(request: SummaryRequest) -> Summary:
        calls.append(1)
        return Summary("They worked.", Usage(10**6, 0, 9))

    session = summarized(dear, budget_tokens=10**5)
    assert session.run() == "stopped(budget)"
    assert len(calls) == 1
    last = session.trace.events[-1]
    assert last["kind"] == "state"
    steps_sent = len(session.trace.of("request"))
    session.budget_tokens = 10**8
    assert session.run(1) == "paused"
    assert len(calls) == 1, "the summary that was paid is used"
    assert len(session.trace.of("request")) == steps_sent + 1


def test_a_failing_summarizer_costs_nothing_of_ours_and_is_shown() -> None:
    def broken(request: SummaryRequest) -> str:
        raise RuntimeError("no model")

    session = summarized(broken)
    session.run(10)
    problems = [e["problem"] for e in session.trace.of("session.history_compaction")]
    assert any(p and "no model" in p for p in problems)
    assert all(e["purpose"] == "step" for e in session.trace.of("usage"))
