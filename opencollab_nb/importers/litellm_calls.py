"""A record of LiteLLM as a model call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.blocks import messages_of, tool_schema
from opencollab_nb.importers.calls import Call
from opencollab_nb.importers.chat import chat_message
from opencollab_nb.importers.fields import count, mapping, sequence, text
from opencollab_nb.importers.items import messages_of as messages_of_items
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Message, Messages
from opencollab_nb.tokens.usage import Usage

_CACHE = ("prompt_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def payload_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The payload that stands within a callback's record."""
    held = mapping(record.get("standard_logging_object")) or mapping(
        mapping(record.get("kwargs")).get("standard_logging_object")
    )
    return held or mapping(dict(record))


def call_of(record: Mapping[str, Any]) -> Call:
    """The model call of a record."""
    inner = payload_of(record)
    response = mapping(inner.get("response"))
    raw = mapping(inner.get("raw_response"))
    reply = _reply(raw) or _reply(response)
    notice = None
    if reply is None and text(inner.get("error_str")):
        notice = f"a request failed: {text(inner['error_str'])[:200]}"
    return Call(
        messages=_asked(inner),
        reply=reply,
        usage=_usage(response, inner) or _usage(raw, inner),
        model=text(response.get("model")) or text(inner.get("model")) or None,
        # Where calls are written as text, the system prompt tells of the tools.
        tools=() if raw else _tools(inner),
        notice=notice,
    )


def _asked(inner: Mapping[str, Any]) -> Messages:
    """What was sent: for a model without tools the one of two lists that has its calls written as text."""
    listed, other = sequence(inner.get("messages")), sequence(inner.get("raw_messages"))
    if other and (not listed or (_has_calls(listed) and not _has_calls(other))):
        listed = other
    if not listed:
        return messages_of_items(sequence(inner.get("input")))
    out: Messages = []
    for value in listed:
        content = mapping(value).get("content")
        role = mapping(value).get("role")
        blocks = isinstance(content, list) and any(
            mapping(part).get("type") in ("tool_use", "tool_result") for part in content
        )
        if blocks and isinstance(role, str):
            out += messages_of(role, content)
        elif message := chat_message(value):
            out.append(_unmarked(message))
    return out


def _has_calls(listed: list[Any]) -> bool:
    return any(
        mapping(one).get("role") == "tool" or sequence(mapping(one).get("tool_calls")) for one in listed
    )


def _unmarked(message: Message) -> Message:
    """A message without marks for the provider's cache."""
    content = message.get("content")
    if isinstance(content, list) and any(
        "cache_control" in part for part in content if isinstance(part, dict)
    ):
        parts = [
            {k: v for k, v in p.items() if k != "cache_control"} if isinstance(p, dict) else p
            for p in content
        ]
        return {**message, "content": parts}
    return message


def _reply(response: Mapping[str, Any]) -> Message | None:
    """The first choice of an answer, or the items of one by the Responses API."""
    choices = sequence(response.get("choices"))
    said = mapping(mapping(choices[0] if choices else None).get("message"))
    if said:
        return chat_message({**said, "role": "assistant"})
    found = [one for one in messages_of_items(sequence(response.get("output"))) if one["role"] == "assistant"]
    return found[-1] if found else None


def _usage(response: Mapping[str, Any], inner: Mapping[str, Any]) -> Usage | None:
    """The usage of the answer; else the sums of the payload."""
    reported = mapping(response.get("usage"))
    if not reported:
        metadata = mapping(inner.get("metadata"))
        return usage_of(mapping(metadata.get("usage_object"))) or usage_of(inner)
    usage = usage_of(reported)
    prompt, read, written = (count(reported.get(key)) or 0 for key in _CACHE)
    if usage and prompt < read + written:
        # Some versions count what came from and went to the provider's cache beside the prompt.
        return Usage(prompt + read + written, read, usage.output_tokens, usage.reasoning_tokens)
    return usage


def _tools(inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tools of the request, in the chat shape."""
    for holder in (mapping(inner.get("kwargs")), mapping(inner.get("model_parameters")), inner):
        found = [schema for tool in sequence(holder.get("tools")) if (schema := tool_schema(tool))]
        if found:
            return found
    return []
