"""LiteLLM's logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers import litellm_log, load
from opencollab_nb.importers.collection import Transcripts
from opencollab_nb.importers.source import Source
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.importers.files import lines, whole
from tests.importers.swe_files import USAGE, answer, chat_call

TOOL = {"type": "function", "function": {"name": "bash", "parameters": {}}}
ASKED = [
    {
        "role": "system",
        "content": [{"type": "text", "text": "be good", "cache_control": {"type": "ephemeral"}}],
    },
    {"role": "user", "content": [{"type": "text", "text": "fix it"}]},
]
FIRST: dict[str, Any] = {
    "messages": ASKED,
    "tools": [TOOL],
    "kwargs": {"tools": [TOOL], "temperature": 0},
    "context_window": 200_000,
    "response": answer("r1", chat_call()),
    "cost": 0.1,
    "timestamp": 1.0,
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a"}]}
SENT_BACK = {
    "role": "assistant",
    "content": [{"type": "text", "text": "I look."}],
    "tool_calls": [chat_call()],
}
SECOND: dict[str, Any] = {
    **FIRST,
    "messages": [*ASKED, SENT_BACK, RESULT],
    "response": answer("r2", content="Done."),
    "timestamp": 2.0,
}


def read(*records: Any) -> list[Transcript]:
    source = lines(*records)
    assert litellm_log.signs(source) > 0.9
    return litellm_log.read(source)


def test_requests_that_go_on_from_one_another_are_one_transcript() -> None:
    (transcript,) = read(FIRST, SECOND)
    assert [text_of(message) for message in transcript.messages] == [
        "be good",
        "fix it",
        "I look.",
        "a",
        "Done.",
    ]
    assert transcript.origin is not None
    assert [(call.before, call.reply, call.usage) for call in transcript.origin.sent] == [
        (2, 2, Usage(100, 80, 20)),
        (4, 4, Usage(100, 80, 20)),
    ]
    assert (transcript.origin.tools, transcript.origin.window) == ((TOOL,), 200_000)


def test_requests_are_put_in_the_order_of_their_times() -> None:
    (transcript,) = read(SECOND, FIRST)
    assert len(transcript) == 5


def test_marks_for_the_cache_are_no_content() -> None:
    (transcript,) = read(FIRST)
    assert transcript.messages[0]["content"] == [{"type": "text", "text": "be good"}]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_model_without_tools_was_sent_calls_as_text(swapped: bool) -> None:
    raw = {"choices": [{"message": {"role": "assistant", "content": "<function=bash>"}}], "usage": USAGE}
    spoken = [ASKED[1], {"role": "assistant", "content": "<function=bash>"}, {"role": "user", "content": "a"}]
    lists = [spoken, [ASKED[1], SENT_BACK, RESULT]]
    first = {**FIRST, "messages": [ASKED[1]], "raw_messages": [ASKED[1]], "raw_response": raw}
    second = {**SECOND, "raw_response": {**raw, "usage": None}}
    second["messages"], second["raw_messages"] = reversed(lists) if swapped else lists
    (transcript,) = read(first, second)
    assert [text_of(m) for m in transcript.messages] == ["fix it", "<function=bash>", "a", "<function=bash>"]
    assert not any(map(tool_calls_of, transcript.messages))
    assert transcript.origin is not None
    assert [call.usage for call in transcript.origin.sent] == [Usage(100, 80, 20)] * 2


def test_deepseek_tells_hits_and_misses() -> None:
    counts = {
        "prompt_tokens": 100,
        "completion_tokens": 5,
        "prompt_cache_hit_tokens": 64,
        "prompt_cache_miss_tokens": 36,
    }
    (transcript,) = read({**FIRST, "response": {**answer("r1"), "usage": counts}})
    assert transcript.origin is not None
    assert transcript.origin.usage == Usage(100, 64, 5)


def test_a_cache_that_is_larger_than_the_prompt_was_counted_beside_it() -> None:
    counts = {
        "prompt_tokens": 4,
        "completion_tokens": 5,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 6,
        "prompt_tokens_details": {"cached_tokens": 90},
    }
    (transcript,) = read({**FIRST, "response": {**answer("r1"), "usage": counts}})
    assert transcript.origin is not None
    assert transcript.origin.usage == Usage(100, 90, 5)


def test_a_standard_logging_payload_is_read_and_a_failure_is_told() -> None:
    payload = {
        "id": "x",
        "call_type": "acompletion",
        "status": "success",
        "model": "m-1",
        "model_parameters": {"tools": [TOOL]},
        "messages": ASKED,
        "response": answer("r1", content="Done."),
        "startTime": 1.0,
    }
    failure = {**payload, "status": "failure", "response": {}, "error_str": "too long", "startTime": 2.0}
    del failure["model_parameters"]
    (transcript,) = read(
        {**failure, "hidden_params": {}}, {"standard_logging_object": {**payload, "startTime": 3.0}}
    )
    assert transcript.origin is not None
    assert transcript.origin.tools == (TOOL,)
    assert [call.reply for call in transcript.origin.sent] == [None, 2]
    assert transcript.notices == ["a request failed: too long"]


def test_a_folder_with_a_file_for_each_request_is_one_transcript(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for name, record in {"b": FIRST, "a": SECOND}.items():
        (folder / f"{name}.json").write_text(json.dumps(record))
    loaded = load(folder)
    assert isinstance(loaded, Transcripts)
    (transcript,) = loaded
    assert transcript.origin is not None
    assert (len(transcript), transcript.origin.name) == (5, "run")


def test_other_conversations_of_a_file_are_transcripts_of_their_own() -> None:
    other = {
        **FIRST,
        "messages": [{"role": "user", "content": "hello"}],
        "response": answer("r3", content="hi"),
    }
    found = read(FIRST, other)
    assert [len(one) for one in found] == [3, 2]


def test_a_record_of_another_kind_is_no_log() -> None:
    assert litellm_log.signs(whole({"messages": ASKED})) == 0


def test_the_recorded_folder_is_one_transcript_with_all_its_usage(shared: Path) -> None:
    paths = sorted((shared / "transcripts/litellm-completion-log/claude-sonnet-4").iterdir())
    (transcript,) = litellm_log.read_together([Source(path) for path in paths])
    assert transcript.origin is not None
    assert [call.usage.input_tokens for call in transcript.origin.sent if call.usage] == [
        4812,
        5002,
        6123,
        6277,
        6485,
        6729,
    ]
    assert [call.before for call in transcript.origin.sent] == [2, 4, 6, 8, 10, 12]
    assert len(transcript.origin.tools) == 3


def test_a_request_with_its_answer_alone_is_a_record() -> None:
    (transcript,) = read({"messages": ASKED, "response": answer("r1", content="Done."), "profile": "x"})
    assert [message["role"] for message in transcript.messages] == ["system", "user", "assistant"]
