"""The local estimate: what a text weighs before anybody has counted it. No tokenizer, no memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.tokens.measure import FRAME_TOKENS, IMAGE_TOKENS, measured

__all__ = ["FRAME_TOKENS", "IMAGE_TOKENS", "dense_chars", "estimate", "weigh"]

_BYTES_PER_TOKEN = 3
"""Agents' texts have 3 to 4 ASCII characters a token; a CJK character is 3 bytes and about 1 token."""
_BLOCK_CHARS = 256
_BLOCK_LINES = 4
"""Base64 in mails and keys comes in lines of 64 or 76 characters."""
_DENSE_SHARE = 0.9


def estimate(text: str) -> int:
    """Tokens of `text`, by its length: UTF-8 bytes / 3, long unbroken runs (base64, hex) twice that.

    Base64 costs about 0.7 tokens a character in o200k_base, three times what prose costs.

    >>> estimate("x" * 9), estimate("你好世界"), estimate("")
    (3, 4, 0)
    >>> estimate("Zm9vYmFy" * 1200)
    6358
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if len(text) >= _BLOCK_CHARS:
        size += dense_chars(text)
    return -(-size // _BYTES_PER_TOKEN)


def dense_chars(text: str) -> int:
    """Characters in blocks of 256 without a blank that are letters and digits nearly alone.

    >>> dense_chars("a" * 600), dense_chars("plain words " * 50)
    (512, 0)
    """
    start = dense = 0
    while len(text) - start >= _BLOCK_CHARS:
        end = start + _BLOCK_CHARS
        gap = text.rfind(" ", start, end)
        if gap >= 0:
            start = gap + 1
            continue
        if _is_dense(text[start:end]):
            dense += _BLOCK_CHARS
        start = end
    return dense


def _is_dense(block: str) -> bool:
    if not block.isascii() or block.count("\n") > _BLOCK_LINES:
        return False
    return sum(map(str.isalnum, block)) > _DENSE_SHARE * len(block)


def weigh(message: Mapping[str, Any]) -> int:
    """The local estimate of one message in tokens: every key but `meta`, so unknown keys count too.

    >>> weigh({"role": "user", "content": "x" * 30, "meta": {"id": 1}})
    14
    """
    return measured(message, estimate)
