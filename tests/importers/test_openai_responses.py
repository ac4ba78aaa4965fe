"""OpenAI's Responses: items, request bodies, exchanges, streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers import sse
from opencollab_nb.importers.openai_responses import read, signs
from opencollab_nb.importers.source import Source
from opencollab_nb.tokens.usage import Usage
from tests.importers.files import lines, whole

THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAAA"}
CALLED = {"type": "function_call", "call_id": "a", "name": "ls", "arguments": '{"p": 1}'}
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "look"},
    THOUGHT,
    CALLED,
    {**CALLED, "call_id": "b"},
    {"type": "function_call_output", "call_id": "a", "output": "r1"},
    {
        "type": "function_call_output",
        "call_id": "b",
        "output": [{"type": "input_image", "image_url": "data:x"}],
    },
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
]


@pytest.mark.parametrize("source", [whole(ITEMS), lines(*ITEMS), whole({"input": ITEMS, "model": "m"})])
def test_items_become_messages_with_what_was_called_at_once_in_one(source: Source) -> None:
    assert signs(source) > 0.8
    (transcript,) = read(source)
    messages = transcript.messages
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [c["id"] for c in messages[1]["tool_calls"]] == ["a", "b"]
    assert messages[1]["content"] == [THOUGHT]
    assert messages[3]["content"] == [{"type": "image_url", "image_url": {"url": "data:x"}}]
    assert transcript.origin is not None
    assert transcript.origin.used == len(ITEMS)


def test_chat_messages_are_no_sign_of_it() -> None:
    assert signs(whole([{"role": "user", "content": "hi"}])) == 0


def exchange(given: Any, *output: dict[str, Any], answer: str = "r", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 5}
    body = {"object": "response", "id": answer, "model": "m", "output": list(output), "usage": usage}
    return {"request": {"input": given, **more}, "response": body}


SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}


def test_a_request_may_name_an_answer_instead_of_sending_all_again() -> None:
    result = {"type": "function_call_output", "call_id": "a", "output": "r1"}
    source = lines(
        exchange("look", CALLED, answer="r1", instructions="You code."),
        exchange([result], SAID, answer="r2", previous_response_id="r1", instructions="You code."),
    )
    (transcript,) = read(source)
    assert [m["role"] for m in transcript.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert transcript.origin is not None
    assert [(c.before, c.reply, c.usage) for c in transcript.origin.sent] == [
        (2, 2, Usage(50, 40, 5)),
        (4, 4, Usage(50, 40, 5)),
    ]
    assert transcript.notices == []


def test_an_answer_that_is_not_there_yet_is_no_call() -> None:
    pending = {
        "request": {"input": "look"},
        "response": {"object": "response", "status": "queued", "output": []},
    }
    (transcript,) = read(lines(pending, exchange("look", SAID)))
    assert transcript.origin is not None
    assert len(transcript.origin.sent) == 1
    assert transcript.origin.skipped == {"no exchange": 1}


def test_a_stream_is_its_last_event_or_what_came_of_it() -> None:
    done = {"type": "response.output_item.done", "output_index": 0, "item": SAID}
    last = {
        "type": "response.completed",
        "response": {"id": "r", "output": [SAID], "usage": {"input_tokens": 9}},
    }
    for events, ended in (([done, last], True), ([done], False)):
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        body, whole_answer = sse.responses(text)
        assert body["output"] == [SAID]
        assert whole_answer is ended
        (transcript,) = read(lines({"request": {"input": "look"}, "response": text}))
        assert [m["content"] for m in transcript.messages] == ["look", "done"]


def test_the_reused_ids_sample_is_one_conversation_whose_results_find_their_calls(shared: Path) -> None:
    (transcript,) = read(Source(shared / "transcripts/openai-responses-api/reused-tool-call-ids.jsonl"))
    assert transcript.origin is not None
    assert [c.before for c in transcript.origin.sent] == [2, 4, 6, 8]
    assert [m["content"] for m in transcript.messages if m["role"] == "tool"] == [
        "first result",
        "second result",
    ]
    told = "1 requests were sent with another system message than the first, which is shown"
    assert transcript.notices == [told]


def test_the_tool_search_sample_keeps_the_provider_s_items_as_parts(shared: Path) -> None:
    (transcript,) = read(Source(shared / "transcripts/openai-responses-api/tool-search-gpt-5.6.jsonl"))
    kinds = [part["type"] for part in transcript.messages[2]["content"]]
    assert kinds == ["reasoning", "tool_search_call", "tool_search_output"]
    roles = [m["role"] for m in transcript.messages]
    assert " ".join(roles) == "system user assistant tool assistant tool developer assistant tool assistant"
    assert transcript.origin is not None
    assert [c.usage.input_tokens for c in transcript.origin.sent if c.usage] == [748, 405, 562, 604]


def test_the_image_sample_is_one_conversation(shared: Path) -> None:
    (transcript,) = read(Source(shared / "transcripts/openai-responses-api/image-tool-return.jsonl"))
    assert [m["role"] for m in transcript.messages] == ["user", "assistant", "tool", "assistant"]
    assert transcript.messages[2]["content"][0]["type"] == "image_url"


def test_a_conversation_that_the_provider_keeps_is_one() -> None:
    result = {"type": "function_call_output", "call_id": "a", "output": "r1"}
    source = lines(
        {"request": {}, "response": {"object": "conversation", "id": "conv"}},
        exchange("look", CALLED, answer="r1", conversation="conv"),
        exchange([result], SAID, answer="r2", conversation={"id": "conv"}),
        {"request": "", "response": {"object": "conversation.deleted", "id": "conv"}},
    )
    assert signs(source) > 0.8
    (transcript,) = read(source)
    assert [m["role"] for m in transcript.messages] == ["user", "assistant", "tool", "assistant"]
    assert transcript.origin is not None
    assert transcript.origin.skipped == {"no exchange": 2}


QUEUED = {"object": "response", "id": "r1", "status": "queued", "output": [], "usage": None}
POLLED: list[dict[str, Any]] = [
    {"request": {"input": "look", "background": True}, "response": QUEUED},
    {"request": None, "response": {**QUEUED, "status": "in_progress"}},
    {"request": None, "response": exchange("", SAID, answer="r1")["response"]},
]


@pytest.mark.parametrize("request_of_poll", [None, "", {}, {"body": ""}])
def test_an_answer_in_the_background_is_the_one_that_was_polled(request_of_poll: Any) -> None:
    first, *polls = POLLED
    (transcript,) = read(lines(first, *({**poll, "request": request_of_poll} for poll in polls)))
    assert [m["content"] for m in transcript.messages] == ["look", "done"]
    assert transcript.origin is not None
    assert [call.usage for call in transcript.origin.sent] == [Usage(50, 40, 5)]


def test_the_rest_of_a_stream_is_read_with_its_beginning() -> None:
    def stream(*events: dict[str, Any]) -> str:
        return "".join(f"data: {json.dumps(event)}\n\n" for event in events)

    begun = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
    last = {"type": "response.completed", "response": {"id": "resp_1", "output": [SAID]}}
    first = {"request": {"input": "look"}, "response": stream(begun)}
    (transcript,) = read(lines(first, {"request": None, "response": stream(last)}))
    assert [m["content"] for m in transcript.messages] == ["look", "done"]
    assert transcript.notices == []


SEAL = {"type": "compaction", "id": "cmp", "encrypted_content": "gAAAA"}
ASK = {"role": "user", "content": "look"}


AFTER = [ASK, SEAL, {"role": "user", "content": "go on"}]
ANSWER = {"role": "assistant", "content": "done"}
COMPACTION = exchange([ASK, ANSWER], ASK, SEAL, answer="r2", instructions="You code.")
COMPACTED: list[dict[str, Any]] = [
    exchange([ASK], SAID, instructions="You code."),
    {**COMPACTION, "response": {**COMPACTION["response"], "object": "response.compaction"}},
    exchange(AFTER, SAID),
    exchange([*AFTER, ANSWER, {"role": "user", "content": "and on"}], SAID),
]


def test_a_compaction_that_was_asked_for_stands_in_place_of_what_it_does_not_keep() -> None:
    (transcript,) = read(lines(*COMPACTED))
    assert [m["content"] for m in transcript.messages][1:] == [
        "look",
        "done",
        "go on",
        "done",
        "and on",
        "done",
    ]
    assert transcript.origin is not None
    (one,) = transcript.origin.compactions
    assert (one.at, one.covers, one.text) == (3, [[2, 2]], "[a summary that only the provider can read]")
    assert [(c.before, c.reply) for c in transcript.origin.sent] == [(2, 2), (3, None), (4, 4), (6, 6)]
    assert transcript.notices == []


def test_a_compaction_within_an_answer_stands_in_place_of_what_came_before_it() -> None:
    after = [SEAL, {"role": "assistant", "content": "done"}, {"role": "user", "content": "go on"}]
    (transcript,) = read(lines(exchange([ASK], SEAL, SAID), exchange(after, SAID)))
    assert len(transcript) == 4
    assert transcript.origin is not None
    assert [(one.at, one.covers) for one in transcript.origin.compactions] == [(2, [[0, 0]])]


def test_a_compaction_of_before_the_file_is_kept_as_it_came() -> None:
    (transcript,) = read(lines(exchange([SEAL, ASK], SAID)))
    assert transcript.messages[0]["content"] == [SEAL]
