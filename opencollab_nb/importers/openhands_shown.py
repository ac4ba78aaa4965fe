"""What OpenHands' actions and observations were to the model: replies, shown texts, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import call, chat_message, image, text
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.openhands_words import arguments_of
from opencollab_nb.messages import Message, tool_calls_of


def told_reply(told: Mapping[str, Any], event: dict[str, Any], args: Mapping[str, Any]) -> Message:
    """The reply as the provider gave it, or the one call that is told of it."""
    choices = sequence(mapping(told.get("model_response")).get("choices"))
    said = mapping(mapping(choices[0] if choices else None).get("message"))
    message = chat_message({**said, "role": "assistant"}) if said else None
    call_id, name = text(told.get("tool_call_id")), text(told.get("function_name"))
    if message is not None and any(one.get("id") == call_id for one in tool_calls_of(message)):
        return message
    asked = arguments_of(event)
    return {
        "role": "assistant",
        "content": text(args.get("thought")) or None,
        "tool_calls": [call(call_id, name, asked)],
    }


def shown(extras: Mapping[str, Any]) -> str:
    """An observation's text with what OpenHands put around it."""
    metadata = mapping(extras.get("metadata"))
    before, after = metadata.get("prefix"), metadata.get("suffix")
    content = text(extras.get("content"))
    return f"{before if isinstance(before, str) else ''}{content}{after if isinstance(after, str) else ''}"


def content_of(said: str, holder: Mapping[str, Any]) -> Any:
    """A text, with the images that stand beside it as parts."""
    urls = sequence(holder.get("image_urls") or holder.get("images_urls"))
    images = [image(url) for url in urls if isinstance(url, str) and url]
    return [{"type": "text", "text": said}, *images] if images else said


def failed(kind: str, event: Mapping[str, Any], extras: Mapping[str, Any]) -> bool:
    """An error, a refusal, or an exit code that is none of success; -1 is a command that goes on."""
    code = mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
    if isinstance(code, int) and not isinstance(code, bool):
        return kind in ("error", "user_rejected") or code > 0
    return kind in ("error", "user_rejected") or event.get("success") is False
