"""LangChain's messages in our shape, from any of the forms they are dumped in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from opencollab_nb.importers.chat import text
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.langchain_parts import content_of, reply_of
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Message
from opencollab_nb.tokens.usage import Usage

_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "chat": "user",
    "generic": "user",
}
_OWN = ("additional_kwargs", "response_metadata", "tool_calls", "usage_metadata", "example", "artifact", "lc")


class Said(NamedTuple):
    """One message and what is told of it."""

    message: Message
    usage: Usage | None = None
    model: str | None = None
    failed: bool = False
    summary: bool = False


def said_of(value: Any) -> Said | None:
    """A message in any of LangChain's forms; None for what is none, also for one in the plain chat shape.

    >>> said_of({"type": "tool", "data": {"content": "no", "tool_call_id": "a", "status": "error"}}).failed
    True
    >>> said_of({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
    ...     "kwargs": {"content": "hi"}}).message
    {'role': 'user', 'content': 'hi'}
    >>> said_of({"role": "user", "content": "hi"}) is None
    True
    """
    kind, held = _held(value)
    role = _ROLES.get(kind)
    if role is None or "content" not in held:
        return None
    if kind in ("chat", "generic"):
        role = _ROLES.get(text(held.get("role")).lower(), "user")
    more = mapping(held.get("additional_kwargs"))
    if role == "assistant":
        metadata = mapping(held.get("response_metadata"))
        return Said(reply_of(held, more), usage_in(held, metadata), model_in(metadata))
    content = content_of(held.get("content"))
    if role == "tool":
        message: Any = {
            "role": "tool",
            "tool_call_id": text(held.get("tool_call_id")),
            "content": content or "",
        }
        if text(held.get("name")):
            message["name"] = text(held["name"])
        return Said(message, failed=held.get("status") == "error")
    message = {"role": role, "content": content}
    if text(held.get("name")):
        message["name"] = text(held["name"])
    return Said(message, summary=more.get("lc_source") == "summarization")


def _held(value: Any) -> tuple[str, dict[str, Any]]:
    """The kind of a message and its fields."""
    value = mapping(value)
    if value.get("lc") is not None and isinstance(value.get("kwargs"), dict):
        names = sequence(value.get("id"))
        kwargs = value["kwargs"]
        named = text(names[-1]) if names else ""
        if not named.replace("Chunk", "").endswith("Message"):
            return "", {}
        return _kind(named) if _kind(named) in _ROLES else _kind(text(kwargs.get("type"))), kwargs
    kind = _kind(text(value.get("type")) if isinstance(value.get("type"), str) else "")
    if isinstance(value.get("data"), dict):
        return kind, value["data"]
    if any(key in value for key in _OWN) or kind in ("human", "ai"):
        return kind, value
    if kind in ("system", "tool", "function") and "content" in value and "role" not in value:
        return kind, value
    return "", {}


def _kind(named: str) -> str:
    """`AIMessageChunk` and `ai` are one."""
    return named.replace("Chunk", "").removesuffix("Message").lower()


def usage_in(held: Mapping[str, Any], metadata: Mapping[str, Any]) -> Usage | None:
    """What was reported for a reply: in LangChain's words, else in the provider's."""
    told = mapping(held.get("usage_metadata"))
    raw = (
        mapping(metadata.get("token_usage"))
        or mapping(metadata.get("usage"))
        or mapping(metadata.get("usage_metadata"))
    )
    return usage_of(told) or usage_of(raw)


def model_in(metadata: Mapping[str, Any]) -> str | None:
    """The model that answered."""
    return text(metadata.get("model_name") or metadata.get("model")) or None
