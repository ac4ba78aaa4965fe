"""Messages in the chat shape as files hold them, and such in other forms put into it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opencollab_nb.messages import Message
from opencollab_nb.models.openai_wire import message_of

ROLES = ("system", "developer", "user", "assistant", "tool")
_OTHER_NAMES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "function": "tool",
}


def chat_message(value: Any) -> Message | None:
    """A message of a file in the chat shape with every field of the type that is due; None for what is none.

    >>> chat_message({"role": "tool", "tool_call_id": 7, "content": {"ok": True}})
    {'role': 'tool', 'tool_call_id': '7', 'content': '{"ok": true}'}
    >>> chat_message({"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": {}}})
    {'role': 'assistant', 'content': None, 'tool_calls': [{'id': 'call_0', 'type': 'function', 'function': \
{'name': 'ls', 'arguments': '{}'}}]}
    >>> chat_message({"role": 3}) is None
    True
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("role"), str):
        return None
    named = value["role"]
    role = _OTHER_NAMES.get(named.lower(), named)
    if role not in ROLES:
        role = "user"
    if role == "assistant":
        message: Any = {**message_of(value), "content": content_of(value.get("content"))}
        if "tool_calls" in message:
            message["tool_calls"] = [sound_call(call, n) for n, call in enumerate(message["tool_calls"])]
            if not message["tool_calls"]:
                del message["tool_calls"]
        return message  # type: ignore[no-any-return]
    message = {**value, "role": role, "content": content_of(value.get("content"))}
    message.pop("meta", None)
    if role == "tool":
        given = value.get("tool_call_id")
        message["tool_call_id"] = "call_0" if given is None and named == "function" else text(given)
    return message  # type: ignore[no-any-return]


def is_of_the_chat(value: Any) -> bool:
    """True for a message that only the chat has: a system message, a call beside the content, a result.

    >>> is_of_the_chat({"role": "tool"}), is_of_the_chat({"role": "user"})
    (True, False)
    """
    if not isinstance(value, Mapping):
        return False
    return value.get("role") in ("system", "developer", "tool") or isinstance(value.get("tool_calls"), list)


def is_sound(message: Mapping[str, Any]) -> bool:
    """True for a message whose every field is of the type that is due, whatever else it holds.

    >>> is_sound({"role": "user", "content": "a", "x": 1}), is_sound({"role": "user", "content": 5})
    (True, False)
    """
    content, calls = message.get("content"), message.get("tool_calls", [])
    if message.get("role") not in ROLES or not isinstance(calls, list):
        return False
    if message["role"] == "tool" and not isinstance(message.get("tool_call_id"), str):
        return False
    parts = content if isinstance(content, list) else []
    said = content is None or isinstance(content, (str, list))
    return said and all(isinstance(part, (dict, str)) for part in parts) and all(map(_is_sound_call, calls))


def _is_sound_call(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(call.get("id"), str):
        return False
    return isinstance(function.get("name"), str) and isinstance(function.get("arguments"), str)


def content_of(content: Any) -> str | list[Any] | None:
    """A content as it may stand in a message; anything but text and parts as its JSON."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        return [part if isinstance(part, (dict, str)) else text(part) for part in content]
    return text(content)


def sound_call(call: Mapping[str, Any], n: int) -> dict[str, Any]:
    """A call with an id, a type, a name, and arguments as text; what else it holds is kept."""
    function = call.get("function")
    if not isinstance(function, Mapping):
        own = call.get("custom")
        function = own if isinstance(own, Mapping) else {"name": text(function)} if function else {}
    asked = {k: v for k, v in function.items() if k not in ("name", "arguments", "input")}
    arguments = function.get("arguments", function.get("input"))
    return {
        **{k: v for k, v in call.items() if k not in ("function", "custom")},
        "id": text(call.get("id")) or f"call_{n}",
        "type": "function",
        "function": {"name": text(function.get("name")), "arguments": arguments_text(arguments), **asked},
    }


def call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    """A call in the chat shape.

    >>> call("a", "ls", {"path": "é"})["function"]
    {'name': 'ls', 'arguments': '{"path": "é"}'}
    """
    function = {"name": text(name), "arguments": arguments_text(arguments)}
    return {"id": text(call_id), "type": "function", "function": function}


def arguments_text(arguments: Any) -> str:
    """Arguments as the text of a JSON object; text is kept as it came."""
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else text(arguments)


def text(value: Any) -> str:
    """A text as it is, nothing as none, anything else as its JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def assistant(parts: list[Any], calls: list[dict[str, Any]], **more: Any) -> Message:
    """A reply of parts and calls: a single text stands by itself, no part at all is no content.

    >>> assistant([{"type": "text", "text": "a"}], [])
    {'role': 'assistant', 'content': 'a'}
    """
    message: Any = {"role": "assistant", "content": single(parts), **more}
    if calls:
        message["tool_calls"] = calls
    return message  # type: ignore[no-any-return]


def single(parts: list[Any]) -> str | list[Any] | None:
    """The parts as a content: none as None, one text by itself."""
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], dict) and parts[0].keys() == {"type", "text"}:
        only = parts[0]["text"]
        if isinstance(only, str) and parts[0]["type"] == "text":
            return only
    return parts


def image(url: str) -> dict[str, Any]:
    """An image as a part; the address may hold it."""
    return {"type": "image_url", "image_url": {"url": url}}
