"""What is tried after a refusal, in which order, and how often."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from opencollab_nb.errors import MalformedHistory, ModelUnavailable, Overflow
from opencollab_nb.models import Reply
from opencollab_nb.models.openai_errors import as_overflow
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.usage import Usage
from tests.session.build import a_session, calling, tool_call, working


def tokens(request: Request) -> int:
    return sum(map(weigh, request.messages))


class Provider:
    """Refuses what is over its window; else plays a script."""

    name, window, simulated = "provider", None, False

    def __init__(self, window: int, replies: list[Any], *, says: bool = True) -> None:
        self.served, self.says = window, says
        self.script = ScriptedModel(replies)
        self.asked: list[Request] = []

    def reply(self, request: Request, *, cancel: Any = None) -> Any:
        self.asked.append(request)
        total = tokens(request) + (request.max_output_tokens or 0)
        if total > self.served:
            facts = {"input_tokens": tokens(request), "window": self.served} if self.says else {}
            raise Overflow(f"{total} tokens, at most {self.served}", **facts)
        return self.script.reply(request, cancel=cancel)


@pytest.mark.parametrize("says", [True, False])
def test_an_overflow_is_answered_by_one_forced_pass_and_one_retry(says: bool) -> None:
    model = Provider(6_000, working(9, chars=3_000), says=says)
    session = a_session(model=model, window=100_000)
    assert session.run() == "done"
    refused = [r for r in model.asked if tokens(r) > 6_000]
    assert refused
    wires = [r.wire for r in model.asked]
    assert all(a != b for a, b in pairwise(wires)), "no request is sent twice unchanged"
    forced = [e for e in session.trace.of("request") if e["forced"]]
    assert len(forced) == len(refused)
    assert (session.pressure.window == 6_000) == says


def test_a_learnt_window_holds_and_is_told() -> None:
    model = Provider(6_000, working(12, chars=3_000))
    session = a_session(model=model, window=100_000)
    session.run()
    assert session.pressure.window_source == "learnt"
    assert sum(tokens(r) > 6_000 for r in model.asked) == 1
    assert any("6,000 tokens" in e["text"] for e in session.trace.of("notice"))


def test_a_reply_limit_that_alone_is_too_high_is_lowered_first() -> None:
    model = Provider(8_000, working(3))
    session = a_session(model=model, window=100_000, max_output_tokens=20_000)
    assert session.run() == "done"
    assert [r.max_output_tokens for r in model.asked[:2]] == [20_000, 8_000 - tokens(model.asked[0])]
    assert not any(e["forced"] for e in session.trace.of("request"))
    limit = session.request(1).max_output_tokens
    assert limit == model.asked[1].max_output_tokens


def test_a_servers_own_reply_limit_is_lowered_too() -> None:
    def greedy(request: Request) -> Any:
        if request.max_output_tokens is None:
            return Overflow(
                "input 60 + output 8000 > 8000", input_tokens=60, window=8_000, output_tokens=8_000
            )
        return "done"

    session = a_session(replies=greedy, window=100_000)
    assert session.run() == "done"
    assert session.request(1).max_output_tokens == 7_940


def test_a_pinned_start_that_is_too_long_stops_with_its_cause_and_without_a_loop() -> None:
    model = Provider(2_000, [])
    session = a_session(model=model, window=100_000, system="rule " * 9_000)
    assert session.run() == "stopped(overflow)"
    assert len(model.asked) <= 2
    assert "the system message" in session.detail.split(":")[1].split(",")[0]
    assert len(session.transcript) == 2
    assert session.run() == "stopped(overflow)", "it can be tried again"


def test_a_second_overflow_stops_and_keeps_everything() -> None:
    def refuses(request: Request) -> Any:
        big = tokens(request) > 400
        return Overflow("too long") if big else calling(tool_call(text="x" * 9_000))

    session = a_session(replies=refuses, window=100_000)
    assert session.run(3) == "stopped(overflow)"
    assert session.trace.of("limit")[0]["reason"] == "overflow"
    assert [m["role"] for m in session.transcript.messages] == ["system", "user", "assistant", "tool"]
    assert session.steps == 1


def test_a_refused_request_is_not_booked() -> None:
    session = a_session(replies=[Overflow("too long")] * 2, system="rule " * 900)
    session.run()
    assert session.spent_tokens == 0


def test_a_malformed_history_is_repaired_once_and_stays_repaired() -> None:
    def picky(request: Request) -> Any:
        if any(m["role"] == "assistant" and not m.get("content") for m in request.wire):
            return MalformedHistory("message at position 2 with role 'assistant' must not be empty")
        return next(replies)

    replies = iter(["", "on it", "done"])
    session = a_session(replies=picky)
    assert session.run() == "done"
    assert any("repaired" in e["text"] for e in session.trace.of("notice"))
    session.say("more")
    assert session.run() == "done"
    repaired = [e["repaired"] for e in session.trace.of("request")]
    assert repaired == [False, False, True, True]
    assert session.transcript.messages[2]["content"] == "", "the transcript keeps what came"


def test_a_malformed_history_that_cannot_be_repaired_is_a_fault() -> None:
    session = a_session(replies=[MalformedHistory("bad"), "never"])
    assert session.run() == "stopped(fault)"
    assert isinstance(session.error, MalformedHistory)
    assert "form of the history" in session.detail


def test_an_unavailable_model_is_a_fault_and_the_session_goes_on() -> None:
    session = a_session(replies=[ModelUnavailable("down for maintenance"), "done"])
    assert session.run() == "stopped(fault)"
    assert isinstance(session.error, ModelUnavailable)
    assert session.spent_tokens == 0
    assert session.run() == "done"


def test_a_chain_that_removes_nothing_is_named_as_the_cause_and_another_lets_the_run_go_on() -> None:
    session = a_session(model=Provider(6_000, working(30, chars=4_000)), window=100_000, shapers=[])
    assert session.run() == "stopped(overflow)"
    assert "no layer of this chain could remove more" in session.detail
    assert "no layer of this chain" in repr(session), "the reason is in the session's line"
    session.use("default")
    assert session.run() == "done"


def test_a_layer_that_was_refused_is_named_in_the_cause_of_an_overflow() -> None:
    def drops_a_result(messages: Any, pressure: Any) -> Any:
        return [m for m in messages if m["role"] != "tool"]

    model = Provider(6_000, working(30, chars=4_000))
    session = a_session(model=model, window=100_000, shapers=[drops_a_result])
    assert session.run() == "stopped(overflow)"
    assert "skipped were drops_a_result: " in session.detail


def silent(served: int, replies: list[Any]) -> Any:
    """A provider that answers a request over its window with nothing at all, and charges for it."""
    script = ScriptedModel(replies)

    def answer(request: Request) -> Any:
        if tokens(request) > served:
            return Reply({"role": "assistant", "content": ""}, Usage(tokens(request)))
        return script.reply(request)

    return answer


def test_an_empty_answer_to_a_huge_request_is_an_overflow_and_what_it_cost_is_booked() -> None:
    session = a_session(replies=silent(30_000, working(20, chars=12_000)), window=50_000)
    assert session.run() == "done", session.detail
    requests = session.trace.of("request")
    forced = [e for e in requests if e["forced"]]
    assert forced
    assert not any("empty" in str(m.get("content")) for m in session.transcript.messages)
    booked = [e for e in session.trace.of("usage") if e["purpose"] == "step"]
    assert len(booked) == len(requests), "the answers that were not used were charged for too"
    assert session.spent_tokens == sum(e["input_tokens"] + e["output_tokens"] for e in booked)


def test_a_model_that_says_nothing_twice_to_a_request_of_middle_size_gets_a_shorter_one() -> None:
    session = a_session(replies=silent(8_000, working(8, chars=6_000)), window=100_000)
    assert session.run() == "done", session.detail
    assert any("said nothing twice" in e["text"] for e in session.trace.of("notice"))
    assert [e["forced"] for e in session.trace.of("request")].count(True) == 1


def test_a_spent_budget_ends_the_search_for_an_answer() -> None:
    replies = silent(30_000, working(20, chars=12_000))
    session = a_session(replies=replies, window=50_000, budget_tokens=30_000)
    assert session.run() == "stopped(budget)"
    assert not any(e["forced"] for e in session.trace.of("request"))


def test_a_refusal_of_input_and_reply_without_numbers_lowers_the_reply_first() -> None:
    def refuses(request: Request) -> Any:
        if request.max_output_tokens > 1_500:
            return as_overflow("input length and `max_tokens` exceed context limit")
        return "done"

    session = a_session(replies=refuses, window=100_000, max_output_tokens=8_000)
    assert session.run() == "done", session.detail
    assert [e["max_output_tokens"] for e in session.trace.of("request")] == [8_000, 1_000]
    assert not any(e["forced"] for e in session.trace.of("request"))
