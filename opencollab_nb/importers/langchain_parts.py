"""Contents and calls of LangChain's messages in our shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.blocks import part_of
from opencollab_nb.importers.chat import assistant, call, image, single, sound_call, text
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.messages import Message

_CALL_PARTS = (
    "tool_use",
    "function_call",
    "tool_call",
    "custom_tool_call",
    "input_json_delta",
    "tool_call_chunk",
)
"""Parts of a content that repeat the calls beside it."""


def reply_of(held: Mapping[str, Any], more: Mapping[str, Any]) -> Message:
    """A reply with its calls beside its parts; `more` is what stands under `additional_kwargs`."""
    calls = [call(made.get("id"), made.get("name"), made.get("args")) for made in _made(held)]
    if not calls:
        listed = sequence(more.get("tool_calls"))
        calls = [sound_call(made, n) for n, made in enumerate(listed) if isinstance(made, dict)]
    if not calls and isinstance(more.get("function_call"), dict):
        old = more["function_call"]
        calls = [call("call_0", old.get("name"), old.get("arguments"))]
    content = held.get("content")
    parts: list[Any] = []
    for n, part in enumerate(content if isinstance(content, list) else [content] if content else []):
        kind = mapping(part).get("type")
        if kind in _CALL_PARTS:
            if not _made(held) and kind == "tool_use":
                calls.append(call(part.get("id") or f"call_{n}", part.get("name"), part.get("input")))
        elif part != "":
            parts.append(_part(part))
    kept = {key: more[key] for key in ("reasoning_content", "reasoning") if more.get(key)}
    return assistant(parts, calls, **kept)


def _made(held: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of a reply; those that LangChain could not parse were made too."""
    listed = [*sequence(held.get("tool_calls")), *sequence(held.get("invalid_tool_calls"))]
    return [made for made in listed if isinstance(made, dict) and "name" in made]


def content_of(content: Any) -> Any:
    """A content of any other message: text, or parts."""
    if not isinstance(content, list):
        return text(content)
    return single([_part(part) for part in content]) or ""


def _part(part: Any) -> Any:
    """A part in the chat shape: text, and images in any of the three forms that LangChain has had."""
    if isinstance(part, dict) and part.get("type") == "image" and not isinstance(part.get("source"), dict):
        held = part.get("data") or part.get("base64")
        if isinstance(held, str):
            return image(f"data:{text(part.get('mime_type')) or 'image/png'};base64,{held}")
        if isinstance(part.get("url"), str):
            return image(part["url"])
    return part_of(part)
