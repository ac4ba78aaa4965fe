"""Anthropic's content blocks as messages in the chat shape; several formats hold such blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import ROLES, assistant, call, image, single, text
from opencollab_nb.messages import Message, Messages

KINDS = (
    *("thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use"),
    *("web_search_tool_result", "mcp_tool_use"),
)
"""Types of blocks that come from this API alone."""


def messages_of(role: str, content: Any) -> Messages:
    """One message of blocks: of the user, each result as a message of its own, before all else.

    A role that is not known is taken for the user's.

    What a provider's own tools did (`server_tool_use` and its results) stays a part of the reply. A
    result that is an error has `meta["error"]`.

    >>> messages_of("user", [{"type": "text", "text": "go on"},
    ...     {"type": "tool_result", "tool_use_id": "a", "content": "ok", "is_error": True}])
    [{'role': 'tool', 'tool_call_id': 'a', 'content': 'ok', 'meta': {'error': True}}, \
{'role': 'user', 'content': 'go on'}]
    """
    role = role if role in ROLES else "user"
    blocks = content if isinstance(content, list) else [content] if isinstance(content, Mapping) else None
    if role == "assistant":
        return [reply_of(blocks if blocks is not None else text_blocks(content))]
    if blocks is None:
        return [{"role": role, "content": text(content)}]
    results = [result_of(b) for b in blocks if isinstance(b, Mapping) and b.get("type") == "tool_result"]
    others = [part_of(b) for b in blocks if not (isinstance(b, Mapping) and b.get("type") == "tool_result")]
    said: Messages = [{"role": role, "content": single(others)}] if others or not results else []
    return [*results, *said]


def text_blocks(content: Any) -> list[Any]:
    """A content that is no list, as blocks."""
    return [{"type": "text", "text": text(content)}] if content not in (None, "") else []


def reply_of(blocks: list[Any]) -> Message:
    """A reply of blocks: its calls beside its text; thinking stays a part, as it came.

    >>> used = {"type": "tool_use", "id": "a", "name": "ls", "input": {}}
    >>> reply_of([{"type": "text", "text": "I look."}, used])
    {'role': 'assistant', 'content': 'I look.', 'tool_calls': [{'id': 'a', 'type': 'function', 'function': \
{'name': 'ls', 'arguments': '{}'}}]}
    """
    calls, parts = [], []
    for block in blocks:
        if isinstance(block, Mapping) and block.get("type") == "tool_use":
            calls.append(call(block.get("id"), block.get("name"), block.get("input")))
        else:
            parts.append(part_of(block))
    return assistant(parts, calls)


def result_of(block: Mapping[str, Any]) -> Message:
    """A `tool_result` block as a message."""
    content = block.get("content")
    if isinstance(content, list):
        inner: Any = single([part_of(part) for part in content]) or ""
    else:
        inner = text(content)
    message: Message = {"role": "tool", "tool_call_id": text(block.get("tool_use_id")), "content": inner}
    if block.get("is_error") is True:
        message["meta"] = {"error": True}
    return message


def part_of(block: Any) -> Any:
    """A block as a part: text and images in the chat shape, anything else as it came."""
    if not isinstance(block, Mapping):
        return {"type": "text", "text": text(block)}
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        more = {
            k: v for k, v in block.items() if k not in ("type", "text", "cache_control") and v is not None
        }
        return {"type": "text", "text": block["text"], **more}
    source = block.get("source")
    if kind == "image" and isinstance(source, Mapping):
        if isinstance(source.get("data"), str):
            return image(f"data:{text(source.get('media_type')) or 'image/png'};base64,{source['data']}")
        if isinstance(source.get("url"), str):
            return image(source["url"])
    if "cache_control" in block:
        return {k: v for k, v in block.items() if k != "cache_control"}
    return block if isinstance(block, dict) else dict(block)


def tool_schema(tool: Any) -> dict[str, Any] | None:
    """A tool of Anthropic's API as a schema in the chat shape; a provider's own as it came; None for no tool.

    >>> tool_schema({"name": "ls", "description": "List.", "input_schema": {"type": "object"}})
    {'type': 'function', 'function': {'name': 'ls', 'description': 'List.', 'parameters': {'type': 'object'}}}
    """
    if not isinstance(tool, Mapping):
        return None
    if "input_schema" not in tool:
        return dict(tool)
    function = {
        "name": text(tool.get("name")),
        "description": text(tool.get("description")),
        "parameters": tool["input_schema"],
    }
    return {"type": "function", "function": function}
