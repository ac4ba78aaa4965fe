"""Inspect's messages and usage in our shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import ROLES, assistant, call, image, single, text
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Message
from opencollab_nb.tokens.usage import Usage

_ATTACHED = ("attachment://", "tc://")
"""How a reference begins; the second in logs of 2024."""


class Attachments:
    """Long strings that a sample keeps apart; a reference stands in their place.

    >>> Attachments({"attachments": {"ab": "long"}}).put_back({"content": ["attachment://ab", 1]})
    {'content': ['long', 1]}
    """

    def __init__(self, sample: Mapping[str, Any]) -> None:
        older = mapping(mapping(sample.get("transcript")).get("content"))
        self._held = {**older, **mapping(sample.get("attachments"))}

    def put_back(self, value: Any) -> Any:
        """The value with every reference resolved; itself where it has none."""
        if isinstance(value, str):
            if value.startswith(_ATTACHED):
                held = self._held.get(value.partition("://")[2])
                return held if isinstance(held, str) else value
            return value
        if isinstance(value, list):
            return [self.put_back(one) for one in value]
        if isinstance(value, dict):
            return {key: self.put_back(one) for key, one in value.items()}
        return value


def message_of(value: Any) -> Message | None:
    """A message in the chat shape; the id that Inspect gives it is left out.

    >>> message_of({"role": "tool", "content": "", "tool_call_id": "a", "function": "ls",
    ...     "error": {"type": "timeout", "message": "too slow"}})
    {'role': 'tool', 'tool_call_id': 'a', 'name': 'ls', 'content': 'too slow', 'meta': {'error': True}}
    """
    role = mapping(value).get("role")
    if role not in ROLES:
        return None
    content = value.get("content")
    parts = [_part(one) for one in content] if isinstance(content, list) else None
    if role == "assistant":
        said = parts if parts is not None else [{"type": "text", "text": text(content)}] if content else []
        if isinstance(value.get("reasoning"), str) and value["reasoning"]:
            said = [{"type": "reasoning", "reasoning": value["reasoning"]}, *said]
        return assistant(
            said, [_call(one) for one in sequence(value.get("tool_calls")) if isinstance(one, dict)]
        )
    shown: Any = text(content) if parts is None else single(parts) or ""
    if role != "tool":
        return {"role": role, "content": shown}
    error = value.get("error") or value.get("tool_error")
    message: Any = {"role": "tool", "tool_call_id": text(value.get("tool_call_id"))}
    if text(value.get("function")):
        message["name"] = text(value["function"])
    message["content"] = shown or text(mapping(error).get("message") if isinstance(error, dict) else error)
    if error:
        message["meta"] = {"error": True}
    return message  # type: ignore[no-any-return]


def _part(part: Any) -> Any:
    """A content as a part: text and images in the chat shape, anything else as it came."""
    kind = mapping(part).get("type")
    if kind == "text":
        return {"type": "text", "text": text(part.get("text"))}
    if kind == "image" and isinstance(part.get("image"), str):
        return image(part["image"])
    if isinstance(part, dict):
        return {key: value for key, value in part.items() if value is not None}
    return {"type": "text", "text": text(part)}


def _call(made: Mapping[str, Any]) -> dict[str, Any]:
    function = made.get("function")
    if isinstance(function, dict):
        return call(made.get("id"), function.get("name"), function.get("arguments"))
    return call(made.get("id"), function, made.get("arguments"))


def schema_of(tool: Any) -> dict[str, Any] | None:
    """A tool that was offered, as a schema in the chat shape."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return None
    parameters = mapping(tool.get("parameters")) or {"type": "object", "properties": {}}
    function = {"name": tool["name"], "description": text(tool.get("description")), "parameters": parameters}
    return {"type": "function", "function": function}


def usage_of_event(event: Mapping[str, Any]) -> Usage | None:
    """What a model event reports, told by the provider's own words where they are kept.

    Inspect counts the cache within the input or beside it, by provider and by version.

    >>> raw = {"usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5}}
    >>> own = {"input_tokens": 10, "output_tokens": 5, "input_tokens_cache_read": 90}
    >>> usage_of_event({"output": {"usage": own}, "call": {"response": raw}}).input_tokens
    100
    """
    own = mapping(mapping(event.get("output")).get("usage"))
    found = usage_of(own)
    raw = mapping(mapping(event.get("call")).get("response"))
    told = usage_of(raw.get("usage") or raw.get("usage_metadata") or raw.get("usageMetadata"))
    if found is None or told is None:
        return found or told
    # Answers that were put together from a stream report nothing of the input at times.
    return told if told.input_tokens >= found.input_tokens or _same_sum(own, told) else found


def _same_sum(own: Mapping[str, Any], told: Usage) -> bool:
    return own.get("input_tokens") == told.input_tokens
