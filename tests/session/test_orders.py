"""What the user changes between two steps, and during one."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from opencollab_nb.errors import SessionBusy, UnknownName, UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.policy import Policy
from opencollab_nb.request import Request
from opencollab_nb.shaping import (
    AutoCompactShaper,
    OldHistorySnipShaper,
    ShaperPipeline,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
)
from tests.session.build import a_session, working


class Gated:
    """A model that waits at each call until it is let through."""

    name, window = "gated", 16_000

    def __init__(self, replies: list[Any]) -> None:
        self.script = ScriptedModel(replies)
        self.entered, self.gate = threading.Semaphore(0), threading.Semaphore(0)

    @property
    def requests(self) -> list[Request]:
        return self.script.requests

    def reply(self, request: Request, *, cancel: Any = None) -> Any:
        self.entered.release()
        assert self.gate.acquire(timeout=20)
        return self.script.reply(request)


def test_a_swap_at_rest_holds_for_the_next_request() -> None:
    session = a_session(replies=working(9, chars=4_000))
    session.run(3)
    session.use(ToolResultBudgetShaper(100))
    assert session.pending is None
    assert session.trace.of("swap")[-1]["from_step"] == 4
    capped = [m for m in session.request().wire if m["role"] == "tool"]
    assert all(len(m["content"]) <= 100 for m in capped)
    assert all(len(m["content"]) > 3_000 for m in session.transcript.messages if m["role"] == "tool")


def test_a_swap_during_a_step_waits_for_its_end_and_happens_once() -> None:
    model = Gated(working(4, chars=4_000))
    session = a_session(model=model)
    run = session.start(2)
    model.entered.acquire()
    session.use(ToolOutputClearShaper(keep_recent=1))
    session.use(ToolResultBudgetShaper(100))
    assert session.pending == ShaperPipeline(ToolResultBudgetShaper(100))
    assert session.policy == "default"
    assert session.trace.of("swap") == []
    model.gate.release()
    model.entered.acquire()
    assert session.pending is None
    assert session.chain == ShaperPipeline(ToolResultBudgetShaper(100))
    assert [e["from_step"] for e in session.trace.of("swap")] == [2, 2]
    assert len(model.requests[0].wire) == 2
    model.gate.release()
    run.wait()
    assert [len(m["content"]) <= 100 for m in model.requests[1].wire if m["role"] == "tool"] == [True]
    assert len(session.trace.of("swap")) == 2


def test_a_target_set_during_a_step_holds_from_the_next_one_on() -> None:
    model = Gated(working(4))
    session = a_session(model=model)
    run = session.start(2)
    model.entered.acquire()
    session.use_target(0.5)
    assert session.trace.of("swap") == []
    model.gate.release()
    model.gate.release()
    run.wait()
    (swap,) = session.trace.of("swap")
    assert (swap["what"], swap["from_step"], swap["target_ratio"]) == ("target", 2, 0.5)
    assert [session.at(k).target for k in (1, 2)] == [7_500, 5_000]


@pytest.mark.parametrize("ratio", [0.2, 0.96, 1, True, "0.5", None, float("nan")])
def test_a_target_that_is_no_share_of_the_trigger_is_refused(ratio: Any) -> None:
    session = a_session()
    with pytest.raises(UsageProblem, match=r"from 0\.3 to 0\.95"):
        session.use_target(ratio)
    assert session.trace.of("swap") == []


def test_a_policy_is_taken_by_name_as_an_object_and_its_numbers_hold() -> None:
    session = a_session()
    session.use("no_history_compaction")
    assert (session.policy, len(session.chain.shapers)) == ("no_history_compaction", 1)
    session.use(Policy("default", tool_result_budget=500, target_ratio=0.5, mode="stateless"))
    assert (session.policy, session.mode) == ("default", "stateless")
    limits = session.pressure.snapshot()
    assert limits.target == limits.trigger // 2
    session.use(OldHistorySnipShaper(), lambda messages, pressure: messages)
    assert (session.policy, len(session.chain.shapers)) == (None, 2)
    session.use([OldHistorySnipShaper()])
    assert session.chain == ShaperPipeline(OldHistorySnipShaper())


def test_summarize_by_name_works_without_any_model() -> None:
    session = a_session(replies=working(12, chars=4_000), window=8_000)
    session.use("summarize")
    assert type(session.summarizer).__name__ == "ExtractiveSummarizer"
    session.run()
    assert any(e["summary"] for e in session.trace.of("session.history_compaction"))
    assert not [e for e in session.trace.of("usage") if e["purpose"] == "summary"], "it asks no model"


@pytest.mark.parametrize("bad", [("defualt",), (), (7,), (OldHistorySnipShaper,), ("default", "summarize")])
def test_what_is_no_chain_is_refused_and_changes_nothing(bad: tuple[Any, ...]) -> None:
    session = a_session()
    before = session.chain
    with pytest.raises(ValueError):
        session.use(*bad)
    assert session.chain is before
    assert session.trace.of("swap") == []


def test_a_summarizer_goes_into_every_compacting_layer() -> None:
    def mine(request: Any) -> str:
        return "short"

    session = a_session(
        shapers=[AutoCompactShaper(), OldHistorySnipShaper(), AutoCompactShaper(keep_recent_groups=1)]
    )
    session.use_summarizer(mine)
    compacting = [s for s in session.chain.shapers if isinstance(s, AutoCompactShaper)]
    assert [s.summarizer for s in compacting] == [mine, mine]
    assert session.summarizer is mine
    session.use("default")
    assert session.chain.shapers[-1] == AutoCompactShaper(mine)


def test_a_summarizer_given_at_the_start_fills_only_empty_layers() -> None:
    def mine(request: Any) -> str:
        return "short"

    def own(request: Any) -> str:
        return "own"

    session = a_session(shapers=[AutoCompactShaper(own), AutoCompactShaper()], summarizer=mine)
    assert [s.summarizer for s in session.chain.shapers] == [own, mine]  # type: ignore[union-attr]
    with pytest.raises(UsageProblem, match="no summarizer"):
        session.use_summarizer("extractive")


def test_an_unknown_mode_is_refused_by_name() -> None:
    session = a_session()
    with pytest.raises(UnknownName, match="did you mean 'stateless'"):
        session.use_mode("statelss")
    session.use_mode("stateless")
    assert session.mode == "stateless"


def test_a_pinned_result_comes_back_and_stays_through_later_rounds() -> None:
    session = a_session(replies=working(24, chars=3_000), window=12_000)
    session.run(10)
    first = next(m for m in session.transcript.messages if m["role"] == "tool")
    assert first["content"] not in [m.get("content") for m in session.request().wire]
    pinned = session.pin(first["meta"]["id"])
    assert pinned == (2, 3)
    assert first["content"] in [m.get("content") for m in session.request().wire]
    session.run(8)
    assert first["content"] in [m.get("content") for m in session.request().wire]
    assert session.unpin(3) == (2, 3)
    session.run()
    assert first["content"] not in [m.get("content") for m in session.request(session.steps).wire]
    assert [e["how"] for e in session.trace.of("pin")] == ["pin", "unpin"]


def test_a_restored_result_comes_back_and_stays_until_it_is_unpinned() -> None:
    session = a_session(replies=working(24, chars=3_000), window=12_000)
    session.run(10)
    session.restore(3)
    content = session.transcript.messages[3]["content"]
    assert content in [m.get("content") for m in session.request().wire]
    session.run(10)
    assert len(session.rounds()) > 1
    assert content in [m.get("content") for m in session.request(session.steps).wire]
    session.unpin(3)
    session.run()
    assert content not in [m.get("content") for m in session.request(session.steps).wire]


@pytest.mark.parametrize("bad", [99, -1, [0, 99], True, "3"])
def test_an_id_that_no_message_has_is_refused(bad: Any) -> None:
    session = a_session()
    with pytest.raises(UsageProblem, match="there is no message"):
        session.pin(bad)
    assert session.trace.of("pin") == []


def test_what_is_said_during_a_step_comes_after_its_results() -> None:
    model = Gated(working(2))
    session = a_session(model=model)
    run = session.start()
    model.entered.acquire()
    session.say("Hurry.")
    for _ in range(3):
        model.gate.release()
    run.wait()
    assert [m["role"] for m in session.transcript.messages[:5]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert session.transcript.messages[4]["content"] == "Hurry."


def test_what_is_said_during_the_last_step_lets_the_run_go_on() -> None:
    model = Gated(["done", "done too"])
    session = a_session(model=model)
    run = session.start()
    model.entered.acquire()
    session.say("One more thing.")
    model.gate.release()
    model.entered.acquire()
    assert model.requests[0].wire[-1]["content"] == "Fix the bug."
    model.gate.release()
    run.wait()
    assert (session.state, session.steps) == ("done", 2)
    assert model.requests[1].wire[-1]["content"] == "One more thing."


@pytest.mark.parametrize("text", ["", "  \n", None, 7])
def test_nothing_cannot_be_said(text: Any) -> None:
    with pytest.raises(UsageProblem, match="needs some text"):
        a_session().say(text)


def test_a_second_run_is_refused_while_one_is_under_way() -> None:
    model = Gated(working(2))
    session = a_session(model=model)
    run = session.start()
    model.entered.acquire()
    for verb in (session.start, session.run, session.step, session.request):
        with pytest.raises(SessionBusy):
            verb()
    for _ in range(3):
        model.gate.release()
    run.wait()
    assert session.state == "done"
