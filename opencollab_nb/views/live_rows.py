"""The rows of the newest request's map, drawn again only where something changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from opencollab_nb.messages import Message, Messages, covers_of, id_of
from opencollab_nb.shelf import Shelf
from opencollab_nb.views.mapping import BY_HAND, ROW, STATES, row_of
from opencollab_nb.views.pages import Page, Pages
from opencollab_nb.views.reasons import Reasons
from opencollab_nb.views.sent import Sent, how


class LiveRows:
    """A row for each stored message, by its id, and between them what is only in the request.

    What a row was drawn from is not kept: what was stored can be read, and the view has what was sent.
    """

    def __init__(self, stored: Shelf[Message], reasons: Reasons) -> None:
        self._stored, self._reasons = stored, reasons
        self._weigh: Callable[[Any], int] = len
        self._base: list[bytes] = []
        self._shown: dict[int, Message] = {}
        self._covers: list[list[int]] = []
        self._extras: list[tuple[int, Message]] = []
        """Summaries and tail, each with the number of stored messages before it."""
        self._drawn = Pages()
        self._base_tokens = self._extra_tokens = 0

    def __len__(self) -> int:
        return len(self._drawn)

    @property
    def pages(self) -> Sequence[Page]:
        """All rows; a new list of pages when something changed, with the same page where nothing did."""
        return self._drawn.pages

    @property
    def sent_tokens(self) -> int:
        """Of all rows, as measured."""
        return self._base_tokens + self._extra_tokens

    def draw(
        self,
        shaped: Messages,
        until: int,
        by_hand: Collection[int | None],
        changed: set[int],
        weigh: Callable[[Any], int],
    ) -> None:
        """Bring the rows up to date.

        Args:
            shaped: the messages of the request.
            until: how many stored messages there were.
            by_hand: ids pinned by hand.
            changed: ids of which something else than the request is new.
            weigh: measured tokens of one message.
        """
        self._weigh = weigh
        self._reasons.read(self._stored, until)
        shown = {own: m for m in shaped if (own := id_of(m)) is not None and own < until}
        covers = sorted([first, last] for m in shaped for first, last in covers_of(m))
        again = {own for own in changed if own < until}
        again |= {own for own, m in self._shown.items() if shown.get(own) is not m}
        again |= {own for own, m in shown.items() if self._shown.get(own) is not m}
        again |= {own for own in apart(self._covers, covers) if own < until}
        again |= set(range(len(self._base), until))
        self._shown, self._covers = shown, covers
        self._base += [b""] * (until - len(self._base))
        for own in sorted(again):
            self._base_tokens -= tokens_of(self._base[own])
            self._base[own] = self._row(own, by_hand)
            self._base_tokens += tokens_of(self._base[own])
        self._extras = list(extras(shaped, until))
        more = [row_of(self._extra(m), self._reasons, by_hand) for _, m in self._extras]
        self._extra_tokens = sum(map(tokens_of, more))
        befores = (before for before, _ in self._extras)
        self._drawn.draw(self._base, zip(befores, more, strict=True), again)

    def sent(self, at: int) -> Sent:
        """What a row stands for."""
        for number, (before, message) in enumerate(self._extras):
            if at <= before + number:
                if at == before + number:
                    return self._extra(message)
                return self._sent(at - number)
        return self._sent(at - len(self._extras))

    def places(self, number: int) -> list[int]:
        """The rows that have this number: a message by its id, -1 the tail, another the summaries."""
        if number >= 0:
            befores = [before for before, _ in self._extras]
            return [number + bisect_right(befores, number)] if number < len(self._base) else []
        summaries = number < -1
        return [before + n for n, (before, m) in enumerate(self._extras) if bool(covers_of(m)) is summaries]

    def _row(self, own: int, by_hand: Collection[int | None]) -> bytes:
        former = self._base[own]
        if not former or own in self._shown or (ROW.unpack(former)[-1] == BY_HAND) != (own in by_hand):
            return row_of(self._judged(own), self._reasons, by_hand)
        # It is gone: all that a row holds of the message itself is in the former one.
        _, _, stored_tokens, _, kind, _, tool, pin = ROW.unpack(former)
        sent = Sent(own, self._gone(own), None, None, 0, stored_tokens)
        state = STATES.index(self._reasons.state_of(sent))
        return ROW.pack(own, 0, stored_tokens, self._reasons.why(sent), kind, state, tool, pin)

    def _judged(self, own: int) -> Sent:
        original, message = self._stored[own], self._shown.get(own)
        weight = self._weigh(original)
        if message is None:
            return Sent(own, self._gone(own), None, original, 0, weight)
        return Sent(own, how(original, message), message, original, self._weigh(message), weight)

    def _gone(self, own: int) -> str:
        at = bisect_right(self._covers, [own, len(self._base)]) - 1
        return "summarized" if at >= 0 and own <= self._covers[at][1] else "snipped"

    def _sent(self, own: int) -> Sent:
        _, sent_tokens, stored_tokens, _, _, state, _, _ = ROW.unpack(self._base[own])
        return Sent(own, STATES[state], self._shown.get(own), self._stored[own], sent_tokens, stored_tokens)

    def _extra(self, message: Message) -> Sent:
        state = "summary" if covers_of(message) else "tail"
        return Sent(id_of(message), state, message, None, self._weigh(message), 0)


def tokens_of(row: bytes) -> int:
    """Tokens sent, as measured; 0 for a row that is not drawn yet."""
    return int(ROW.unpack(row)[1]) if row else 0


def extras(shaped: Messages, until: int) -> Iterator[tuple[int, Message]]:
    """What has no place of its own in the transcript, with how many stored messages stand before it."""
    at = 0
    for message in shaped:
        own = id_of(message)
        if own is not None and own < until:
            at = max(at, own + 1)
            continue
        covers = covers_of(message)
        at = max(at, covers[0][0]) if covers and covers[0][0] < until else at
        yield at, message


def apart(one: Iterable[list[int]], other: Iterable[list[int]]) -> Iterator[int]:
    """The numbers that are in the one or the other of two lists of closed ranges, not in both.

    >>> list(apart([[1, 5]], [[1, 3], [5, 7]]))
    [4, 6, 7]
    """
    edges = sorted(edge for first, last in (*one, *other) for edge in (first, last + 1))
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        yield from range(begin, end)
