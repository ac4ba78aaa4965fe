"""A model's reply as a message that can be kept, weighed and sent back, whatever the model put into it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from opencollab_nb.messages import Message, wire

NAMELESS = "unknown"
"""Stands for the name of a call that has none: providers refuse a history with an empty one."""


def well_formed(message: Mapping[str, Any]) -> Message:
    """The reply with a role and a readable content, every call with an id and a name; all else as it came.

    What it has under `meta` is left out: a priority there would pin it, and that is not for a model to say.

    >>> call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> well_formed({"content": None, "tool_calls": [call]})["tool_calls"][0]["id"]
    'call_1'
    """
    fixed: dict[str, Any] = {**wire(message), "role": "assistant"}
    if not readable(message.get("content")):
        fixed["content"] = json.dumps(message["content"], ensure_ascii=False, default=str)
    calls = message.get("tool_calls")
    if calls is not None:
        listed = calls if isinstance(calls, list) else [calls]
        fixed["tool_calls"] = [whole_call(call, number) for number, call in enumerate(listed, 1)]
    return cast("Message", fixed)


def readable(content: Any) -> bool:
    """True for text, parts, or nothing."""
    if isinstance(content, list):
        return all(isinstance(part, dict) for part in content)
    return content is None or isinstance(content, str)


def whole_call(call: Any, number: int) -> dict[str, Any]:
    """The call with an id and a function that has a name.

    >>> whole_call({"id": "a", "function": "ls"}, 1)
    {'id': 'a', 'function': {'name': 'ls', 'arguments': '{}'}}
    """
    if not isinstance(call, dict):
        call = {"function": {"name": "", "arguments": json.dumps(call, default=str)}}
    if not isinstance(call.get("id"), str) or not call["id"]:
        call = {**call, "id": f"call_{number}"}
    function = call.get("function")
    if not isinstance(function, dict):
        function = {"name": function, "arguments": "{}"}
    name = function.get("name")
    sound = isinstance(name, str) and name and function is call.get("function")
    whole: dict[str, Any] = (
        call if sound else {**call, "function": {**function, "name": str(name or NAMELESS)}}
    )
    return whole
