import pytest

from opencollab_nb.models.openai_wire import NotAReply, payload, reply_of, usage_of
from opencollab_nb.request import Request
from opencollab_nb.tokens.exact import encoding_for
from opencollab_nb.tokens.usage import Usage
from tests.models.server import ChatServer, chars_over_four

HI = Request(({"role": "user", "content": "hi"},), max_output_tokens=9)


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("api.openai.com", "max_completion_tokens"),
        ("eu.api.openai.com", "max_completion_tokens"),
        ("mine.openai.azure.com", "max_completion_tokens"),
        ("notopenai.com", "max_tokens"),
        ("127.0.0.1", "max_tokens"),
    ],
)
def test_the_limit_of_the_reply_has_the_name_its_endpoint_knows(host, key):
    assert payload(HI, "m", host=host, max_output_tokens=100)[key] == 9


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (None, None),
        ({}, None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": None}, None),
        ({"prompt_tokens": 9, "completion_tokens": 2}, Usage(9, 0, 2)),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "completion_tokens": 2}, Usage(9, 4, 2)),
        (
            {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2},
            Usage(9, 4, 2),
        ),
        ({"input_tokens": 206, "cache_read_input_tokens": 98432, "output_tokens": 1}, Usage(98638, 98432, 1)),
        (
            {"input_tokens": 6, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 4},
            Usage(20, 10, 0),
        ),
        ({"prompt_tokens": 206, "prompt_tokens_details": {"cached_tokens": 98432}}, Usage(98638, 98432, 0)),
        (
            {
                "inputTokens": 206,
                "outputTokens": 3,
                "totalTokens": 98641,
                "cacheReadInputTokens": 98400,
                "cacheWriteInputTokens": 32,
            },
            Usage(98638, 98400, 3),
        ),
        ({"inputTokens": 9, "outputTokens": 2}, Usage(9, 0, 2)),
        ({"inputTokens": 0, "outputTokens": 2, "cacheReadInputTokens": 50}, Usage(50, 50, 2)),
        (
            {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 40,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 7,
                "toolUsePromptTokenCount": 11,
                "totalTokenCount": 123,
            },
            Usage(111, 40, 12, 7),
        ),
        ({"prompt_token_count": 9, "candidates_token_count": 2}, Usage(9, 0, 2)),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 22,
                "completion_tokens_details": {"reasoning_tokens": 7},
            },
            Usage(10, 0, 12, 7),
        ),
    ],
)
def test_62_65_input_includes_cached_tokens_however_they_are_reported(reported, usage):
    assert usage_of(reported) == usage


def test_empty_keys_go_and_calls_get_what_they_need_to_be_sent_back():
    said = {
        "role": "assistant",
        "content": None,
        "audio": None,
        "annotations": [],
        "meta": {"id": 7},
        "tool_calls": [
            {"function": {"name": "f", "arguments": "{}"}},
            {"id": "x", "function": {"name": "g"}},
        ],
    }
    message = reply_of({"choices": [{"message": said}]}).message
    assert set(message) == {"role", "content", "tool_calls"}
    assert [(c["id"], c["type"]) for c in message["tool_calls"]] == [
        ("call_0", "function"),
        ("x", "function"),
    ]


@pytest.mark.parametrize("body", [None, [], {}, {"choices": []}, {"choices": [{}]}, {"choices": [None]}])
def test_a_body_without_a_message_is_no_reply(body):
    with pytest.raises(NotAReply):
        reply_of(body)


def test_the_finish_reason_is_passed_on_and_guessed_only_where_there_is_none():
    def finish(reason, **said):
        return reply_of({"choices": [{"message": said, "finish_reason": reason}]}).finish_reason

    assert [finish("length"), finish("content_filter"), finish(None)] == ["length", "content_filter", "stop"]
    assert finish(None, tool_calls=[{"id": "a"}]) == "tool_calls"
    assert finish("stop", tool_calls=[{"id": "a"}]) == "stop"


def test_the_test_server_counts_as_it_is_told_to():
    text = "word " * 1_000
    exact = ChatServer(count=encoding_for("gpt-4o").count)
    by_chars = ChatServer(count=chars_over_four)
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    counts = [s.answer(body).body["usage"]["prompt_tokens"] for s in (exact, by_chars)]
    for server in (exact, by_chars):
        server._http.server_close()
    assert 1_000 < counts[0] < 1_100 < counts[1]


def test_a_count_that_is_no_number_of_tokens_is_taken_as_missing():
    for count in (float("inf"), float("nan"), -3, "9", None):
        assert usage_of({"prompt_tokens": count, "completion_tokens": 2}) is None
        assert usage_of({"prompt_tokens": 9, "completion_tokens": count}).output_tokens == 0
