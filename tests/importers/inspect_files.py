"""The smallest Inspect log, with a compaction, a sub-agent and what else one can hold."""

from __future__ import annotations

from typing import Any

SYSTEM = {"id": "m0", "role": "system", "content": "be good"}
TASK = {"id": "m1", "role": "user", "content": "fix it", "source": "input"}
LOOKS: dict[str, Any] = {
    "id": "m2",
    "role": "assistant",
    "content": [
        {"type": "reasoning", "reasoning": "well", "signature": "s"},
        {"type": "text", "text": "I look."},
    ],
    "tool_calls": [
        {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"},
        {"id": "c2", "function": "bash", "arguments": {}},
    ],
}
RESULT = {
    "id": "m3",
    "role": "tool",
    "tool_call_id": "c1",
    "function": "bash",
    "content": "attachment://long",
}
FAILED = {
    "id": "m4",
    "role": "tool",
    "tool_call_id": "c2",
    "content": "",
    "error": {"type": "timeout", "message": "too slow"},
}
SUMMARY = {"id": "m5", "role": "user", "content": "looked", "metadata": {"summary": True}}
DONE = {"id": "m6", "role": "assistant", "content": "Done.", "model": "m-1"}


def model(given: list[Any], reply: Any, usage: Any = None, **more: Any) -> dict[str, Any]:
    """The event of a model call."""
    choices = [{"message": reply, "stop_reason": "stop"}] if reply else []
    output = {"model": "m-1", "choices": choices, "usage": usage}
    return {"event": "model", "model": "openai/m-1", "input": given, "tools": [], "output": output, **more}


def usage(inside: int, output: int, total: int, read: int, written: int = 0) -> dict[str, int]:
    """Usage as Inspect writes it."""
    counts = {"input_tokens": inside, "output_tokens": output, "total_tokens": total}
    return {**counts, "input_tokens_cache_read": read, "input_tokens_cache_write": written}


TOOL = {"name": "bash", "description": "Run.", "parameters": {"type": "object", "properties": {}}}
SUB_TASK = {"id": "s1", "role": "user", "content": "look it up"}
SUB_REPLY = {"id": "s2", "role": "assistant", "content": "found"}
EVENTS: list[Any] = [
    {"event": "sample_init"},
    model([SYSTEM, TASK], LOOKS, usage(100, 20, 120, 80), tools=[TOOL]),
    {"event": "tool", "id": "c1"},
    model([SUB_TASK], SUB_REPLY, usage(30, 2, 32, 0)),
    {"event": "compaction", "tokens_before": 5000},
    model([SYSTEM, TASK, SUMMARY], DONE, usage(10, 5, 105, 80, 10)),
]
SAMPLE: dict[str, Any] = {
    "id": 1,
    "epoch": 1,
    "input": "fix it",
    "messages": [SYSTEM, TASK, LOOKS, RESULT, FAILED, DONE],
    "events": EVENTS,
    "attachments": {"long": "a long output"},
    "scores": {"includes": {"value": "C"}},
}
LOG: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "t", "model": "openai/m-1"},
    "samples": [SAMPLE],
}
