"""A reply that came in pieces (server-sent events), put together into the body of a whole one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from opencollab_nb.models.openai_wire import reported_in

DONE = "[DONE]"


class BrokenOff(ValueError):
    """The stream ended before the reply did."""


def is_stream(text: str) -> bool:
    r"""True for a body of server-sent events, whatever its content type says.

    >>> is_stream(': ping\n\ndata: {"choices": []}\n\n'), is_stream('{"choices": []}')
    (True, False)
    """
    head = text.lstrip("\ufeff \r\n")[:7]
    return head.startswith(("data:", "event:", ":", "id:", "retry:"))


def whole(text: str) -> dict[str, Any]:
    r"""The body that the same reply would have had if it had come at once.

    An error within the stream is that body's `error`, and words that came before it are not used:
    nothing is known of how they would have ended.

    Raises:
        BrokenOff: neither a finish reason nor the mark of the end came.

    >>> line = 'data: {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}'
    >>> whole(line)["choices"][0]["message"]["content"]
    'hi'
    """
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    finish, ended, usage = None, False, None
    for chunk in chunks(text):
        if chunk is None:
            ended = True
            continue
        if chunk.get("error"):
            return {"error": chunk["error"]}
        usage = reported_in(chunk) or usage
        choice = first(chunk.get("choices"))
        finish = choice.get("finish_reason") or finish
        # Some servers send the last piece as a whole message.
        delta = choice.get("delta") or choice.get("message") or {}
        if isinstance(delta, Mapping):
            take(message, calls, delta)
    if finish is None and not ended:
        raise BrokenOff("the stream broke off before its end")
    if calls:
        message["tool_calls"] = [{k: v for k, v in call.items() if k != "index"} for call in calls]
    body: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    return body if usage is None else {**body, "usage": usage}


def chunks(text: str) -> Iterator[dict[str, Any] | None]:
    """The data of each event; None for the mark of the end. What is no JSON object is passed over."""
    for line in text.split("\n"):  # not `splitlines`: a separator within a text is no end of a line
        name, _, data = line.rstrip("\r").partition(":")
        name = name.strip("\ufeff ")
        if name not in ("data", "error"):
            continue
        if data.strip() == DONE:
            yield None
            continue
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if isinstance(chunk, dict):
            failed = name == "error" or chunk.get("object") == "error"
            yield {"error": chunk.get("error") or chunk} if failed else chunk


def first(choices: Any) -> Mapping[str, Any]:
    """The first choice, or an empty one."""
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, Mapping) else {}


def take(message: dict[str, Any], calls: list[dict[str, Any]], delta: Mapping[str, Any]) -> None:
    """Add a piece: texts are joined, calls by their index, anything else is taken as it comes."""
    for key, value in delta.items():
        if value is None or key == "role":
            continue
        if key == "tool_calls":
            for piece in value if isinstance(value, list) else ():
                if isinstance(piece, Mapping):
                    take_call(calls, piece)
        elif isinstance(value, str) and isinstance(message.get(key), str):
            message[key] += value
        elif isinstance(value, list) and isinstance(message.get(key), list):
            message[key] = [*message[key], *value]
        else:
            message[key] = value


def take_call(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> None:
    """Add a piece of a call: to the one of its index, of its id, or to the last one.

    >>> calls = []
    >>> take_call(calls, {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}})
    >>> take_call(calls, {"index": 0, "function": {"arguments": ": 1}"}})
    >>> calls[0]["function"]
    {'name': 'f', 'arguments': '{"x": 1}'}
    """
    call = found_call(calls, piece)
    if call is None:
        call = {"index": piece.get("index"), "type": "function", "function": {"name": "", "arguments": ""}}
        calls.append(call)
    for key, value in piece.items():
        if key == "function" and isinstance(value, Mapping):
            for part, text in value.items():
                if isinstance(text, str):
                    call["function"][part] = call["function"].get(part, "") + text
                elif text is not None:
                    call["function"][part] = text
        elif key != "index" and value not in (None, ""):
            call[key] = value


def found_call(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> dict[str, Any] | None:
    """The call that a piece goes on with; None for a new one.

    Servers that give every call the index 0 give each an id of its own.
    """
    index, call_id = piece.get("index"), piece.get("id")
    for call in reversed(calls):
        if index is not None and call.get("index") != index:
            continue
        if call_id and call.get("id") and call["id"] != call_id:
            return None
        starts = isinstance(piece.get("function"), Mapping) and piece["function"].get("name")
        return None if index is None and starts and not call_id else call
    return None
