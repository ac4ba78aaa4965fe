import copy
import json
import pickle
import traceback

import pytest

from opencollab_nb.errors import MalformedHistory, MissingKey, ModelUnavailable, Overflow, UsageProblem
from opencollab_nb.models import Model
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.request import Request
from opencollab_nb.tokens.usage import Usage
from tests.models.server import DROP, HANG, Answer, ChatServer

KEY = "sk-do-not-show-1234567890"
TOOLS = [{"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}]
QUICK = Retries(at_most=2, first_seconds=0.01)


def hi(text="hi", **settings):
    return Request(({"role": "user", "content": text, "meta": {"id": 0}},), **settings)


def model(server, **settings):
    return OpenAIModel("tiny", base_url=server.url, **{"retries": QUICK, **settings})


def call(arguments, call_id="c1"):
    function = {"name": "grep", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def test_a_reply_holds_message_usage_and_finish_reason():
    with ChatServer(["hello"]) as server:
        reply = model(server).reply(hi())
    assert reply.message == {"role": "assistant", "content": "hello"}
    assert reply.finish_reason == "stop"
    assert reply.usage.input_tokens > 0
    assert reply.usage.cached_input_tokens == reply.usage.input_tokens // 2
    assert isinstance(model(server), Model)


def test_only_what_is_set_is_sent():
    with ChatServer(["a", "b"]) as server:
        model(server).reply(hi())
        model(server, max_output_tokens=50).reply(hi(tools=TOOLS, max_output_tokens=9, temperature=0.5))
    plain, full = server.requests
    assert plain == {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
    assert full["tools"] == TOOLS
    assert (full["max_tokens"], full["temperature"]) == (9, 0.5)


def test_calls_results_and_unknown_keys_go_there_and_back():
    said = {"content": None, "reasoning_content": "think", **call('{"pattern": "x"}')}
    with ChatServer([said, "found"]) as server:
        first = model(server).reply(hi(tools=TOOLS))
        result = {"role": "tool", "tool_call_id": "c1", "content": "a.py:1"}
        model(server).reply(Request((*hi().view, first.message, result)))
    assert first.finish_reason == "tool_calls"
    assert first.message == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "think",
        **call('{"pattern": "x"}'),
    }
    assert server.requests[1]["messages"][1] == first.message


def test_84_broken_arguments_are_sent_as_valid_json():
    for arguments in ("", '{"value": ', "[1]"):
        history = (*hi().view, call(arguments), {"role": "tool", "tool_call_id": "c1", "content": "x"})
        with ChatServer(["fine"]) as server:
            model(server).reply(Request(history))
        sent = server.requests[0]["messages"][1]["tool_calls"][0]["function"]["arguments"]
        assert isinstance(json.loads(sent), dict)
        assert history[1]["tool_calls"][0]["function"]["arguments"] == arguments


def test_5_an_unanswered_call_is_answered_before_sending():
    with ChatServer(["fine"]) as server:
        assert model(server).reply(Request((*hi().view, call("{}")))).message["content"] == "fine"


def test_87_a_lone_surrogate_does_not_stop_the_call():
    with ChatServer(["fine"]) as server:
        model(server).reply(hi("a\ud83e"))
    assert server.requests[0]["messages"][0]["content"] == "a\ufffd"


def test_over_the_window_is_an_overflow_with_both_numbers():
    with ChatServer(window=100) as server, pytest.raises(Overflow) as refused:
        model(server).reply(hi("x" * 1000))
    assert refused.value.window == 100
    assert refused.value.input_tokens > 250
    assert len(server.requests) == 1


def test_a_refused_form_is_a_malformed_history():
    text = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    with ChatServer([Answer(400, {"error": {"message": text}})]) as server, pytest.raises(MalformedHistory):
        model(server).reply(hi())


def test_missing_usage_is_none():
    with ChatServer(["a"], usage=False) as server:
        assert model(server).reply(hi()).usage is None


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_what_may_pass_is_tried_again(status):
    with ChatServer([Answer(status, {"error": {"message": "busy"}}), "ok"]) as server:
        assert model(server).reply(hi()).message["content"] == "ok"
    assert server.requests[0] == server.requests[1]


def test_a_dropped_connection_is_tried_again():
    with ChatServer([DROP, "ok"]) as server:
        assert model(server).reply(hi()).message["content"] == "ok"


def test_attempts_are_bounded_and_counted():
    told = r"HTTP 503.*down.*after 3 attempts"
    with (
        ChatServer([Answer(503, "<html>down</html>")] * 9) as server,
        pytest.raises(ModelUnavailable, match=told),
    ):
        model(server).reply(hi())
    assert len(server.requests) == 3


def test_retry_after_is_obeyed_up_to_the_ceiling():
    wait = Answer(429, {"error": {"message": "slow down"}}, {"retry-after": "0.02"})
    too_long = Answer(429, {"error": {"message": "slow down"}}, {"retry-after": "3600"})
    with ChatServer([wait, "ok", too_long]) as server:
        assert model(server).reply(hi()).message["content"] == "ok"
        with pytest.raises(ModelUnavailable, match="rate limit or quota"):
            model(server).reply(hi())
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer(401, {"error": {"message": "Incorrect API key"}}), "key was refused.*OPENAI_API_KEY"),
        (Answer(404, {"error": {"message": "no model tiny"}}), "check the model's name and base_url"),
        (Answer(400, {"error": {"message": "temperature: too hot"}}), "too hot"),
        (Answer(200, "<html>hello</html>"), "no JSON.*<html>"),
        (Answer(200, {"choices": []}), "no choice with a message"),
        (Answer(200, {"choices": None}), "no choice with a message"),
        (Answer(200, {"error": {"message": "bad upstream", "code": 400}}), "bad upstream"),
        (Answer(200, []), "no choice with a message"),
        (Answer(200, "null"), "no JSON"),
        (Answer(200, "[" * 100_000), "no JSON"),
        (Answer(400, {"error": {"message": "odd", "code": ["a"], "type": {}}}), "odd"),
        (
            Answer(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}),
            "quota",
        ),
    ],
)
def test_no_usable_answer_is_told_and_not_repeated(answer, text):
    with ChatServer([answer, "never"]) as server, pytest.raises(ModelUnavailable, match=text):
        model(server).reply(hi())
    assert len(server.requests) == 1


