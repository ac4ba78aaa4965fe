"""How a message is measured, whatever counts its texts: every key but `meta` and `role`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

FRAME_TOKENS = 4
"""What the chat format adds around one message, part or call (OpenAI's cookbook: 3 to 4)."""
IMAGE_TOKENS = 1_000
"""One image or other medium, however long its encoding: providers scale it down before they count."""

_MEDIUM = re.compile(
    r"(input_|output_)?(image|audio|file|document|video|media)(_url|_file|_data|_generation_call)?"
)
_MEDIUM_MIME = re.compile(r"(image|audio|video)/|application/pdf")
_MIME_KEYS = ("mime_type", "mimeType", "media_type")
_DATA_URL = re.compile(r"data:(image|audio|video|application/pdf)")
_SEALED_KEYS = ("encrypted_content", "signature", "thought_signature")
_SEALED_START = "gAAAA"
_SEALED_LEAST_CHARS = 100
_SEALED_WRAPPER_CHARS = 800
_SEALED_CHARS_PER_TOKEN = 6
"""Recorded reasoning of codex: about 850 characters where there was none, 4.5 to 8 a token above."""

Count = Callable[[str], int]


def measured(message: Mapping[str, Any], count: Count) -> int:
    """Tokens of one message, its texts counted by `count`.

    Reasoning that only the provider can read weighs what its length suggests, and at most
    `meta["output_tokens"]`, the output reported for the reply that brought it, if that is known.

    >>> measured({"role": "user", "content": "four"}, len)
    8
    """
    sealed: list[int] = []
    total = FRAME_TOKENS
    for key, value in message.items():
        if value and key not in ("meta", "role"):
            total += count(value) if isinstance(value, str) else _value(value, count, sealed)
    return total + (_sealed_total(message, sealed) if sealed else 0)


def measured_schemas(schemas: Iterable[Mapping[str, Any]], count: Count) -> int:
    """Tokens of the tool schemas that go with every request, each as JSON text."""
    return sum(FRAME_TOKENS + count(_json(schema)) for schema in schemas)


def sealed_tokens(text: str) -> int:
    """Tokens of reasoning that only the provider can read.

    It is counted as the text inside; the wrapper, encryption and base64 make that longer.

    >>> sealed_tokens("gAAAA" + "x" * 6_795), sealed_tokens("gAAAA")
    (1000, 1)
    """
    return max(1, (len(text) - _SEALED_WRAPPER_CHARS) // _SEALED_CHARS_PER_TOKEN)


def _sealed_total(message: Mapping[str, Any], sealed: list[int]) -> int:
    reported = (message.get("meta") or {}).get("output_tokens")
    return min(sum(sealed), reported) if isinstance(reported, int) and reported > 0 else sum(sealed)


def _value(value: Any, count: Count, sealed: list[int]) -> int:
    if isinstance(value, str):
        if not _is_sealed(value):
            return count(value)
        sealed.append(sealed_tokens(value))
        return 0
    if isinstance(value, (list, tuple)):
        return sum(_value(item, count, sealed) for item in value)
    if not isinstance(value, Mapping):
        return count(_json(value))
    if _is_medium(value):
        return IMAGE_TOKENS + count(_text_inside(value))
    return FRAME_TOKENS + sum(
        _entry(key, item, count, sealed) for key, item in value.items() if item and key != "type"
    )


def _entry(key: Any, item: Any, count: Count, sealed: list[int]) -> int:
    if key in _SEALED_KEYS and isinstance(item, str):
        sealed.append(sealed_tokens(item))
        return 0
    if isinstance(item, str) and key not in ("text", "content") and _DATA_URL.match(item):
        return IMAGE_TOKENS
    if key in ("arguments", "input") and not isinstance(item, str):
        return count(_json(item))
    return _value(item, count, sealed)


def _is_sealed(text: str) -> bool:
    if not text.startswith(_SEALED_START) or len(text) < _SEALED_LEAST_CHARS:
        return False
    return text.isascii() and " " not in text


def _is_medium(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if isinstance(kind, str) and _MEDIUM.fullmatch(kind):
        return True
    if any(_MEDIUM_MIME.match(str(part.get(key) or "")) for key in _MIME_KEYS) or "b64_json" in part:
        return True
    source = part.get("source")  # of Bedrock: {"image": {"format": "png", "source": {"bytes": "..."}}}
    return isinstance(source, Mapping) and "bytes" in source


def _text_inside(part: Mapping[str, Any]) -> str:
    source = part.get("source")
    inner = source.get("data") if isinstance(source, Mapping) and source.get("type") == "text" else None
    text = inner or part.get("text")
    return text if isinstance(text, str) else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
