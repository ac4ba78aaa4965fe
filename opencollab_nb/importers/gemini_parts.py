"""Parts of Gemini's API as messages in the chat shape."""

from __future__ import annotations

import re
from typing import Any

from opencollab_nb.importers import chat
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.messages import Message

SET_UP = re.compile(r"\s*(<session_context>|This is the Gemini CLI\.|<environment_context>)")
"""How the message begins with which the program tells where it is."""
SUMMED_UP = re.compile(r"\s*<(state_snapshot|compressed_chat_history)>")
"""How a message begins that stands for what was said before."""
_THOUGHT_KEYS = ("thought", "thoughtSignature")


def parts_of(content: Any) -> list[dict[str, Any]]:
    """A content as parts: it may be a text, one part, or a list of both.

    >>> parts_of("a"), parts_of([{"text": "a"}, "b"]), parts_of(None)
    ([{'text': 'a'}], [{'text': 'a'}, {'text': 'b'}], [])
    """
    given = content if isinstance(content, list) else [content]
    return [
        {"text": one} if isinstance(one, str) else one
        for one in given
        if isinstance(one, (str, dict)) and one
    ]


def chat_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part that is neither call nor result; a kind that is not known stays as it is, with a type.

    >>> chat_part({"text": "a", "thought": True})
    {'type': 'thinking', 'thinking': 'a'}
    >>> chat_part({"inlineData": {"mimeType": "image/png", "data": "eA=="}})["image_url"]
    {'url': 'data:image/png;base64,eA=='}
    """
    if part.get("thought") is True:
        return {"type": "thinking", "thinking": text(part.get("text"))}
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    held = mapping(part.get("inlineData"))
    if isinstance(held.get("data"), str):
        kind = text(held.get("mimeType")) or "image/png"
        if kind.startswith("image/"):
            return chat.image(f"data:{kind};base64,{held['data']}")
    kind = next((key for key in part if key not in _THOUGHT_KEYS), "part")
    return {"type": kind, **part}


def reply_of(parts: list[dict[str, Any]], calls: list[dict[str, Any]]) -> Message:
    """A reply of parts, with the calls that stand apart from them."""
    within = [mapping(part["functionCall"]) for part in parts if "functionCall" in part]
    said = [chat_part(part) for part in parts if "functionCall" not in part]
    asked = [chat.call(one.get("id"), one.get("name"), one.get("args")) for one in within]
    return chat.assistant([part for part in said if part != {"type": "text", "text": ""}], [*asked, *calls])


def result_of(answer: dict[str, Any], call_id: str) -> tuple[Message, bool]:
    """A `functionResponse` as a tool message, and whether the tool failed.

    >>> result_of({"name": "ls", "response": {"output": "a.txt"}}, "1")
    ({'role': 'tool', 'tool_call_id': '1', 'content': 'a.txt'}, False)
    """
    response = answer.get("response")
    held = mapping(response)
    told = response
    for key in ("output", "error"):
        if held.keys() == {key} and isinstance(held[key], str):
            told = held[key]
    return {"role": "tool", "tool_call_id": call_id, "content": chat.text(told)}, bool(held.get("error"))


def thought_part(thought: Any) -> dict[str, Any] | None:
    """A recorded thought as a part; None for an empty one."""
    told = mapping(thought)
    words = ": ".join(one for one in (text(told.get("subject")), text(told.get("description"))) if one)
    return {"thought": True, "text": words} if words else None
