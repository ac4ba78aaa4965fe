"""Items of OpenAI's Responses as messages in the chat shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.importers.chat import ROLES, assistant
from opencollab_nb.importers.codex_items import call_of, content_of, result_of
from opencollab_nb.messages import Message, Messages

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call")
KINDS = (*CALLS, "function_call_output", "custom_tool_call_output", "reasoning", "tool_search_call")
"""Types of items that no other format has at the top of its records."""


def messages_of(items: Iterable[Any]) -> Messages:
    """The items as messages: what the model said and called in a row is one reply.

    Reasoning, and what the provider's own tools did, stays a part of the reply, as it came.

    >>> said = [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "a", "name": "f",
    ...     "arguments": "{}"}, {"type": "function_call_output", "call_id": "a", "output": "ok"}]
    >>> [(m["role"], m["content"]) for m in messages_of(said)]
    [('assistant', [{'type': 'reasoning', 'summary': []}]), ('tool', 'ok')]
    """
    out: Messages = []
    parts: list[Any] = []
    calls: list[dict[str, Any]] = []

    def close() -> None:
        if parts or calls:
            out.append(assistant(list(parts), list(calls)))
            parts.clear()
            calls.clear()

    for item in items:
        if not isinstance(item, Mapping):
            continue
        item = dict(item)
        kind = item.get("type")
        if _is_said(item):
            if calls or any(_is_words(part) for part in parts):
                close()
            said = content_of(item)
            parts += [{"type": "text", "text": said}] if isinstance(said, str) else said
        elif kind in CALLS:
            calls.append(call_of(item))
        elif item.get("role") in ROLES:
            close()
            out.append(_told(item))
        elif isinstance(kind, str) and kind.endswith("_output") and item.get("call_id"):
            close()
            message, failed = result_of(item)
            out.append({**message, "meta": {"error": True}} if failed else message)
        else:
            if kind == "reasoning" and (calls or any(_is_words(part) for part in parts)):
                close()
            parts.append({name: value for name, value in item.items() if value is not None})
    close()
    return out


def is_item(value: Any) -> bool:
    """True for what may stand in the input or the output of this API."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if kind in (None, "message"):
        return value.get("role") in ROLES and isinstance(value.get("content"), (str, list))
    return isinstance(kind, str) and (kind in KINDS or kind.endswith(("_call", "_output")))


def _is_said(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "assistant" and item.get("type") in (None, "message")


def _is_words(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text"


def _told(item: dict[str, Any]) -> Message:
    """A message of another role; an item that has one and no content is kept as its part."""
    if "content" in item:
        return {"role": item["role"], "content": content_of(item)}
    return {"role": item["role"], "content": [item]}
