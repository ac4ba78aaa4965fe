"""LangChain's messages and runs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from opencollab_nb.importers import langchain
from opencollab_nb.importers.langchain_messages import said_of
from opencollab_nb.messages import tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.importers.files import lines, whole

COUNTED = {
    "input_tokens": 100,
    "output_tokens": 20,
    "total_tokens": 120,
    "input_token_details": {"cache_read": 80, "cache_creation": 10},
    "output_token_details": {"reasoning": 5},
}
FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("system", {"content": "be good"}),
    (
        "human",
        {
            "content": [
                {"type": "text", "text": "fix it"},
                {"type": "image", "base64": "aa", "mime_type": "image/png"},
            ]
        },
    ),
    (
        "ai",
        {
            "content": [
                {"type": "thinking", "thinking": "well", "signature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "bash", "input": {"cmd": "ls"}},
            ],
            "tool_calls": [{"name": "bash", "args": {"cmd": "ls"}, "id": "c1", "type": "tool_call"}],
            "invalid_tool_calls": [{"name": "bash", "args": "{cmd", "id": "c2", "error": "no JSON"}],
            "usage_metadata": COUNTED,
            "response_metadata": {"model_name": "m-1"},
        },
    ),
    ("tool", {"content": "a", "tool_call_id": "c1", "name": "bash", "status": "success"}),
    ("tool", {"content": "no", "tool_call_id": "c2", "status": "error"}),
    (
        "ai",
        {
            "content": "Done.",
            "additional_kwargs": {"reasoning_content": "hm"},
            "response_metadata": {"token_usage": {"prompt_tokens": 150, "completion_tokens": 2}},
        },
    ),
]
NAMES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessageChunk", "tool": "ToolMessage"}
ABOUT = {"additional_kwargs": {}, "response_metadata": {}}
DATA = [{"type": kind, "data": {**ABOUT, "type": kind, **held}} for kind, held in FIELDS]
PLAIN = [{**ABOUT, "type": kind, **held} for kind, held in FIELDS]
DUMPED = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", NAMES[kind]],
        "kwargs": {**held, "type": kind},
    }
    for kind, held in FIELDS
]
FORMS = {"data": DATA, "plain": PLAIN, "dumped": DUMPED}


def read(value: Any) -> Transcript:
    source = whole(value)
    assert langchain.signs(source) > 0.9
    (only,) = langchain.read(source)
    return only


@pytest.mark.parametrize("form", FORMS)
def test_messages_come_out_alike_from_every_form(form: str) -> None:
    transcript = read(FORMS[form])
    assert [message["role"] for message in transcript.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    reply: Any = transcript.messages[2]
    assert [part["type"] for part in reply["content"]] == ["thinking", "text"]
    assert [(call["id"], call["function"]["arguments"]) for call in tool_calls_of(reply)] == [
        ("c1", '{"cmd": "ls"}'),
        ("c2", "{cmd"),
    ]
    assert [bool(message["meta"].get("error")) for message in transcript.messages[3:5]] == [False, True]
    assert transcript.messages[1]["content"][1]["image_url"]["url"] == "data:image/png;base64,aa"  # type: ignore[index]
    assert transcript.origin is not None
    assert [call.usage for call in transcript.origin.sent] == [Usage(100, 80, 20, 5), Usage(150, 0, 2)]
    assert transcript.origin.models == ("m-1",)
    assert (transcript.origin.read, transcript.origin.used, transcript.notices) == (6, 6, [])


@pytest.mark.parametrize(
    "wrap",
    [
        lambda messages: {"messages": messages},
        lambda messages: {"values": {"messages": messages, "other": 1}},
        lambda messages: {"lc": 1, "kwargs": {"messages": messages}},
        lambda messages: {"inputs": {"input": "x"}, "outputs": {"messages": messages}},
        lambda messages: {"channel_values": {"messages": [messages]}},
        lambda messages: [{"values": {"messages": messages}}, {"values": {"messages": messages[:2]}}],
    ],
)
def test_a_state_is_opened_wherever_its_messages_are(wrap: Any) -> None:
    assert len(read(wrap(DATA))) == 6


def test_a_message_on_each_line_is_one_conversation() -> None:
    (transcript,) = langchain.read(lines(*DATA, '{"type": "hum'))
    assert len(transcript) == 6
    assert transcript.origin is not None
    assert transcript.origin.skipped["damaged"] == 1


def test_calls_in_the_providers_words_count_where_there_are_no_others() -> None:
    raw = {"id": "c9", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    old = said_of({"type": "ai", "data": {"content": "", "additional_kwargs": {"tool_calls": [raw]}}})
    oldest = said_of(
        {"type": "ai", "data": {"content": "", "additional_kwargs": {"function_call": raw["function"]}}}
    )
    blocks = said_of(
        {"type": "ai", "data": {"content": [{"type": "tool_use", "id": "c9", "name": "ls", "input": {}}]}}
    )
    for said in (old, oldest, blocks):
        assert said is not None
        assert [call["function"] for call in tool_calls_of(said.message)] == [
            {"name": "ls", "arguments": "{}"}
        ]


def test_a_chat_message_has_the_role_it_names() -> None:
    said = said_of({"type": "chat", "data": {"content": "x", "role": "assistant"}})
    assert said is not None
    assert said.message["role"] == "assistant"


def test_anthropics_own_words_count_where_langchain_has_none() -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 80,
        "cache_creation_input_tokens": 10,
        "output_tokens": 5,
    }
    said = said_of(
        {"type": "ai", "data": {"content": "x", "response_metadata": {"model": "m", "usage": usage}}}
    )
    assert said is not None
    assert said.usage == Usage(100, 80, 5)


def run(asked: list[Any], answer: Any, **more: Any) -> dict[str, Any]:
    outputs = {"generations": [[{"text": "", "message": answer}]]} if answer else None
    return {"run_type": "llm", "inputs": {"messages": [asked]}, "outputs": outputs, **more}


def test_model_runs_that_go_on_from_one_another_are_one_conversation() -> None:
    tools = {
        "invocation_params": {"model": "m-2", "tools": [{"type": "function", "function": {"name": "bash"}}]}
    }
    tree = {
        "run_type": "chain",
        "inputs": {},
        "start_time": "1",
        "child_runs": [
            run(DUMPED[:5], DUMPED[5], start_time="3", extra=tools),
            {"run_type": "tool", "start_time": "2"},
            run(DUMPED[:2], DUMPED[2], start_time="2"),
        ],
    }
    transcript = read(tree)
    assert len(transcript) == 6
    assert transcript.origin is not None
    assert [(call.before, call.reply, call.model) for call in transcript.origin.sent] == [
        (2, 2, "m-1"),
        (5, 5, "m-2"),
    ]
    assert transcript.origin.usage == Usage(250, 80, 22, 5)
    assert len(transcript.origin.tools) == 1
    assert transcript.origin.skipped["run that is no model call"] == 2
    assert transcript.messages[4]["meta"]["error"] is True


def test_a_run_that_failed_was_asked() -> None:
    transcript = read(run(DUMPED[:2], None, error="busy"))
    assert transcript.origin is not None
    assert [call.reply for call in transcript.origin.sent] == [None]
    assert any("busy" in notice for notice in transcript.notices)


def test_plain_chat_messages_are_not_taken_for_langchains() -> None:
    assert langchain.signs(whole([{"role": "user", "content": "hi"}])) == 0
    assert langchain.signs(whole([{"type": "system", "content": "hi"}])) == 0
    assert langchain.signs(whole([{"type": "user", "message": {"content": "hi"}}])) == 0


def test_a_summary_of_the_summarization_middleware_is_a_summary() -> None:
    value = copy.deepcopy(DATA)
    value[1]["data"]["additional_kwargs"] = {"lc_source": "summarization"}
    assert read(value).messages[1]["meta"]["source"] == "summary"


@pytest.mark.parametrize("key", ["agent", "update"])
def test_the_updates_of_a_graph_s_steps_are_one_conversation(key: str) -> None:
    steps = [
        {key: {"messages": [{"type": "human", "content": "look"}]}},
        {
            key: {
                "messages": {
                    "type": "ai",
                    "content": "",
                    "tool_calls": [{"name": "f", "args": {}, "id": "c"}],
                }
            }
        },
        {"tools": {"messages": [{"type": "tool", "content": "r", "tool_call_id": "c"}]}, "graph": None},
    ]
    source = lines(*steps)
    assert langchain.signs(source) > 0.9
    (transcript,) = langchain.read(source)
    assert [message["role"] for message in transcript.messages] == ["user", "assistant", "tool"]
