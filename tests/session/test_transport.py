"""Whatever happens on the way to a model and back has one outcome, in the trace; none is an exception."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.request import wire_faults
from opencollab_nb.session import Session
from tests.models.server import DROP, HANG, HANG_IN_BODY, Answer, ChatServer
from tests.session.build import a_session, calling, tool_call

QUICK = Retries(at_most=2, first_seconds=0.01)
BUSY = {"error": {"message": "busy"}}
SAID = {"choices": [{"message": {"role": "assistant", "content": "half"}, "finish_reason": "stop"}]}
HALF = json.dumps(SAID)[:-9]
PIECE = 'data: {"choices": [{"index": 0, "delta": {"content": "half"}}]}\n\n'

AGAIN = {
    "connection closed": DROP,
    **{f"status {n}": Answer(n, BUSY) for n in (408, 409, 425, 429, 500, 502, 503, 504, 529)},
    "status 503 with a page": Answer(503, "<html>bad gateway</html>"),
    "retry-after": Answer(429, BUSY, {"retry-after": "0.02"}),
    "retry-after as a date gone by": Answer(503, BUSY, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    "retry-after that is none": Answer(503, BUSY, {"retry-after": "soon"}),
    "half a body": Answer(200, HALF),
    "no body": Answer(200, ""),
    "a stream that breaks off": Answer(200, PIECE),
    "busy with status 200": Answer(200, {"error": {"message": "busy", "code": 503}}),
    "overloaded with status 200": Answer(200, {"error": {"message": "busy", "type": "overloaded_error"}}),
    "overloaded within a stream": Answer(200, PIECE + 'data: {"error": {"type": "overloaded_error"}}\n\n'),
}
STOPS = {
    "silence": HANG,
    "silence within the body": HANG_IN_BODY,
    "retry-after over the ceiling": Answer(429, BUSY, {"retry-after": "3600"}),
    "quota": Answer(429, {"error": {"message": "quota", "code": "insufficient_quota"}}),
    "refused key": Answer(401, BUSY),
    "refused": Answer(400, BUSY),
    "not found": Answer(404, BUSY),
    "a page": Answer(200, "<html>log in</html>"),
    "no object": Answer(200, "[]"),
    "no choice": Answer(200, {"choices": []}),
    "no message": Answer(200, {"choices": [{}]}),
    "an error with status 200": Answer(200, {"error": {"message": "no", "code": 400}}),
    "deep JSON": Answer(200, "[" * 100_000),
}


@contextmanager
def against(script: Any, **settings: Any) -> Iterator[tuple[Session, ChatServer]]:
    with ChatServer(script) as server:
        model = OpenAIModel("tiny", base_url=server.url, retries=QUICK, timeout_seconds=1.0)
        session = a_session(model=model, **settings)
        yield session, server
        session.close()


@pytest.mark.parametrize("name", AGAIN)
def test_what_may_pass_is_asked_again_and_the_trace_says_so(name: str) -> None:
    with against([AGAIN[name], "done"]) as (session, server):
        assert session.run() == "done", session.detail
        assert len(server.requests) == 2
        assert server.requests[0] == server.requests[1]
        [told] = session.trace.of("fault")
        assert told["where"] == "model"
        assert "it is asked again in" in told["message"]
        assert session.error is None


@pytest.mark.parametrize("name", AGAIN)
def test_what_does_not_pass_stops_the_run_after_three_attempts_and_it_can_go_on(name: str) -> None:
    with against([AGAIN[name]] * 3 + ["done"]) as (session, server):
        assert session.run() == "stopped(fault)"
        assert len(server.requests) == 3
        assert "after 3 attempts" in session.detail
        assert [e["where"] for e in session.trace.of("fault")] == ["model", "model", "run"]
        assert session.run() == "done"


@pytest.mark.parametrize("name", STOPS)
def test_what_will_not_pass_stops_the_run_at_once_and_it_can_go_on(name: str) -> None:
    with against([STOPS[name], "done"]) as (session, server):
        assert session.run() == "stopped(fault)"
        assert len(server.requests) == 1
        assert [e["where"] for e in session.trace.of("fault")] == ["run"]
        assert session.detail
        assert session.steps == 0
        assert session.run() == "done"
        assert session.spent_tokens > 0


def call(arguments: Any, *, name: str = "echo", call_id: Any = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (call('{"text": '), "not JSON"),
        (call("plain words"), "not JSON"),
        (call("[1]"), "not a JSON object but a list"),
        (call('"x"'), "not a JSON object but a str"),
        (call("null"), "not a JSON object but a NoneType"),
        (call("[" * 100_000), "not JSON"),
        (call("{}", name="rm_rf"), "unknown tool 'rm_rf'; the tools are echo"),
        (call("{}", name=""), "unknown tool"),
        ({"id": "c1", "type": "function"}, "unknown tool"),
    ],
)
def test_a_call_that_cannot_be_run_is_answered_with_what_is_wrong(bad: Any, words: str) -> None:
    with against([calling(bad), "done"]) as (session, server):
        assert session.run() == "done", session.detail
        result = session.transcript.messages[3]["content"]
        assert result.startswith("Error: ")
        assert words in result
        assert session.trace.of("tool")[0]["ok"] is False
        assert server.requests[1]["messages"][-1]["content"] == result


def test_arguments_that_are_an_object_already_are_run() -> None:
    with against([calling(call({"text": "hi"})), "done"]) as (session, _):
        assert session.run() == "done", session.detail
        assert session.transcript.messages[3]["content"] == "hi"


@pytest.mark.parametrize("nothing", [None, "", " \n", []])
def test_a_reply_with_neither_text_nor_calls_is_continued_once(nothing: Any) -> None:
    empty = {"content": nothing, "tool_calls": []}
    with against([empty, "done"]) as (session, _):
        assert session.run() == "done", session.detail
        assert [m["role"] for m in session.transcript.messages] == [
            "system",
            "user",
            "assistant",
            "user",
            "assistant",
        ]
    with against([empty, empty, "done"]) as (session, _):
        assert session.run() == "stopped(fault)"
        assert "empty twice" in session.detail


def test_two_hundred_parallel_calls_are_all_answered_in_order() -> None:
    calls = [tool_call(call_id=f"c{n}", text=f"result {n}") for n in range(200)]
    with against([calling(*calls), "done"], window=64_000) as (session, server):
        assert session.run() == "done", session.detail
        results = server.requests[1]["messages"][3:]
        assert [r["tool_call_id"] for r in results] == [f"c{n}" for n in range(200)]
        assert [r["content"] for r in results] == [f"result {n}" for n in range(200)]
        assert len(session.trace.of("tool")) == 200


@pytest.mark.parametrize(
    "ids",
    [["a", "a", "a"], ["", "", ""], [None, None, None], ["a", "", "a"], ["call_2", "", None], [7, 7, "7"]],
)
def test_duplicate_and_empty_ids_lose_no_result(ids: list[Any]) -> None:
    calls = [call(json.dumps({"text": f"result {n}"}), call_id=i) for n, i in enumerate(ids)]
    again = [call(json.dumps({"text": f"later {n}"}), call_id=i) for n, i in enumerate(ids)]
    with against([calling(*calls), calling(*again), "done"]) as (session, server):
        assert session.run() == "done", session.detail
        sent = server.requests[-1]["messages"]
        assert wire_faults(sent) == set()
        results = [m["content"] for m in sent if m["role"] == "tool"]
        assert results == [f"{word} {n}" for word in ("result", "later") for n in range(3)]


@pytest.mark.parametrize("seed", range(6))
def test_no_mixture_of_faults_leaves_a_session_that_cannot_go_on(seed: int) -> None:
    chance = random.Random(seed)
    quick = [a for faults in (AGAIN, STOPS) for a in faults.values() if a not in (HANG, HANG_IN_BODY)]
    odd = [
        calling(call("[1]")),
        calling(call("{", name="x")),
        {"content": None},
        calling(tool_call(text="ok")),
    ]

    def script(_body: dict) -> Any:
        return chance.choice(quick) if chance.random() < 0.5 else chance.choice([*odd, "a word"])

    with against(script, window=64_000) as (session, server):
        for _ in range(15):
            session.say("go on")
            assert session.run(3) in ("done", "paused", "stopped(fault)")
        faults = sum(e["where"] in ("model", "run") for e in session.trace.of("fault"))
        assert faults > 0
        assert session.steps > 0
        server.script = lambda _body: "done"
        session.say("finish")
        session.run()
        assert session.run() == "done"
