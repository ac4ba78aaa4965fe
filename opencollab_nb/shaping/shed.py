"""Shed: context that was put beside the conversation leaves, the least important first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from opencollab_nb.messages import PIN_FLOOR, Message, Messages, covers_of, meta_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.groups import is_stray, newest_groups
from opencollab_nb.shaping.keep import is_verbatim

_SPOKEN = frozenset({"user", "task", "reply", "tool", "summary", "restatement"})


@dataclass(frozen=True)
class ContextShedShaper:
    """Over the limit, let context messages with a priority below 70 leave, lowest first.

    A context message is a user-role message that nobody spoke: its `meta.source` is "context", or
    it carries a `meta.priority` and its source is none of the speakers'. The user's own words,
    replies, tool groups, summaries and the newest group never leave, and one user message stays.

    Loss: the whole message; the transcript still holds it.
    Model calls: none. Cache: moves the prefix at the first message that leaves.

    >>> from opencollab_nb.pressure import Pressure
    >>> notes = {"role": "user", "content": "project notes " * 999, "meta": {"priority": 30}}
    >>> question = {"role": "user", "content": "why?", "meta": {"source": "user"}}
    >>> ContextShedShaper().shape([notes, question], Pressure.of(4_000)) == [question]
    True
    """

    acts: ClassVar[str] = "over"

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages without the context that had to leave; the same object where none had to."""
        if not pressure.over(messages):
            return messages
        left = messages
        for at in sorted(_context_positions(messages), key=lambda at: _priority(messages[at])):
            fewer = [m for m in left if m is not messages[at]]
            if not any(m.get("role") == "user" for m in fewer):
                break
            left = fewer
            if not pressure.over(left):
                break
        return left


def _context_positions(messages: Messages) -> list[int]:
    newest = newest_groups(messages, 1)[0].start if messages else 0
    # Most messages are the agent's: the cheapest question first.
    spoken = [at for at, m in enumerate(messages[:newest]) if m.get("role") == "user"]
    return [at for at in spoken if is_context(messages[at]) and not is_stray(messages, at + 1)]


def is_context(message: Message) -> bool:
    """True for a message that may be shed."""
    meta = meta_of(message)
    if message.get("role") != "user" or covers_of(message) or meta.get("source") in _SPOKEN:
        return False
    if is_verbatim(message):
        return False
    priority = meta.get("priority")
    placed = isinstance(priority, (int, float)) and not isinstance(priority, bool)
    return (placed or meta.get("source") == "context") and _priority(message) < PIN_FLOOR


def _priority(message: Message) -> float:
    return meta_of(message).get("priority") or 0
