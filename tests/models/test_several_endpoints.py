"""Several endpoints: calls are spread, one that fails is passed over, and all of it is told."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from opencollab_nb.errors import MalformedHistory, ModelUnavailable, Overflow, UsageProblem
from opencollab_nb.models.endpoints import REST_SECONDS, Endpoints
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from tests.models.server import DROP, HANG, Answer, ChatServer

HI = Request(({"role": "user", "content": "hi"},))
QUICK = Retries(at_most=2, first_seconds=0.01)
DOWN = Answer(503, {"error": {"message": "down"}})


@pytest.fixture
def serve() -> Iterator[Any]:
    servers: list[ChatServer] = []

    def serve(script: Any) -> ChatServer:
        servers.append(ChatServer(script).__enter__())
        return servers[-1]

    yield serve
    for server in servers:
        server.__exit__()


def over(*servers: ChatServer, **settings: Any) -> OpenAIModel:
    return OpenAIModel("tiny", base_url=[s.url for s in servers], **{"retries": QUICK, **settings})


def said(model: OpenAIModel, heard: list[str] | None = None) -> str:
    ticket = Ticket()
    ticket.listener = None if heard is None else heard.append
    return model.reply(HI, cancel=ticket).message["content"]


def test_calls_are_spread_evenly(serve: Any) -> None:
    servers = [serve(lambda _body: "ok") for _ in range(3)]
    model = over(*servers)
    for _ in range(9):
        said(model)
    assert [len(server.requests) for server in servers] == [3, 3, 3]


@pytest.mark.parametrize(
    "fault",
    [
        DOWN,
        DROP,
        HANG,
        Answer(401, {"error": {"message": "no such key"}}),
        Answer(404, {"error": {"message": "no such model"}}),
        Answer(429, {"error": {"message": "quota", "code": "insufficient_quota"}}),
        Answer(429, {"error": {"message": "slow"}}, {"retry-after": "3600"}),
        Answer(200, "<html>log in</html>"),
        Answer(200, {"error": {"message": "overloaded"}}),
        Answer(200, 'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'),
    ],
    ids=str,
)
def test_whatever_one_endpoint_fails_of_the_next_is_asked_at_once_and_it_is_told(
    serve: Any, fault: Any
) -> None:
    broken, sound = serve(lambda _body: fault), serve(lambda _body: "ok")
    model, heard = over(broken, sound, timeout_seconds=0.5), []
    assert [said(model, heard) for _ in range(4)] == ["ok"] * 4
    assert len(broken.requests) == 1, "it stands behind the other now"
    assert len(heard) == 1
    assert "another endpoint is asked" in heard[0]


def test_an_endpoint_that_is_not_there_is_passed_over(serve: Any) -> None:
    gone, sound = serve(()), serve(lambda _body: "ok")
    gone.__exit__()
    assert said(over(gone, sound)) == "ok"


def test_after_all_have_failed_there_is_a_pause_and_another_round(serve: Any) -> None:
    first, second = serve([DOWN, DOWN, "late"]), serve([DOWN, DOWN, DOWN])
    heard: list[str] = []
    assert said(over(first, second), heard) == "late"
    assert sum("asked again in" in text for text in heard) == 2


def test_attempts_have_a_ceiling(serve: Any) -> None:
    servers = [serve(lambda _body: DOWN) for _ in range(2)]
    with pytest.raises(ModelUnavailable, match="after 6 attempts"):
        said(over(*servers))
    assert [len(server.requests) for server in servers] == [3, 3]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("prompt is too long: 9 tokens > 8 maximum", Overflow),
        ("tool call result does not follow tool call", MalformedHistory),
        ("temperature: too hot", ModelUnavailable),
    ],
)
def test_what_is_wrong_with_the_request_is_not_asked_elsewhere(serve: Any, text: str, error: type) -> None:
    refusing, other = serve(lambda _body: Answer(400, {"error": {"message": text}})), serve(())
    with pytest.raises(error):
        said(over(refusing, other))
    assert not other.requests


def test_each_endpoint_gets_its_own_key_and_none_is_shown_or_pickled(serve: Any) -> None:
    servers = [serve(lambda _body: "ok") for _ in range(2)]
    keys = ["sk-first-1234567890", "sk-second-1234567890"]
    model = over(*servers, api_key=keys)
    said(model), said(model)
    assert [s.headers[0]["authorization"] for s in servers] == [f"Bearer {key}" for key in keys]
    shown = f"{model!r} {model.label} {pickle.dumps(model)!r}"
    assert not any(key in shown for key in keys)
    assert pickle.loads(pickle.dumps(model)).base_urls == model.base_urls


def test_the_environment_may_name_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1, http://127.0.0.1:2/v1")
    model = OpenAIModel("tiny")
    assert model.base_urls == ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1")
    assert model.label == "tiny at 127.0.0.1 and 1 more"


@pytest.mark.parametrize(
    ("urls", "key", "words"),
    [
        ([], None, "an empty list"),
        (["http://127.0.0.1:1/v1"] * 2, None, "twice"),
        (["http://127.0.0.1:1/v1", "ftp://x"], None, "no http"),
        (["http://127.0.0.1:1/v1"], ["a", "b"], "2 keys for 1"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_at_once(urls: Any, key: Any, words: str) -> None:
    with pytest.raises(UsageProblem, match=words):
        OpenAIModel("tiny", base_url=urls, api_key=key)


def test_one_that_failed_rests_no_longer_than_it_should() -> None:
    now = [0.0]
    endpoints = Endpoints(["a", "b"], clock=lambda: now[0])
    endpoints.failed("a", 3_600)
    assert [endpoints.order()[0] for _ in range(3)] == ["b", "b", "b"]
    now[0] = REST_SECONDS + 1
    assert {endpoints.order()[0] for _ in range(2)} == {"a", "b"}
    endpoints.failed("b", 2)
    endpoints.answered("b")
    assert {endpoints.order()[0] for _ in range(2)} == {"a", "b"}
