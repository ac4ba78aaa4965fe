import json

import pytest

from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.models.openai_access import Secret
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.request import Request
from tests.models.server import Answer, ChatServer

HI = Request(({"role": "user", "content": "hi"},))
STAND_INS = ["x", "k", "test", "none", "EMPTY", "ollama", "not-needed", "lm-studio", "sk-no-key-required"]
KEYS = ["sk-4f9a81c2", "abcdefgh12345678", "gsk_aBcDeFgHiJkLmNoPqRsTuVwX"]


def sent_as(server, key):
    return OpenAIModel("tiny", base_url=server.url, api_key=key)


@pytest.mark.parametrize("key", [*STAND_INS, *KEYS])
def test_a_reply_comes_as_it_was_sent_whatever_the_key(key):
    function = {"name": "bash", "arguments": json.dumps({"command": f"{key} -q tests/{key}_a.py"})}
    calls = [{"id": f"call_{key}", "type": "function", "function": function}]
    said = {"role": "assistant", "content": f"{key} it is", "reasoning_content": key, "tool_calls": calls}
    with ChatServer([said, said]) as server:
        reply = sent_as(server, key).reply(HI)
        other = OpenAIModel("tiny", base_url=server.url).reply(HI)
    assert reply.message == said
    assert reply == other
    assert reply.usage.output_tokens > 0


def told(key, answer):
    with ChatServer([answer]) as server, pytest.raises(ModelUnavailable) as refused:
        sent_as(server, key).reply(HI)
    return str(refused.value)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "refusal", [lambda b: Answer(401, b), lambda b: Answer(200, b), lambda b: Answer(200, f"no JSON {b}")]
)
def test_26_an_error_that_quotes_the_key_is_shown_without_it(key, refusal):
    text = told(key, refusal({"error": {"message": f"Incorrect API key provided: {key}", "code": 401}}))
    assert "Incorrect API key provided: [secret " in text
    assert key not in text


@pytest.mark.parametrize("key", STAND_INS)
def test_a_stand_in_for_a_key_changes_no_error(key):
    text = told(key, Answer(401, {"error": {"message": f"test: no next key, {key} not taken"}}))
    assert f"test: no next key, {key} not taken" in text


def test_a_secret_is_long_and_mixed_or_very_long():
    assert not any(Secret(key).tells for key in STAND_INS)
    assert all(Secret(key).tells for key in KEYS)
