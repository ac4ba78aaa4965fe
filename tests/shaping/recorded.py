"""A small reader of recorded conversations, for laws on real transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opencollab_nb.messages import Message, Messages
from tests.build import numbered

CONVERSATIONS = 12


def tau_bench(shared: Path) -> list[Messages]:
    """The first conversations of the OpenAI chat file; they stand there in our shape."""
    file = shared / "transcripts" / "openai-chat" / "tau-bench-gpt-4o-airline-part1.json"
    tasks = json.loads(file.read_text(encoding="utf-8"))
    return [numbered(map(_plain, task["traj"])) for task in tasks[:CONVERSATIONS]]


def pi(shared: Path) -> Messages:
    """The long Pi session: messages only."""
    file = shared / "transcripts" / "pi" / "before-compaction.jsonl"
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    found = (_from_pi(line["message"]) for line in lines if line.get("type") == "message")
    return numbered(m for m in found if m is not None)


def _plain(message: dict[str, Any]) -> Message:
    return {k: v for k, v in message.items() if v is not None or k == "content"}  # type: ignore[return-value]


def _from_pi(message: dict[str, Any]) -> Message | None:
    role, content = message["role"], message.get("content")
    if role == "user":
        return {"role": "user", "content": content}
    if role == "toolResult":
        return {"role": "tool", "tool_call_id": message["toolCallId"], "content": content}
    if role != "assistant":
        return None
    out: Message = {"role": "assistant", "content": "".join(p.get("text", "") for p in content) or None}
    calls = [
        {
            "id": part["id"],
            "type": "function",
            "function": {"name": part["name"], "arguments": json.dumps(part["arguments"])},
        }
        for part in content
        if part["type"] == "toolCall"
    ]
    if calls:
        out["tool_calls"] = calls
    return out
