"""A model for each request by a rule of the user's."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb import ModelSummarizer, RoutedModel
from opencollab_nb.errors import Overflow, UnknownName, UsageProblem
from opencollab_nb.models import Model
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from tests.session.build import a_session, working

HI = Request(({"role": "user", "content": "hi"},))


def by_purpose(**models: Any) -> RoutedModel:
    return RoutedModel(lambda r: "cheap" if r.purpose == "summary" else "strong", models=models)


def test_summaries_go_to_the_cheap_one_and_the_trace_says_who_answered() -> None:
    strong = ScriptedModel(working(40, chars=3_000), usage="count", name="strong-1")
    cheap = ScriptedModel(lambda _r: "What was read so far: nothing of note.", usage="count", name="cheap-1")
    model = by_purpose(strong=strong, cheap=cheap)
    session = a_session(model=model, policy="summarize", summarizer=ModelSummarizer(model))
    session.run(30)
    assert len(strong.requests) == 30
    assert cheap.requests
    assert {r.purpose for r in strong.requests} == {"step"}
    assert {r.purpose for r in cheap.requests} == {"summary"}
    assert {e["model"] for e in session.trace.of("reply")} == {"strong"}
    written = [e["summary"]["model"] for e in session.trace.of("session.history_compaction") if e["summary"]]
    assert written == ["cheap"] * len(cheap.requests)
    booked = [e["purpose"] for e in session.trace.of("usage")]
    assert booked.count("summary") == len(cheap.requests)


def test_a_rule_may_return_the_model_itself_or_look_at_the_size() -> None:
    small, large = ScriptedModel(["s"], name="small"), ScriptedModel(["l"], name="large")
    model = RoutedModel(lambda r: large if len(r.messages) > 1 else small)
    assert isinstance(model, Model)
    assert model.reply(HI).model == "small"
    assert model.reply(Request((*HI.view, *HI.view))).model == "large"


def test_after_an_overflow_the_rule_is_asked_again_for_the_shorter_request() -> None:
    first = ScriptedModel([Overflow("too long")], name="first")
    second = ScriptedModel(["done"], name="second")
    work = ScriptedModel(working(9, chars=3_000, end=None), name="work")
    asked: list[int] = []

    def rule(request: Request) -> Any:
        asked.append(len(request.messages))
        return work if len(asked) < 10 else first if len(asked) == 10 else second

    session = a_session(model=RoutedModel(rule), window=100_000)
    assert session.run() == "done"
    assert len(asked) == 11
    assert asked[-1] <= asked[-2]
    assert session.trace.of("reply")[-1]["model"] == "second"


def test_window_and_reply_limit_are_the_smallest_of_the_known_ones() -> None:
    one, other = ScriptedModel(window=8_000), ScriptedModel(window=32_000)
    one.max_output_tokens = 500
    assert (by_purpose(cheap=one, strong=other).window, by_purpose(cheap=one).max_output_tokens) == (
        8_000,
        500,
    )
    assert RoutedModel(lambda _r: one).window is None
    assert RoutedModel(lambda _r: one, window=9_000).window == 9_000


def test_one_simulated_model_makes_it_simulated() -> None:
    pretends = ScriptedModel()
    pretends.simulated = True
    assert by_purpose(strong=pretends, cheap=ScriptedModel()).simulated
    assert not by_purpose(strong=ScriptedModel()).simulated


def test_what_is_no_model_is_named() -> None:
    with pytest.raises(UsageProblem, match="give a function"):
        RoutedModel("cheap")
    with pytest.raises(UsageProblem, match=r"models\['cheap'\] is 3"):
        RoutedModel(lambda _r: "cheap", models={"cheap": 3})
    with pytest.raises(UsageProblem, match="what the rule returned is None"):
        RoutedModel(lambda _r: None).reply(HI)
    with pytest.raises(UnknownName, match="'chep'; did you mean 'cheap'"):
        RoutedModel(lambda _r: "chep", models={"cheap": ScriptedModel()}).reply(HI)


def test_a_rule_that_fails_ends_the_run_as_a_fault_and_it_can_go_on() -> None:
    answers = iter([KeyError("tenant"), ScriptedModel(["done"])])

    def rule(_request: Request) -> Any:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    session = a_session(model=RoutedModel(rule))
    assert session.run() == "stopped(fault)"
    assert "KeyError" in session.detail
    assert session.run() == "done"
