"""Every way in which providers refuse, from a real server through the `openai` client's own exceptions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from opencollab_nb.errors import MalformedHistory, ModelUnavailable, Overflow
from opencollab_nb.models.asking import reply_of
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.request import Request
from tests.models.refusals import MORE_MALFORMED, MORE_NOT_TOO_LONG, MORE_TOO_LONG
from tests.models.test_openai_errors import MALFORMED, NOT_TOO_LONG, TOO_LONG

PATH = "/v1/chat/completions"
QUICK = Retries(at_most=2, first_seconds=0.01)
SHORT = Request(({"role": "user", "content": "hi"},))
HUGE = Request(({"role": "user", "content": "word " * 40_000},))


def model(server: HTTPServer, **settings: Any) -> OpenAIModel:
    return OpenAIModel("tiny", base_url=server.url_for("/v1"), **{"retries": QUICK, **settings})


def refused(server: HTTPServer, status: int, body: Any, request: Request = SHORT, **settings: Any) -> Any:
    """The error that the one answer becomes; it is asked for once."""
    text = body if isinstance(body, str) else json.dumps(body)
    kind = "text/event-stream" if text.startswith("data:") else "application/json"
    server.expect_ordered_request(PATH, method="POST").respond_with_data(text, status, content_type=kind)
    with pytest.raises((Overflow, MalformedHistory, ModelUnavailable)) as error:
        model(server, **settings).reply(request)
    assert len(server.log) == 1
    return error.value


@pytest.mark.parametrize(("text", "tokens", "window", "output"), TOO_LONG + MORE_TOO_LONG)
@pytest.mark.parametrize("status", [400, 401, 429, 200])
def test_words_that_say_too_long_are_an_overflow_with_their_numbers_whatever_the_status(
    httpserver: HTTPServer, status: int, text: str, tokens: int, window: int, output: int
) -> None:
    error = refused(httpserver, status, {"error": {"message": text, "type": "invalid_request_error"}})
    assert isinstance(error, Overflow)
    assert (error.input_tokens, error.window, error.output_tokens) == (tokens, window, output)


@pytest.mark.parametrize("text", NOT_TOO_LONG + MORE_NOT_TOO_LONG)
def test_limits_of_another_kind_are_no_overflow(httpserver: HTTPServer, text: str) -> None:
    assert isinstance(refused(httpserver, 400, {"error": {"message": text}}), ModelUnavailable)


def test_a_rate_that_one_request_would_exceed_is_no_overflow_even_with_status_413(
    httpserver: HTTPServer,
) -> None:
    text = "Request too large for model `llama` on tokens per minute (TPM): Limit 12000, Requested 22000"
    body = {"error": {"message": text, "type": "tokens", "code": "rate_limit_exceeded"}}
    assert isinstance(refused(httpserver, 413, body), ModelUnavailable)


@pytest.mark.parametrize("text", MALFORMED + MORE_MALFORMED)
@pytest.mark.parametrize("status", [400, 200])
def test_a_refused_form_is_its_own_class(httpserver: HTTPServer, status: int, text: str) -> None:
    assert isinstance(refused(httpserver, status, {"error": {"message": text}}), MalformedHistory)


TOO_LONG_TEXT = "prompt is too long: 210000 tokens > 200000 maximum"
SHAPES = [
    {"error": TOO_LONG_TEXT},
    {"message": TOO_LONG_TEXT},
    {"detail": TOO_LONG_TEXT},
    {"detail": [{"msg": TOO_LONG_TEXT}]},
    {"object": "error", "message": TOO_LONG_TEXT, "code": 400},
    {"error": {"message": "Provider returned error", "metadata": {"raw": TOO_LONG_TEXT}}},
    {"error": {"message": json.dumps({"type": "error", "error": {"message": TOO_LONG_TEXT}})}},
    [{"error": {"code": 400, "message": TOO_LONG_TEXT, "status": "INVALID_ARGUMENT"}}],
    TOO_LONG_TEXT,
    f"<html><body>{TOO_LONG_TEXT}</body></html>",
]


@pytest.mark.parametrize("body", SHAPES, ids=str)
def test_every_shape_of_an_error_body_is_read(httpserver: HTTPServer, body: Any) -> None:
    error = refused(httpserver, 400, body)
    assert isinstance(error, Overflow)
    assert (error.input_tokens, error.window) == (210_000, 200_000)


def events(*data: Any) -> str:
    return "".join(f"data: {d if isinstance(d, str) else json.dumps(d)}\n\n" for d in data)


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        events({"error": {"message": TOO_LONG_TEXT}}),
        events({"object": "error", "message": TOO_LONG_TEXT}),
        events(piece(content="I am")) + f"event: error\ndata: {json.dumps({'error': TOO_LONG_TEXT})}\n\n",
        events(piece(role="assistant"), {"error": {"message": TOO_LONG_TEXT, "code": 400}}, "[DONE]"),
    ],
)
def test_an_overflow_within_a_stream_is_one(httpserver: HTTPServer, text: str, stream: bool) -> None:
    error = refused(httpserver, 200, text, stream=stream)
    assert isinstance(error, Overflow)
    assert error.window == 200_000


def completion(finish: str, usage: dict | None, **message: Any) -> dict[str, Any]:
    body = {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]}
    return body if usage is None else {**body, "usage": usage}


NOTHING = {"prompt_tokens": 40_000, "completion_tokens": 0}


@pytest.mark.parametrize(
    "body",
    [
        completion("stop", NOTHING, content=""),
        completion("stop", NOTHING, content=None),
        completion("stop", None, content="  "),
        completion("length", NOTHING, content=""),
        completion("stop", {"prompt_tokens": 40_000, "completion_tokens": 1}, content="", tool_calls=[]),
        {"choices": []},
        {"choices": [], "usage": NOTHING},
        events(piece(role="assistant"), piece("stop"), "[DONE]"),
        events("[DONE]"),
        completion("model_context_window_exceeded", NOTHING, content="I was ab"),
    ],
    ids=str,
)
@pytest.mark.parametrize("window", [None, 65_000])
def test_an_empty_completion_after_a_huge_prompt_is_an_overflow(
    httpserver: HTTPServer, body: Any, window: int | None
) -> None:
    assert isinstance(refused(httpserver, 200, body, HUGE, window=window), Overflow)


def test_an_answer_without_room_for_one_token_is_an_overflow_at_any_size(httpserver: HTTPServer) -> None:
    body = completion("length", {"prompt_tokens": 90, "completion_tokens": 0}, content="")
    assert isinstance(refused(httpserver, 200, body), Overflow)


@pytest.mark.parametrize(
    ("body", "request_sent"),
    [
        (completion("stop", {"prompt_tokens": 9, "completion_tokens": 0}, content=""), SHORT),
        (completion("length", {"prompt_tokens": 40_000, "completion_tokens": 900}, content=""), HUGE),
        (completion("stop", NOTHING, content="", reasoning_content="hm"), HUGE),
        (completion("content_filter", NOTHING, content="", refusal="no"), HUGE),
    ],
    ids=["a short prompt", "cut off while thinking", "reasoning", "a refusal"],
)
def test_what_is_empty_for_another_reason_is_a_reply(
    httpserver: HTTPServer, body: Any, request_sent: Request
) -> None:
    httpserver.expect_request(PATH).respond_with_json(body)
    assert not model(httpserver).reply(request_sent).message.get("content")


class OfTheUser:
    """A model that a user writes with the client itself, its exceptions let through."""

    def __init__(self, url: str) -> None:
        import openai

        self.client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)

    def reply(self, request: Request) -> Any:
        answer = self.client.chat.completions.create(model="m", messages=request.messages)
        return answer.choices[0].message


@pytest.mark.parametrize("status", [400, 401, 413, 429, 500])
def test_the_client_s_own_exceptions_are_understood_from_a_model_of_the_user_s(
    httpserver: HTTPServer, status: int
) -> None:
    body = {"error": {"message": TOO_LONG_TEXT}}
    httpserver.expect_request(PATH).respond_with_json(body, status)
    with pytest.raises(Overflow) as error:
        reply_of(OfTheUser(httpserver.url_for("/v1")), SHORT)
    assert (error.value.input_tokens, error.value.window) == (210_000, 200_000)


def test_other_exceptions_of_the_client_come_through_as_they_are(httpserver: HTTPServer) -> None:
    import openai

    httpserver.expect_request(PATH).respond_with_json({"error": {"message": "slow down"}}, 429)
    with pytest.raises(openai.RateLimitError):
        reply_of(OfTheUser(httpserver.url_for("/v1")), SHORT)


def test_an_overflow_wrapped_in_a_connection_error_is_found() -> None:
    import httpx
    import openai

    class Wraps:
        def reply(self, request: Request) -> Any:
            sent = httpx.Request("POST", "http://127.0.0.1/")
            try:
                raise RuntimeError("invalid params, context window exceeds limit (2013)")
            except RuntimeError as problem:
                raise openai.APIConnectionError(request=sent) from problem

    with pytest.raises(Overflow):
        reply_of(Wraps(), SHORT)
