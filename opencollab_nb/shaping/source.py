"""The transcript as a projection has seen it: every message with an id, in increasing order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, id_of, wire, with_meta
from opencollab_nb.shelf import Shelf


class Source:
    """Grows with the transcript and refuses a list that does not go on from the last one.

    >>> source = Source()
    >>> source.take([{"role": "user", "content": "go"}])
    >>> source.since(0)
    [{'role': 'user', 'content': 'go', 'meta': {'id': 0}}]
    """

    def __init__(self) -> None:
        self._messages: Messages = []
        self._shelf: Shelf[Message] | None = None
        self._length = 0
        self._last: Message | None = None

    def __len__(self) -> int:
        return self._length

    @property
    def last_id(self) -> int:
        """The id of the newest message; -1 where there is none."""
        return (id_of(self._at(self._length - 1)) or 0) if self._length else -1

    def since(self, position: int) -> Messages:
        """The messages from this position on."""
        return (self._messages if self._shelf is None else self._shelf)[position : self._length]

    def take(self, messages: Sequence[Message], until: int | None = None) -> None:
        """Add what is new in the whole transcript so far, or in so many messages of it.

        What is kept on a shelf, with its ids, is not held here too.

        Raises:
            UsageProblem: (a ValueError) the list was rewound or is another one, or ids do not increase.
        """
        seen, known = len(self), len(messages) if until is None else min(until, len(messages))
        if seen and (known < seen or not _same(messages[seen - 1], self._last)):
            raise UsageProblem(
                f"these {known} messages do not go on from the {seen} of the last request; "
                "restart() to project another transcript"
            )
        if known == seen:
            return
        if isinstance(messages, Shelf) and self._shelf is (messages if seen else None):
            self._shelf = messages
        else:
            self._messages = [*self.since(0), *self.numbered(messages[seen:known])]
            self._shelf = None
        self._length, self._last = known, messages[known - 1]

    def numbered(self, fresh: Sequence[Message]) -> Messages:
        """The messages that are new, each with an id."""
        out: Messages = []
        last = self.last_id
        for at, message in enumerate(fresh, len(self)):
            own = id_of(message)
            if own is None:
                own = max(at, last + 1)
                message = with_meta(message, id=own)
            elif own <= last:
                raise UsageProblem(
                    f"message {at} has the id {own}, after {last}; ids of a transcript increase"
                )
            out.append(message)
            last = own
        return out

    def original(self, own: int) -> Message:
        """The message with this id, as it stands in the transcript.

        Raises:
            UsageProblem: (a ValueError) there is none.
        """
        at = own if self._shelf is not None else bisect_left(self._messages, own, key=lambda m: id_of(m) or 0)
        if not 0 <= at < len(self) or id_of(self._at(at)) != own:
            raise UsageProblem(f"the transcript has no message with the id {own}; its last is {self.last_id}")
        return self._at(at)

    def _at(self, place: int) -> Message:
        return (self._messages if self._shelf is None else self._shelf)[place]


def _same(message: Message, other: Message | None) -> bool:
    """True for the message that was the last one, or an equal copy of it."""
    if message is other or other is None:
        return message is other
    return id_of(message) == id_of(other) and wire(message) == wire(other)
