"""Results right behind their calls, whatever was written between them."""

from __future__ import annotations

from collections import Counter

from opencollab_nb.importers.draft import Draft
from opencollab_nb.messages import Message, tool_calls_of
from opencollab_nb.tokens.usage import Usage


class InOrder:
    """Puts messages into a draft; what comes while calls wait for their results stands behind these.

    Programs write down a user's interruption or a note as it happens, also between a call and its result; a
    provider wants the results first, and so they were sent.

    >>> from opencollab_nb.importers.source import Held, Source
    >>> draft = Draft(Source(Held(b"", "x")), "mine")
    >>> order, call = InOrder(draft), {"id": "a", "type": "function", "function": {"name": "f"}}
    >>> _ = order.reply({"role": "assistant", "content": None, "tool_calls": [call]})
    >>> order.add({"role": "user", "content": "wait"}, source="user")
    >>> order.result({"role": "tool", "tool_call_id": "a", "content": "done"})
    >>> [message["role"] for message in draft.messages]
    ['assistant', 'tool', 'user']
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._waiting: Counter[str] = Counter()
        self._held: list[tuple[Message, str]] = []

    @property
    def count(self) -> int:
        """How many messages there are, those that still wait included."""
        return len(self.draft.messages) + len(self._held)

    def reply(self, message: Message, *, usage: Usage | None = None, model: str | None = None) -> int:
        """Add a reply; returns its id."""
        self.settle()
        at = self.draft.reply(message, usage=usage, model=model)
        self._waiting = Counter(str(call.get("id") or "") for call in tool_calls_of(message))
        return at

    def result(self, message: Message, *, error: bool = False) -> None:
        """Add the result of a call."""
        self.draft.add(message, source="tool", error=error)
        call_id = str(message.get("tool_call_id") or "")
        self._waiting[call_id] -= 1
        if self._waiting[call_id] <= 0:
            del self._waiting[call_id]
        if not self._waiting:
            self.settle()

    def add(self, message: Message, *, source: str) -> None:
        """Add any other message."""
        if self._waiting:
            self._held.append((message, source))
        else:
            self.draft.add(message, source=source)

    def settle(self) -> None:
        """No more results will come: what waited for them is added now."""
        self._waiting.clear()
        for message, source in self._held:
            self.draft.add(message, source=source)
        self._held.clear()
