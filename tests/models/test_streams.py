"""Replies in pieces: whole ones, broken ones, ones without usage, and servers that send them unasked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.models.streams import BrokenOff, whole
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from tests.models.server import Answer, ChatServer

PATH = "/v1/chat/completions"
HI = Request(({"role": "user", "content": "hi"},))
USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call_piece(index: int | None, call_id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    found = {"id": call_id, "function": function} if call_id else {"function": function}
    return piece(tool_calls=[found if index is None else {"index": index, **found}])


def events(*data: Any) -> str:
    return "".join(f"data: {d if isinstance(d, str) else json.dumps(d)}\n\n" for d in data)


def model(server: HTTPServer, **settings: Any) -> OpenAIModel:
    settings = {"retries": Retries(at_most=2, first_seconds=0.01), "stream": True, **settings}
    return OpenAIModel("tiny", base_url=server.url_for("/v1"), **settings)


def respond(server: HTTPServer, *texts: str | Callable[[Any], Response]) -> None:
    for text in texts:
        handler = server.expect_ordered_request(PATH, method="POST")
        if callable(text):
            handler.respond_with_handler(text)
        else:
            handler.respond_with_data(text, content_type="text/event-stream")


def test_a_stream_is_asked_for_with_its_usage_and_gives_one_reply(httpserver: HTTPServer) -> None:
    text = events(
        piece(role="assistant", content=""), piece(content="Hel"), piece("stop", content="lo"), USAGE
    )
    respond(httpserver, text + ": keep-alive\n\n" + events("[DONE]"))
    reply = model(httpserver).reply(HI)
    assert reply.message == {"role": "assistant", "content": "Hello"}
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.finish_reason) == (9, 2, "stop")
    body = httpserver.log[0][0].get_json()
    assert body["stream"]
    assert body["stream_options"] == {"include_usage": True}


def test_a_stream_that_was_not_asked_for_is_read_all_the_same(httpserver: HTTPServer) -> None:
    respond(httpserver, events(piece(content="hi"), piece("stop"), "[DONE]"))
    assert model(httpserver, stream=False).reply(HI).message["content"] == "hi"


def test_a_whole_body_where_a_stream_was_asked_for_is_read_all_the_same(httpserver: HTTPServer) -> None:
    said = {"role": "assistant", "content": "hi"}
    httpserver.expect_request(PATH).respond_with_json({"choices": [{"message": said}]})
    assert model(httpserver).reply(HI).message == said


def test_a_stream_without_usage_ends_with_none(httpserver: HTTPServer) -> None:
    respond(httpserver, events(piece("stop", content="hi"), "[DONE]"))
    assert model(httpserver).reply(HI).usage is None


def broken(text: str) -> Callable[[Any], Response]:
    """A body whose connection ends before the length that was promised."""

    def handler(_request: Any) -> Response:
        def pieces() -> Iterator[bytes]:
            yield text.encode()
            raise ConnectionAbortedError

        return Response(pieces(), content_type="text/event-stream", headers={"Content-Length": "100000"})

    return handler


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "cut",
    [
        events(piece(content="half")),
        events(call_piece(0, "a", "grep", '{"pattern": "x')),
        events(piece(content="half")) + 'data: {"choi',
        broken(events(piece(content="half"))),
        broken(""),
    ],
    ids=["words", "arguments", "within a line", "connection", "nothing"],
)
def test_a_stream_that_breaks_off_is_asked_for_again_and_told(
    httpserver: HTTPServer, cut: Any, stream: bool
) -> None:
    respond(httpserver, cut, events(piece("stop", content="whole"), "[DONE]"))
    ticket, heard = Ticket(), []
    ticket.listener = heard.append
    assert model(httpserver, stream=stream).reply(HI, cancel=ticket).message["content"] == "whole"
    assert len(heard) == 1
    assert "asked again" in heard[0]


def test_one_that_always_breaks_off_has_a_ceiling(httpserver: HTTPServer) -> None:
    respond(httpserver, *[events(piece(content="half"))] * 3)
    with pytest.raises(ModelUnavailable, match=r"broke off before its end \(after 3 attempts\)"):
        model(httpserver).reply(HI)


def calls_of(*data: Any) -> list[tuple[str | None, str, str]]:
    message = whole(events(*data, piece("tool_calls")))["choices"][0]["message"]
    return [(c.get("id"), c["function"]["name"], c["function"]["arguments"]) for c in message["tool_calls"]]


def test_calls_are_put_together_by_index_id_or_order() -> None:
    wanted = [("a", "f", '{"x": 1}'), ("b", "g", "{}")]
    by_index = [
        call_piece(0, "a", "f", ""),
        call_piece(1, "b", "g", "{"),
        call_piece(0, None, None, '{"x": 1}'),
        call_piece(1, None, None, "}"),
    ]
    same_index = [
        call_piece(0, "a", "f", '{"x": '),
        call_piece(0, "a", None, "1}"),
        call_piece(0, "b", "g", "{}"),
    ]
    no_index = [call_piece(None, "a", "f", '{"x": '), call_piece(None, None, None, "1}")]
    no_index += [call_piece(None, "b", "g", "{}")]
    assert [calls_of(*form) for form in (by_index, same_index, no_index)] == [wanted] * 3


def test_two_hundred_calls_come_whole() -> None:
    data = [call_piece(n, f"c{n}", "f", json.dumps({"n": n})) for n in range(200)]
    assert calls_of(*data) == [(f"c{n}", "f", json.dumps({"n": n})) for n in range(200)]


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_line_ends_separators_within_texts_and_odd_lines_are_no_trouble(end: str) -> None:
    said = "a\u2028b\u0085c\x0bd"
    lines = [": ping", "event: message", "data: not json", "data: [1]", "retry: 3"]
    lines += [
        f"data: {json.dumps(piece(content=said), ensure_ascii=False)}",
        f"data:{json.dumps(piece('stop'))}",
    ]
    assert whole(end.join(lines))["choices"][0]["message"]["content"] == said


def test_reasoning_in_pieces_is_joined_and_kept() -> None:
    body = whole(
        events(piece(reasoning_content="let me"), piece(reasoning_content=" see"), piece("stop", content="x"))
    )
    assert body["choices"][0]["message"]["reasoning_content"] == "let me see"


@pytest.mark.parametrize(
    "odd", [{"choices": [None]}, {"choices": [{"delta": "x"}]}, {"choices": {}}, {"a": 1}]
)
def test_odd_pieces_are_passed_over(odd: Any) -> None:
    assert whole(events(odd, piece("stop", content="x")))["choices"][0]["message"]["content"] == "x"
    with pytest.raises(BrokenOff):
        whole(events(odd))


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_stream_options_is_asked_without_them_once_and_for_good(status: int) -> None:
    refusal = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}

    def script(body: dict[str, Any]) -> Answer:
        if "stream_options" in body:
            return Answer(status, refusal)
        return Answer(200, events(piece("stop", content="hi"), "[DONE]"))

    ticket, heard = Ticket(), []
    ticket.listener = heard.append
    with ChatServer(script) as server:
        asked = OpenAIModel("tiny", base_url=server.url, stream=True)
        assert [asked.reply(HI, cancel=ticket).message["content"] for _ in range(3)] == ["hi"] * 3
    assert ["stream_options" in body for body in server.requests] == [True, False, False, False]
    assert all(body["stream"] for body in server.requests)
    assert len(heard) == 1
    assert "takes no stream_options" in heard[0]


def test_a_refusal_of_something_else_is_not_asked_again_without_stream_options() -> None:
    with ChatServer([Answer(400, {"error": {"message": "temperature: too hot"}}), "never"]) as server:
        with pytest.raises(ModelUnavailable, match="too hot"):
            OpenAIModel("tiny", base_url=server.url, stream=True).reply(HI)
        assert len(server.requests) == 1


@pytest.mark.parametrize("stream", [True, False])
def test_a_report_under_the_name_of_gemini_is_read(stream: bool) -> None:
    report = {"usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 5, "thoughtsTokenCount": 7}}
    said = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    body = events(piece("stop", content="hi"), report, "[DONE]") if stream else json.dumps({**said, **report})
    with ChatServer([Answer(200, body)]) as server:
        usage = OpenAIModel("tiny", base_url=server.url, stream=stream).reply(HI).usage
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (90, 12, 7)