def test_an_overflow_inside_a_body_with_status_200_is_one():
    body = {"error": {"message": "prompt is too long: 1200 tokens > 1000 maximum", "code": 429}}
    with ChatServer([Answer(200, body)]) as server, pytest.raises(Overflow) as refused:
        model(server).reply(hi())
    assert (refused.value.input_tokens, refused.value.window) == (1200, 1000)


def test_a_silent_endpoint_is_told_once():
    with ChatServer([HANG, "never"]) as server, pytest.raises(ModelUnavailable, match=r"silent for 0.2 s"):
        model(server, timeout_seconds=0.2).reply(hi())
    assert len(server.requests) == 1


def test_an_endpoint_that_is_not_there_is_told_with_its_host():
    with ChatServer() as server:
        url = server.url
    with pytest.raises(ModelUnavailable, match=r"127.0.0.1.*ConnectError.*after 3 attempts"):
        OpenAIModel("tiny", base_url=url, retries=QUICK).reply(hi())


def test_a_proxy_in_the_environment_is_not_asked_for_a_local_server(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with ChatServer(["ok"]) as server:
        assert model(server).reply(hi()).message["content"] == "ok"


def test_a_missing_key_is_found_at_once_and_answered_in_two_lines(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(MissingKey) as missing:
        OpenAIModel("gpt-4.1")
    what, keyless = str(missing.value).splitlines()
    assert "OPENAI_API_KEY" in what
    assert 'load_task("quickstart").session()' in keyless
    assert "%agent --task quickstart" in keyless


def test_endpoint_key_and_model_come_from_the_environment(monkeypatch):
    with ChatServer(["ok"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_MODEL", "from-env")
        OpenAIModel().reply(hi())
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.requests[0]["model"] == "from-env"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, "no model name.*OPENAI_MODEL"),
        ({"model": "m", "base_url": "127.0.0.1:8000"}, "no http.s. address: '127.0.0.1:8000'"),
        ({"model": "m", "base_url": "http://u:pw@localhost/v1"}, "api_key="),
        ({"model": "m", "base_url": "http://localhost/v1", "window": 0}, "window is a positive.*not 0"),
        ({"model": "m", "base_url": "http://localhost/v1", "api_key": "a b"}, "characters no key has"),
    ],
)
def test_bad_settings_are_named(monkeypatch, settings, text):
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    with pytest.raises(UsageProblem, match=text) as told:
        OpenAIModel(**settings)
    assert "pw" not in str(told.value)


def test_26_the_key_is_never_shown(monkeypatch):
    echo = Answer(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
    with ChatServer([echo]) as server:
        mine = model(server, api_key=KEY)
        with pytest.raises(ModelUnavailable) as refused:
            mine.reply(hi())
    shown = [repr(mine), str(mine), mine.label, repr(vars(mine)), str(refused.value)]
    assert not any(KEY in text for text in shown)
    assert KEY.encode() not in pickle.dumps(mine)
    assert refused.value.__cause__ is refused.value.__context__ is None
    frames = [frame for frame, _ in traceback.walk_tb(refused.value.__traceback__)]
    theirs = [frame for frame in frames if "opencollab_nb" in frame.f_code.co_filename]
    assert not any(KEY in repr(value) for frame in theirs for value in frame.f_locals.values())


def test_a_byte_order_mark_and_a_call_of_the_old_form_are_read():
    old = {"content": None, "function_call": {"name": "ls", "arguments": "{}"}}
    body = json.dumps({"choices": [{"message": old, "finish_reason": "function_call"}]})
    with ChatServer([Answer(200, "\ufeff" + body)]) as server:
        message = model(server).reply(hi()).message
    assert message["tool_calls"][0]["function"] == old["function_call"]
    assert "function_call" not in message


def test_a_pickled_model_reads_the_key_again(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
    mine = OpenAIModel("m", base_url="https://api.example.com/v1", api_key=KEY, window=9000)
    other = pickle.loads(pickle.dumps(mine))
    assert (other.name, other.base_url, other.window) == ("m", "https://api.example.com/v1", 9000)
    assert copy.deepcopy(mine) is mine


def test_usage_is_what_was_reported():
    body = {
        "choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "length"}],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 4},
        },
    }
    with ChatServer([Answer(200, body)]) as server:
        reply = model(server).reply(hi())
    assert reply.usage == Usage(10, 0, 5, 4)
    assert reply.finish_reason == "length"
