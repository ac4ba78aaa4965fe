"""The smallest file of each form of SWE-agent and mini-swe-agent, with what each can hold."""

from __future__ import annotations

from typing import Any

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 80}}


def chat_call(call_id: str = "c1", name: str = "bash") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"command": "ls"}'}}


def answer(response_id: str, *calls: dict[str, Any], content: str = "I look.") -> dict[str, Any]:
    """A chat completion with its usage."""
    message = {"role": "assistant", "content": content, "tool_calls": list(calls)}
    return {"id": response_id, "model": "m-1", "choices": [{"message": message}], "usage": USAGE}


SWE_AGENT: dict[str, Any] = {
    "environment": "main",
    "history": [
        {"role": "system", "content": "be good", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": "a demonstration", "agent": "main", "is_demo": True},
        {
            "role": "user",
            "content": [{"type": "text", "text": "fix it", "cache_control": {"type": "e"}}],
            "agent": "main",
        },
        {
            "role": "assistant",
            "content": "I look.",
            "thought": "I look.",
            "action": "ls",
            "agent": "main",
            "tool_calls": [chat_call()],
            "thinking_blocks": [{"type": "thinking", "thinking": "well", "signature": "s"}],
        },
        {
            "role": "tool",
            "content": "old\noutput",
            "agent": "main",
            "tool_call_ids": ["c1"],
            "message_type": "observation",
        },
        {"role": "assistant", "content": "Done.", "agent": "main", "tool_calls": None},
    ],
    "trajectory": [
        {"action": "ls", "observation": "old\noutput", "response": "I look.", "thought": "", "query": []},
        {"action": "", "observation": "bad format", "response": "Nonsense.", "thought": "", "query": []},
        {
            "action": "submit",
            "observation": "",
            "response": "Done.",
            "thought": "",
            "query": [
                {"role": "system", "content": "be good"},
                {"role": "user", "content": "a demonstration"},
                {"role": "user", "content": "fix it"},
                {"role": "assistant", "content": "I look."},
                {"role": "tool", "content": "Old environment output: (2 lines omitted)"},
            ],
        },
    ],
    "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 0}},
    "replay_config": '{"agent": {"model": {"name": "m-1"}}}',
}

MINI_CALLS: dict[str, Any] = {
    "info": {"mini_version": "2.2.7", "exit_status": "Submitted", "config": {"model": {"model_name": "m-1"}}},
    "messages": [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "fix it"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [chat_call("c1"), chat_call("c2")],
            "function_call": None,
            "extra": {"actions": [], "response": answer("r1", chat_call("c1"), chat_call("c2")), "cost": 0.1},
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "a",
            "extra": {"returncode": 0, "exception_info": ""},
        },
        {"role": "tool", "tool_call_id": "c2", "content": "b", "extra": {"returncode": 1}},
        {
            "role": "user",
            "content": "No tool calls found",
            "extra": {"interrupt_type": "FormatError", "response": {"usage": USAGE}},
        },
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "some__repo-1",
}

MINI_ITEMS: dict[str, Any] = {
    "info": {"mini_version": "2.2.7"},
    "messages": [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "fix it"},
        {
            "object": "response",
            "model": "m-1",
            "output": [
                {"type": "reasoning", "summary": [], "encrypted_content": "gA"},
                {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"},
            ],
            "usage": {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 9},
            "extra": {"actions": []},
        },
        {"type": "function_call_output", "call_id": "c1", "output": "ok", "extra": {"returncode": 0}},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
}
