"""OpenHands' events with `action` or `observation`."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import openhands
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.importers.files import whole
from tests.importers.openhands_files import OPENHANDS_NESTED


def read(events: list[Any], **beside: Any) -> Transcript:
    (only,) = openhands.read(whole({"history": events, **beside}))
    return only


def test_calls_of_one_response_are_one_reply_with_its_usage_once() -> None:
    transcript = read(OPENHANDS_NESTED)
    assert [message["role"] for message in transcript.messages][:6] == [
        "system",
        "user",
        "user",
        "assistant",
        "tool",
        "tool",
    ]
    assert [call["id"] for call in tool_calls_of(transcript.messages[3])] == ["c1", "c2"]
    assert transcript.origin is not None
    assert [call.usage for call in transcript.origin.sent] == [Usage(100, 80, 20)] * 2


def test_an_error_and_an_exit_code_are_flagged() -> None:
    transcript = read(OPENHANDS_NESTED)
    assert [bool(m["meta"].get("error")) for m in transcript.messages[4:6]] == [False, True]
    assert text_of(transcript.messages[4]) == "a\n[code 0]"
    failed = {"observation": "run", "content": "", "extras": {"metadata": {"exit_code": 2}}}
    running = {
        "observation": "run",
        "content": "",
        "success": False,
        "extras": {"metadata": {"exit_code": -1}},
    }
    acts = [{"action": "run", "args": {"command": "x"}, "id": n} for n in (1, 2)]
    flagged = read([acts[0], failed, acts[1], running])
    assert [m["meta"].get("error") for m in flagged.messages if m["role"] == "tool"] == [True, None]


def test_a_condensation_stands_in_place_of_its_events_and_is_no_message() -> None:
    transcript = read(OPENHANDS_NESTED)
    assert transcript.origin is not None
    (one,) = transcript.origin.compactions
    assert (one.covers, one.text) == ([[3, 5]], "looked")
    assert [text_of(message) for message in view_sent(transcript, 2)] == [
        "be good",
        "fix it",
        "use tabs",
        "looked",
    ]


def test_knowledge_that_was_recalled_is_context_and_empty_recalls_are_counted() -> None:
    transcript = read(OPENHANDS_NESTED)
    assert transcript.messages[2]["meta"]["source"] == "context"
    assert transcript.origin is not None
    assert dict(transcript.origin.skipped) == {"agent_state_changed": 1, "recall": 1}
    assert transcript.origin.tools == ({"type": "function"},)


def test_without_the_response_the_call_is_made_of_what_is_told() -> None:
    told = {"function_name": "execute_bash", "tool_call_id": "c1", "model_response": {}}
    events = [
        {
            "id": 1,
            "action": "run",
            "args": {"command": "ls", "thought": "I look.", "hidden": False},
            "tool_call_metadata": told,
        },
        {"id": 2, "cause": 1, "observation": "run", "content": "a"},
    ]
    reply, result = read(events).messages
    assert (reply["content"], tool_calls_of(reply)[0]["function"]) == (
        "I look.",
        {"name": "execute_bash", "arguments": '{"command": "ls"}'},
    )
    assert result["tool_call_id"] == "c1"


def test_running_sums_give_the_usage_of_one_call_and_of_no_more() -> None:
    def sums(prompt: int, completion: int, last: int) -> dict[str, Any]:
        counts = {"prompt_tokens": prompt, "completion_tokens": completion, "per_turn_token": last}
        return {"accumulated_token_usage": {**counts, "cache_read_tokens": 0}}

    events = [
        {"id": n, "source": "agent", "action": "message", "args": {"content": str(n)}, "llm_metrics": metrics}
        for n, metrics in enumerate([sums(100, 10, 110), sums(250, 15, 155), sums(900, 30, 200)])
    ]
    origin = read([{"action": "message", "source": "user", "args": {"content": "go"}}, *events]).origin
    assert origin is not None
    assert [call.usage and call.usage.input_tokens for call in origin.sent] == [100, 150, None]


def test_what_the_user_does_is_no_reply() -> None:
    events = [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "go"}},
        {"id": 2, "source": "user", "action": "run", "args": {"command": "ls"}},
        {"id": 3, "source": "user", "cause": 2, "observation": "run", "content": "a"},
    ]
    transcript = read(events)
    assert [(m["role"], m["content"]) for m in transcript.messages] == [
        ("user", "go"),
        ("user", "[run] ls"),
        ("user", "a"),
    ]


def test_the_events_of_a_delegate_are_a_child() -> None:
    events = [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "go"}},
        {
            "id": 2,
            "source": "agent",
            "action": "delegate",
            "args": {"agent": "Browser", "inputs": {"task": "look it up"}},
        },
        {"id": 3, "source": "agent", "action": "browse", "args": {"url": "http://x"}},
        {"id": 4, "source": "agent", "cause": 3, "observation": "browse", "content": "page"},
        {"id": 5, "source": "agent", "cause": 2, "observation": "delegate", "content": "found"},
    ]
    transcript = read(events)
    assert [m["role"] for m in transcript.messages] == ["user", "assistant", "tool"]
    assert transcript.origin is not None
    (child,) = transcript.origin.children
    assert [text_of(m) for m in child.messages] == ["look it up", "", "page"]
    assert transcript.origin.read == 5


def test_an_event_of_an_unknown_kind_is_counted_by_its_kind() -> None:
    origin = read([*OPENHANDS_NESTED, {"id": 99, "action": "fly", "args": {}}]).origin
    assert origin is not None
    assert origin.skipped["unknown event fly"] == 1
