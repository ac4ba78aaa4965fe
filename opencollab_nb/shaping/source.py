"""The transcript as a projection has seen it: every message with an id, in increasing order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, id_of, wire, with_meta


class Source:
    """Grows with the transcript and refuses a list that does not go on from the last one.

    >>> source = Source()
    >>> source.take([{"role": "user", "content": "go"}])
    >>> source.since(0)
    [{'role': 'user', 'content': 'go', 'meta': {'id': 0}}]
    """

    def __init__(self) -> None:
        self._messages: Messages = []
        self._last: Message | None = None

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def last_id(self) -> int:
        """The id of the newest message; -1 where there is none."""
        return (id_of(self._messages[-1]) or 0) if self._messages else -1

    def since(self, position: int) -> Messages:
        """The messages from this position on."""
        return self._messages[position:]

    def take(self, messages: Sequence[Message]) -> None:
        """Add what is new in the whole transcript so far.

        Raises:
            UsageProblem: (a ValueError) the list was rewound or is another one, or ids do not increase.
        """
        seen = len(self)
        if seen and (len(messages) < seen or not _same(messages[seen - 1], self._last)):
            raise UsageProblem(
                f"these {len(messages)} messages do not go on from the {seen} of the last request; "
                "restart() to project another transcript"
            )
        if len(messages) > seen:
            self._messages += self.numbered(messages)
            self._last = messages[-1]

    def numbered(self, messages: Sequence[Message]) -> Messages:
        """The messages that are new, each with an id."""
        out: Messages = []
        last = self.last_id
        for at in range(len(self), len(messages)):
            message = messages[at]
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
        at = bisect_left(self._messages, own, key=lambda m: id_of(m) or 0)
        if at == len(self) or id_of(self._messages[at]) != own:
            raise UsageProblem(f"the transcript has no message with the id {own}; its last is {self.last_id}")
        return self._messages[at]


def _same(message: Message, other: Message | None) -> bool:
    """True for the message that was the last one, or an equal copy of it."""
    if message is other or other is None:
        return message is other
    return id_of(message) == id_of(other) and wire(message) == wire(other)
