"""Summaries that stand as a part in a message: what was said before it is no more sent."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.chat import single
from opencollab_nb.messages import Message, parts_of


def unfolded(message: Message) -> tuple[Message, str]:
    """A message without the summary that stands in it, where more does; and that summary.

    >>> folded = [{"type": "compaction", "content": "hello was said"}, {"type": "text", "text": "Hi."}]
    >>> unfolded({"role": "assistant", "content": folded})
    ({'role': 'assistant', 'content': 'Hi.'}, 'hello was said')
    """
    parts = parts_of(message.get("content"))
    told = [part for part in parts if _is_summary(part)]
    rest: list[Any] = [part for part in parts if not _is_summary(part)]
    if not told:
        return message, ""
    summary = "\n\n".join(part["content"] for part in told)
    return ({**message, "content": single(rest)} if rest else message), summary


def _is_summary(part: Any) -> bool:
    return (
        isinstance(part, dict) and part.get("type") == "compaction" and isinstance(part.get("content"), str)
    )
