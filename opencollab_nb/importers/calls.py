"""A model call of a file, and what tells that another one goes on from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from opencollab_nb.messages import (
    Message,
    Messages,
    call_arguments,
    call_name,
    is_system,
    parts_of,
    tool_calls_of,
)
from opencollab_nb.tokens.usage import Usage

Key = tuple[Any, ...]


class Call(NamedTuple):
    """A model call in the chat shape."""

    messages: Messages
    """All that was sent."""
    reply: Message | None
    usage: Usage | None = None
    model: str | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    notice: str | None = None
    answer_id: str | None = None
    """What a later request may name instead of sending all again."""
    continues: str | None = None
    """The answer that this request names so."""
    seals: Sequence[str] = ()
    """The compactions that the answer holds, which only the provider can read."""
    opens: str | None = None
    """The compaction that this request has in place of what was said before it."""
    behind: int = 0
    """How many of the messages stand before that compaction's end."""


def led(messages: Messages) -> int:
    """How many system messages lead the others."""
    for at, message in enumerate(messages):
        if not is_system(message):
            return at
    return len(messages)


def key(message: Message) -> Key:
    """What a message says: equal for an answer and for the same when it is sent back.

    >>> said = {"role": "assistant", "content": "a ", "tool_calls": [{"id": "x", "function": {"name": "f"}}]}
    >>> again = {"role": "assistant", "content": [{"type": "text", "text": "a"}],
    ...     "tool_calls": [{"id": "y", "function": {"name": "f", "arguments": ""}}]}
    >>> key(said) == key(again)
    True
    """
    # Some clients write a name with its namespace in one place and without it in another.
    calls = tuple(
        (call_name(call).rpartition(".")[2], _spoken(call_arguments(call))) for call in tool_calls_of(message)
    )
    content = message.get("content")
    if isinstance(content, str):
        texts = [content]
    else:
        texts = [text for part in parts_of(content) if isinstance(text := _text(part), str)]
    return message.get("role"), hash("".join("".join(texts).split())), calls


def _text(part: Any) -> Any:
    return part.get("text") if isinstance(part, dict) else part


def _spoken(arguments: Any) -> int:
    """Arguments whatever the blanks and the order in which they are written."""
    try:
        value = json.loads(arguments) if arguments else {}
        return hash(json.dumps(value, sort_keys=True))
    except (ValueError, TypeError, RecursionError):
        return hash(str(arguments))
