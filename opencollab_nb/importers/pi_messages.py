"""Messages of the Pi coding agent in the chat shape."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import chat
from opencollab_nb.importers.fields import sequence, text
from opencollab_nb.messages import Message


def said(content: Any) -> Any:
    """A content as a string where it is one text, else as parts.

    >>> said([{"type": "text", "text": "a"}])
    'a'
    >>> said([{"type": "image", "data": "eA==", "mimeType": "image/png"}])
    [{'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,eA=='}}]
    """
    if isinstance(content, str):
        return content
    return chat.single([_part(block) for block in sequence(content) if isinstance(block, dict)]) or ""


def _part(block: dict[str, Any]) -> dict[str, Any]:
    kind = block.get("type")
    if kind == "text":
        return {"type": "text", "text": text(block.get("text"))}
    if kind == "image" and isinstance(block.get("data"), str):
        return chat.image(f"data:{text(block.get('mimeType')) or 'image/png'};base64,{block['data']}")
    if kind == "thinking" and "thinkingSignature" in block:
        rest = {key: value for key, value in block.items() if key != "thinkingSignature"}
        return {**rest, "signature": block["thinkingSignature"]}
    return block


def reply_of(message: dict[str, Any]) -> Message:
    """An assistant message; its content is None where it says nothing.

    >>> reply_of({"content": [{"type": "toolCall", "id": "a", "name": "ls", "arguments": {"path": "."}}]})
    {'role': 'assistant', 'content': None, 'tool_calls': [{'id': 'a', 'type': 'function', \
'function': {'name': 'ls', 'arguments': '{"path": "."}'}}]}
    """
    blocks = [block for block in sequence(message.get("content")) if isinstance(block, dict)]
    calls = [
        chat.call(block.get("id"), block.get("name"), block.get("arguments"))
        for block in blocks
        if block.get("type") == "toolCall"
    ]
    spoken = message.get("content")
    if not isinstance(spoken, str):
        spoken = said([block for block in blocks if block.get("type") != "toolCall"])
    reply: Message = {"role": "assistant", "content": spoken or None}
    if calls:
        reply["tool_calls"] = calls
    return reply


def result_of(message: dict[str, Any]) -> Message:
    """The result of a call."""
    call_id, content = text(message.get("toolCallId")), said(message.get("content"))
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def ran(message: dict[str, Any]) -> str:
    r"""A command that the user ran beside the model, as the model is told of it.

    >>> ran({"command": "ls", "output": "a\n", "exitCode": 2})
    'Ran `ls`\n```\na\n\n```\n\nCommand exited with code 2'
    """
    output = text(message.get("output"))
    told = f"Ran `{text(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        told += "\n\n(command cancelled)"
    elif isinstance(code, int) and code:
        told += f"\n\nCommand exited with code {code}"
    if message.get("truncated") is True and text(message.get("fullOutputPath")):
        told += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return told
