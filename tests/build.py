"""Small builders of messages for tests: a transcript is a list of these, numbered."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from opencollab_nb.messages import Message, Messages, with_meta


def system(text: str = "You are a coder.") -> Message:
    return {"role": "system", "content": text, "meta": {"source": "system", "priority": 100}}


def task(text: str = "Fix the bug.") -> Message:
    return {"role": "user", "content": text, "meta": {"source": "task", "priority": 80}}


def user(text: Any, **meta: Any) -> Message:
    return _with({"role": "user", "content": text}, meta)


def assistant(text: str | None, *calls: dict[str, Any], **meta: Any) -> Message:
    message: Message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = list(calls)
    return _with(message, meta)


def call(name: str = "bash", args: dict[str, Any] | str | None = None, call_id: str = "c1") -> dict[str, Any]:
    text = args if isinstance(args, str) else json.dumps(args or {})
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def result(text: Any, call_id: str = "c1", **meta: Any) -> Message:
    return _with({"role": "tool", "tool_call_id": call_id, "content": text}, meta)


def tool_step(number: int, text: Any = "ok", name: str = "bash", args: Any = None) -> Messages:
    """One call and its result."""
    return [assistant(None, call(name, args, f"c{number}")), result(text, f"c{number}")]


def numbered(messages: Iterable[Message], start: int = 0) -> Messages:
    """The messages with the ids a transcript would give them."""
    return [with_meta(m, id=i) for i, m in enumerate(messages, start)]


def _with(message: Message, meta: dict[str, Any]) -> Message:
    return {**message, "meta": meta} if meta else message
