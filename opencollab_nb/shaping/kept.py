"""The same object again for a message that is rewritten at every request in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opencollab_nb.messages import Message


class Kept:
    """What was made of messages the last time.

    A layer that works on the whole transcript at each request makes its messages anew each time; given
    as the objects that they were, they need be neither measured nor compared again by what follows.

    >>> kept, long = Kept(), {"role": "tool", "content": "a long result"}
    >>> def cut(message, chars):
    ...     return {**message, "content": message["content"][:chars]}
    >>> [[one], [other]] = [kept.rewritten([(long, 6)], cut) for _ in range(2)]
    >>> one is other, one["content"]
    (True, 'a long')
    """

    def __init__(self) -> None:
        self._last: dict[int, tuple[Message, Any, Message]] = {}

    def rewritten(
        self, messages: list[tuple[Message, Any]], rewrite: Callable[[Message, Any], Message]
    ) -> list[Message]:
        """What becomes of these messages.

        Args:
            messages: each with all that its rewriting depends on.
            rewrite: (message, what it depends on) -> what becomes of it; asked again only where that is
                another than the last time.
        """
        last, now, out = self._last, dict[int, tuple[Message, Any, Message]](), list[Message]()
        for message, limits in messages:
            _, known_limits, known = last.get(id(message), (None, None, None))
            if known is None or known_limits != limits:
                made = rewrite(message, limits)
                known = known if known is not None and made is not message and known == made else made
            now[id(message)] = (message, limits, known)
            out.append(known)
        self._last = now
        return out
