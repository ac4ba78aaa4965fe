"""Anthropic's Messages: lists, request bodies, exchanges, streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers import sse
from opencollab_nb.importers.anthropic import read, signs
from opencollab_nb.importers.source import Source
from opencollab_nb.messages import parts_of, tool_calls_of
from tests.importers.files import lines, whole

USE = {"type": "tool_use", "id": "a", "name": "ls", "input": {"p": "é"}}
THOUGHT = {"type": "thinking", "thinking": "well", "signature": "s" * 9}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "QUJD"}}
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "I look."}, USE]},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "and then"},
            {"type": "tool_result", "tool_use_id": "a", "is_error": True, "content": [PICTURE]},
        ],
    },
    {"role": "assistant", "content": "done"},
]


@pytest.mark.parametrize(
    "source", [whole(TALK), lines(*TALK), whole({"messages": TALK, "system": "You code."})]
)
def test_blocks_become_messages(source: Source) -> None:
    assert signs(source) > 0.8
    (transcript,) = read(source)
    messages = [message for message in transcript.messages if message["role"] != "system"]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "user", "assistant"]
    assert messages[1]["content"] == [THOUGHT, {"type": "text", "text": "I look."}]
    assert messages[1]["tool_calls"][0]["function"] == {"name": "ls", "arguments": '{"p": "é"}'}
    assert messages[2]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,QUJD"}}
    ]
    assert messages[2]["meta"]["error"] is True
    assert messages[3]["content"] == "and then", "results come first, as the chat wants them"
    assert transcript.origin is not None
    assert (transcript.origin.read, transcript.origin.used) == (4, 4)


def test_a_plain_talk_is_no_sign_of_it() -> None:
    assert signs(whole([{"role": "user", "content": "hi"}])) == 0
    body = {"messages": [{"role": "user", "content": "hi"}], "system": "s", "max_tokens": 9}
    assert signs(whole(body)) == pytest.approx(0.85)


def test_an_unknown_block_is_kept_as_a_part() -> None:
    odd = {"type": "hologram", "of": [1]}
    (transcript,) = read(whole([{"role": "assistant", "content": [odd, USE, "text", 5, None]}]))
    assert transcript.messages[0]["content"][0] == odd
    assert len(transcript.messages[0]["content"]) == 4


def stream(*events: dict[str, Any]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def delta(index: int, **piece: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": piece}


BEGUN = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}}
USED = {"type": "content_block_start", "index": 1, "content_block": {**USE, "input": {}}}
ENDED = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}}


def test_a_stream_is_the_answer_it_was_the_stream_of() -> None:
    text = stream(
        BEGUN,
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        delta(0, type="text_delta", text="I "),
        {"type": "ping"},
        delta(0, type="text_delta", text="look."),
        USED,
        delta(1, type="input_json_delta", partial_json='{"p"'),
        delta(1, type="input_json_delta", partial_json=': "é"}'),
        ENDED,
        {"type": "message_stop"},
    )
    body, ended = sse.anthropic(text)
    assert ended
    assert body["content"] == [{"type": "text", "text": "I look."}, USE]
    assert body["usage"] == {"input_tokens": 9, "output_tokens": 7}


def test_a_stream_that_broke_off_gives_what_came_and_says_so() -> None:
    text = stream(BEGUN, USED, delta(1, type="input_json_delta", partial_json='{"p'))
    request = {"messages": [{"role": "user", "content": "look"}]}
    (transcript,) = read(lines({"request": request, "response": text}))
    assert tool_calls_of(transcript.messages[1])[0]["function"] == {"name": "ls", "arguments": '{"p'}
    assert transcript.notices[0] == sse.BROKE_OFF


def test_the_image_sample_is_one_conversation(shared: Path) -> None:
    (transcript,) = read(Source(shared / "transcripts/anthropic-messages-api/image-tool-return.jsonl"))
    assert [m["role"] for m in transcript.messages] == ["user", "assistant", "tool", "assistant"]
    assert transcript.messages[2]["content"][0]["type"] == "image_url"
    assert transcript.origin is not None
    assert [c.usage.input_tokens for c in transcript.origin.sent if c.usage] == [558, 786]
    assert transcript.notices == []


def test_the_search_sample_is_four_conversations(shared: Path) -> None:
    found = read(Source(shared / "transcripts/anthropic-messages-api/tool-search-eval.jsonl"))
    calls = [len(one.origin.sent) for one in found if one.origin]
    assert calls == [3, 4, 2, 2]
    assert max(c.before for one in found if one.origin for c in one.origin.sent) == 7
    assert all(not one.notices for one in found)


def test_the_streamed_sample_reads_as_the_whole_answer_does(shared: Path) -> None:
    found = read(Source(shared / "transcripts/anthropic-messages-api/web-search-streaming-sse.jsonl"))
    assert len(found) == 4
    for one in found:
        assert [m["role"] for m in one.messages] == ["system", "user", "assistant"]
        kinds = [part["type"] for part in parts_of(one.messages[2]["content"])]
        assert kinds[:3] == ["text", "server_tool_use", "web_search_tool_result"]
        assert one.origin is not None
        assert one.origin.constant_tokens is None, (
            "a sum over the provider's own turns says nothing of a request"
        )
        assert "as one sum" in one.notices[0]


FOLDED = [{"type": "compaction", "content": "hello was said"}, {"type": "text", "text": "Hi."}]
HELLO: dict[str, Any] = {"role": "user", "content": "hello"}
ASKED: list[Any] = [
    HELLO,
    {"role": "assistant", "content": FOLDED},
    {"role": "user", "content": "what was it?"},
]
REPLY = {"role": "assistant", "type": "message", "content": FOLDED}
SUMMED_UP: list[dict[str, Any]] = [
    {"request": {"messages": [HELLO], "model": "m"}, "response": {"input_tokens": 9}},
    {"request": {"messages": [HELLO], "system": "be brief", "max_tokens": 9}, "response": REPLY},
    {"request": {"messages": ASKED, "system": "be brief", "max_tokens": 9}, "response": REPLY},
]


@pytest.mark.parametrize("first", [0, 2])
def test_a_summary_in_a_reply_is_told_as_a_compaction(first: int) -> None:
    (transcript,) = read(lines(*SUMMED_UP[first:]))
    assert [m["content"] for m in transcript.messages] == ["be brief", "hello", "Hi.", "what was it?", "Hi."]
    assert transcript.origin is not None
    one = transcript.origin.compactions[0]
    assert (one.at, one.covers, one.text) == (3, [[1, 1]], "hello was said")
    assert transcript.origin.skipped == ({} if first else {"no exchange": 1})


def test_an_answer_with_nothing_in_it_was_asked_for_and_the_conversation_goes_on() -> None:
    hello, more = {"role": "user", "content": "hello"}, {"role": "user", "content": "well?"}
    nothing = {"type": "message", "content": [], "usage": {"input_tokens": 9, "output_tokens": 0}}
    asked = {"messages": [hello, more], "max_tokens": 9}
    reply = {"type": "message", "content": [{"type": "text", "text": "Hi."}]}
    first = {"request": {"messages": [hello], "max_tokens": 9}, "response": nothing}
    (transcript,) = read(lines(first, {"request": asked, "response": reply}))
    assert [(call.before, call.reply) for call in transcript.origin.sent] == [(1, None), (2, 2)]
