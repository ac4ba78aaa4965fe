"""Answers that were recorded as the events they came in, put together as if they had come at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from opencollab_nb.models.streams import chunks, first, is_stream, whole

BROKE_OFF = "the recorded stream broke off before its end; what came is kept"


class Whole(NamedTuple):
    """An answer put together; `ended` is false where its end did not come."""

    body: dict[str, Any]
    ended: bool = True


def chat(text: str) -> Whole:
    """An answer of Chat Completions."""
    events = list(chunks(text))
    ended = any(one is None or first(one.get("choices")).get("finish_reason") for one in events)
    return Whole(whole(text if ended else f"{text}\n\ndata: [DONE]\n"), ended)


def anthropic(text: str) -> Whole:
    r"""An answer of Anthropic's Messages.

    >>> begun = 'data: {"type": "message_start", "message": {"model": "m"}}'
    >>> piece = '{"type": "text_delta", "text": "hi"}'
    >>> said = f'data: {{"type": "content_block_delta", "index": 0, "delta": {piece}}}'
    >>> anthropic(f"{begun}\n\n{said}\n\n")
    Whole(body={'model': 'm', 'content': [{'type': 'text', 'text': 'hi'}]}, ended=False)
    """
    body: dict[str, Any] = {}
    blocks: dict[Any, dict[str, Any]] = {}
    ended = False
    for event in chunks(text):
        if event is None:
            continue
        kind, index = event.get("type"), event.get("index")
        key = index if isinstance(index, int) else 0
        if kind == "message_start" and isinstance(event.get("message"), Mapping):
            body |= event["message"]
        elif kind == "content_block_start" and isinstance(event.get("content_block"), Mapping):
            blocks[key] = dict(event["content_block"])
        elif kind == "content_block_delta" and isinstance(event.get("delta"), Mapping):
            _grow(blocks.setdefault(key, {}), event["delta"])
        elif kind == "message_delta":
            body |= event["delta"] if isinstance(event.get("delta"), Mapping) else {}
            body["usage"] = {**_mapping(body.get("usage")), **_counted(event.get("usage"))}
        ended = ended or kind == "message_stop"
    body["content"] = [_finished(blocks[key]) for key in sorted(blocks)]
    return Whole(body, ended)


def responses(text: str) -> Whole:
    """An answer of OpenAI's Responses: the whole of its last event, else the items that were finished."""
    items: dict[Any, Any] = {}
    begun: dict[str, Any] = {}
    for event in chunks(text):
        if event is None:
            continue
        kind, held = event.get("type"), event.get("response")
        if isinstance(held, Mapping):
            if kind in ("response.completed", "response.incomplete", "response.failed"):
                return Whole(dict(held))
            begun = dict(held)
        elif kind == "response.output_item.done" and isinstance(event.get("item"), Mapping):
            items[len(items)] = event["item"]
    return Whole({**begun, "output": list(items.values())}, ended=False)


def _grow(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for name, piece in delta.items():
        if name == "type":
            block.setdefault("type", _OF_DELTA.get(str(piece), "text"))
        elif name == "partial_json":
            block["_json"] = block.get("_json", "") + str(piece)
        elif name == "citation":
            cited = block.get("citations")
            block["citations"] = [*(cited if isinstance(cited, list) else []), piece]
        elif isinstance(piece, str):
            before = block.get(name)
            block[name] = (before if isinstance(before, str) else "") + piece


_OF_DELTA = {"thinking_delta": "thinking", "signature_delta": "thinking", "input_json_delta": "tool_use"}


def _finished(block: dict[str, Any]) -> dict[str, Any]:
    """A block whose arguments came in pieces of JSON."""
    pieces = block.pop("_json", "")
    if not pieces:
        return block
    try:
        return {**block, "input": json.loads(pieces)}
    except (ValueError, RecursionError):
        return {**block, "input": pieces}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _counted(value: Any) -> dict[str, Any]:
    return {k: v for k, v in _mapping(value).items() if v is not None}


__all__ = ["BROKE_OFF", "Whole", "anthropic", "chat", "is_stream", "responses"]
