"""Cutting the text of one message to its head and a note, in strings and in lists of parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opencollab_nb.messages import REASONING_PARTS, Message, encodable, inner_text, parts_of, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.lighter import is_lighter, is_shorter

Note = Callable[[int], str]
"""Says how many characters are missing and where they can be found."""

_ESCAPES_CHARS = 8
"""A note's line breaks and dash grow by less than this in JSON; so much more text goes."""
_PREVIEW_CHARS = 200


def cut_message(message: Message, max_chars: int, max_tokens: int, note: Note, pressure: Pressure) -> Message:
    """The message with at most `max_chars` of text and, if it can be, `max_tokens` in all.

    The very message when it fits, or when no cut makes it lighter. Parts that are no text stay
    while they fit; else they are named, the last ones first; but reasoning stays as it is.
    """
    content = message.get("content")
    size, weight = text_chars(content), pressure.weight([message])
    if not content or (size <= max_chars and weight <= max_tokens):
        return message
    # One half of a surrogate pair, or a cut between the halves, would leave nothing to send.
    content = _encodable_texts(_with_texts_outside(content))
    limit = min(max_chars, size)
    if weight > max_tokens:
        content = _with_named_parts(message, content, max_tokens, note, pressure)
        size, weight = text_chars(content), pressure.weight([with_content(message, content)])
        limit = max(1, min(max_chars, size, size * max_tokens // weight))
    while True:
        shorter = with_content(message, cut_content(content, limit, note))
        if pressure.weight([shorter]) <= max_tokens and is_lighter(shorter, message, pressure):
            return shorter
        if limit <= 1:
            return shorter if is_lighter(shorter, message, pressure) else message
        limit = limit * 3 // 4


def cut_content(content: Any, max_chars: int, note: Note) -> Any:
    """The head of all text and, where there is room for it, the note; a list stays a list."""
    if isinstance(content, str):
        return cut_text(content, max_chars, note)
    missing = text_chars(content) - max_chars
    if missing <= 0:
        return content
    room, ending = _room(max_chars, text_chars(content), note)
    out: list[Any] = []
    whole = True
    for part in parts_of(content):
        text = text_in(part)
        if text is None:
            out.append(part)
        elif whole:
            head = cut_at(text, room)
            whole, room = len(head) == len(text), room - len(head)
            head += "" if whole else ending
            if head:
                out.append(head if isinstance(part, str) else {**part, "text": head})
    return out


def cut_text(text: str, max_chars: int, note: Note) -> str:
    r"""At most `max_chars`: the head of the text and the note.

    >>> cut_text("0123456789" * 5, 30, lambda missing: f"[{missing} more]")
    '0123456789012[37 more]'
    """
    if len(text) <= max_chars:
        return text
    room, ending = _room(max_chars, len(text), note)
    return cut_at(text, room) + ending


def cut_at(text: str, chars: int) -> str:
    """The first `chars` characters; never one half of a surrogate pair."""
    if 0 < chars < len(text) and "\ud800" <= text[chars - 1] <= "\udbff":
        chars -= 1
    return text[:chars]


def text_chars(content: Any) -> int:
    """Characters of all text in a content, that inside its parts too."""
    if isinstance(content, str):
        return len(content)
    return sum(len(text_in(part) or inner_text(part) or "") for part in parts_of(content))


def text_in(part: Any) -> str | None:
    """The text of one part; None for an image, a file, reasoning or what else is no text to cut."""
    if _is_reasoning(part):
        return None
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def _with_texts_outside(content: Any) -> Any:
    """The content with parts that hold their text deeper down as plain parts of that text."""
    if isinstance(content, str):
        return content
    parts = parts_of(content)
    kind = _text_kind(parts)
    inner = {at: inner_text(part) for at, part in enumerate(parts) if text_in(part) is None}
    return [{"type": kind, "text": inner[at]} if inner.get(at) else part for at, part in enumerate(parts)]


def _text_kind(parts: list[Any]) -> str:
    """What these parts call a text: `text`, or `input_text` and `output_text`."""
    kinds = (str(p.get("type")) for p in parts if isinstance(p, dict) and text_in(p) is not None)
    return next((kind for kind in kinds if "text" in kind), "text")


def _encodable_texts(content: Any) -> Any:
    if isinstance(content, str):
        return encodable(content)
    out = []
    for part in parts_of(content):
        text = text_in(part)
        clean = text if text is None else encodable(text)
        out.append(part if clean is text else clean if isinstance(part, str) else {**part, "text": clean})
    return out


def _is_reasoning(part: Any) -> bool:
    """True for reasoning, which a provider takes back only as it came."""
    return isinstance(part, dict) and part.get("type") in REASONING_PARTS


def _room(max_chars: int, size: int, note: Note) -> tuple[int, str]:
    """How many characters of text fit, and the note; without the note where it alone would be too long."""
    room = max_chars - len(note(size)) - _ESCAPES_CHARS
    return (room, note(size - room)) if room > 0 else (max_chars, "")


def _with_named_parts(message: Message, content: Any, max_tokens: int, note: Note, pressure: Pressure) -> Any:
    """The content with parts that are no text replaced by their names until a preview of the text fits."""
    if isinstance(content, str):
        return content
    out = list(parts_of(content))
    kind = _text_kind(out)
    for at in range(len(out) - 1, -1, -1):
        preview = with_content(message, cut_content(out, _PREVIEW_CHARS, note))
        if pressure.weight([preview]) <= max_tokens:
            break
        if text_in(out[at]) is None and not _is_reasoning(out[at]):
            name = out[at].get("type", "part") if isinstance(out[at], dict) else "part"
            named = {"type": kind, "text": f"[{name} left out]"}
            out[at] = named if is_shorter({"content": [named]}, {"content": [out[at]]}) else out[at]
    return out
