"""The smallest run of each form of OpenHands' events, with what each can hold."""

from __future__ import annotations

from typing import Any

from tests.importers.swe_files import answer, chat_call


def told(response: dict[str, Any], call_id: str) -> dict[str, Any]:
    """OpenHands' note of the call that an event belongs to."""
    return {
        "function_name": "bash",
        "tool_call_id": call_id,
        "model_response": response,
        "total_calls_in_response": 2,
    }


BOTH = answer("r1", chat_call("c1"), chat_call("c2"))
LAST = answer("r2", chat_call("c3", "finish"), content="Done.")
OPENHANDS_NESTED: list[Any] = [
    {
        "id": 0,
        "source": "agent",
        "action": "system",
        "args": {"content": "be good", "tools": [{"type": "function"}]},
    },
    {"id": 1, "source": "user", "action": "message", "args": {"content": "fix it", "image_urls": None}},
    {
        "id": 2,
        "source": "environment",
        "observation": "agent_state_changed",
        "content": "",
        "extras": {"agent_state": "running"},
    },
    {"id": 3, "source": "user", "action": "recall", "args": {"query": "fix it"}},
    {
        "id": 4,
        "source": "environment",
        "observation": "recall",
        "content": "",
        "extras": {"repo_instructions": "use tabs"},
    },
    {
        "id": 5,
        "source": "agent",
        "action": "run",
        "args": {"command": "ls", "thought": "I look."},
        "tool_call_metadata": told(BOTH, "c1"),
    },
    {
        "id": 6,
        "source": "agent",
        "cause": 5,
        "observation": "run",
        "content": "a",
        "extras": {"metadata": {"exit_code": 0, "suffix": "\n[code 0]"}},
        "tool_call_metadata": told(BOTH, "c1"),
    },
    {
        "id": 7,
        "source": "agent",
        "action": "run",
        "args": {"command": "false"},
        "tool_call_metadata": told(BOTH, "c2"),
    },
    {
        "id": 8,
        "source": "agent",
        "cause": 7,
        "observation": "error",
        "content": "no",
        "extras": {"error_id": ""},
        "tool_call_metadata": told(BOTH, "c2"),
    },
    {
        "id": 9,
        "source": "agent",
        "action": "condensation",
        "args": {
            "forgotten_events_start_id": 5,
            "forgotten_events_end_id": 8,
            "summary": "looked",
            "summary_offset": 2,
        },
    },
    {
        "id": 10,
        "source": "agent",
        "action": "finish",
        "args": {"final_thought": "Done."},
        "tool_call_metadata": told(LAST, "c3"),
    },
]

OPENHANDS_KINDS: list[Any] = [
    {
        "id": "e0",
        "kind": "SystemPromptEvent",
        "source": "agent",
        "system_prompt": {"type": "text", "text": "be good"},
        "dynamic_context": {"type": "text", "text": "on host x"},
        "tools": [{"title": "terminal", "description": "Run.", "kind": "TerminalTool"}],
    },
    {
        "id": "e1",
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {
            "role": "user",
            "content": [
                {"type": "text", "text": "fix it"},
                {"type": "image", "image_urls": ["data:image/png;base64,aa"]},
            ],
        },
        "extended_content": [{"type": "text", "text": "use tabs"}],
    },
    {
        "id": "e2",
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [{"type": "text", "text": "I look."}],
        "reasoning_content": "well",
        "thinking_blocks": [],
        "action": {"kind": "TerminalAction", "command": "ls"},
        "tool_name": "terminal",
        "tool_call_id": "c1",
        "tool_call": {"id": "c1", "name": "terminal", "arguments": "{}", "origin": "completion"},
        "llm_response_id": "r1",
    },
    {
        "id": "e3",
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [],
        "action": None,
        "tool_name": "terminal",
        "tool_call_id": "c2",
        "tool_call": {"id": "c2", "type": "function", "function": {"name": "terminal", "arguments": "{}"}},
        "llm_response_id": "r1",
    },
    {
        "id": "e4",
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": "terminal",
        "tool_call_id": "c1",
        "action_id": "e2",
        "observation": {
            "kind": "TerminalObservation",
            "content": [{"type": "text", "text": "a"}],
            "is_error": False,
            "exit_code": 0,
            "metadata": {"prefix": "", "suffix": "\n[code 0]"},
        },
    },
    {
        "id": "e5",
        "kind": "AgentErrorEvent",
        "source": "agent",
        "tool_name": "terminal",
        "tool_call_id": "c2",
        "error": "no such tool",
    },
    {
        "id": "e6",
        "kind": "Condensation",
        "source": "environment",
        "forgotten_event_ids": ["e2", "e3", "e4", "e5"],
        "summary": "looked",
        "summary_offset": 2,
        "llm_response_id": "r9",
    },
    {
        "id": "e7",
        "kind": "ConversationStateUpdateEvent",
        "source": "environment",
        "key": "execution_status",
        "value": "finished",
    },
    {
        "id": "e8",
        "kind": "MessageEvent",
        "source": "agent",
        "llm_response_id": "r2",
        "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    },
]
KINDS_METRICS: dict[str, Any] = {
    "token_usages": [
        {
            "model": "m-1",
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "cache_read_tokens": 80,
            "cache_write_tokens": 10,
            "reasoning_tokens": 5,
            "context_window": 128000,
            "response_id": "r1",
        },
        {
            "model": "m-1",
            "prompt_tokens": 150,
            "completion_tokens": 2,
            "cache_read_tokens": 100,
            "response_id": "r2",
        },
    ]
}
