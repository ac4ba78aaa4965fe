"""How a message is measured, whatever counts its texts: every key but `meta` and `role`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

FRAME_TOKENS = 4
"""What the chat format adds around one message, part or call (OpenAI's cookbook says 3 to 4)."""
IMAGE_TOKENS = 1_000
"""One image or other medium, however large its encoding: providers scale it down before they count."""

_MEDIA = ("image", "audio", "file", "document", "video")
_SEALED_KEYS = ("encrypted_content", "signature", "thought_signature")
_SEALED_START = "gAAAA"
_SEALED_CHARS_PER_TOKEN = 6

Count = Callable[[str], int]


def measured(message: Mapping[str, Any], count: Count) -> int:
    """Tokens of one message, its texts counted by `count`.

    >>> measured({"role": "user", "content": "four"}, len)
    8
    """
    return FRAME_TOKENS + sum(
        count(value) if isinstance(value, str) else _value(value, count)
        for key, value in message.items()
        if value and key not in ("meta", "role")
    )


def measured_schemas(schemas: object, count: Count) -> int:
    """Tokens of the tool schemas sent with every request, each as compact JSON."""
    listed = list(schemas) if isinstance(schemas, (list, tuple)) else []
    return sum(FRAME_TOKENS + count(_json(schema)) for schema in listed)


def sealed_tokens(text: str) -> int:
    """Tokens of reasoning that only the provider can read.

    It is billed as the text inside, and encryption and base64 make that longer.
    """
    return -(-len(text) // _SEALED_CHARS_PER_TOKEN)


def _value(value: Any, count: Count) -> int:
    if isinstance(value, str):
        return sealed_tokens(value) if _is_sealed(value) else count(value)
    if isinstance(value, (list, tuple)):
        return sum(_value(item, count) for item in value)
    if not isinstance(value, Mapping):
        return count(_json(value))
    if _is_medium(value):
        return IMAGE_TOKENS + count(_text_inside(value))
    return FRAME_TOKENS + sum(
        _entry(key, item, count) for key, item in value.items() if item and key != "type"
    )


def _entry(key: str, item: Any, count: Count) -> int:
    if key in _SEALED_KEYS and isinstance(item, str):
        return sealed_tokens(item)
    if key in ("arguments", "input") and not isinstance(item, str):
        return count(_json(item))
    return _value(item, count)


def _is_sealed(text: str) -> bool:
    return text.startswith(_SEALED_START) and len(text) > 100 and text.isascii() and " " not in text


def _is_medium(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and any(medium in kind for medium in _MEDIA)


def _text_inside(part: Mapping[str, Any]) -> str:
    source = part.get("source")
    if isinstance(source, Mapping) and source.get("type") == "text":
        return str(source.get("data") or "")
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
