"""Pins by hand: which groups count as pinned whatever their priority, and their originals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import PIN_FLOOR, Message, Messages, id_of, ids_of, is_pinned, with_meta
from opencollab_nb.shaping.groups import groups

PINNED_BY_HAND = "pinned_by_hand"
"""Key of `meta` that marks the copies in a view which stand for pinned originals."""


def pinned_copy(message: Message) -> Message:
    """The message with a priority no shaper may touch, marked as pinned by hand."""
    return message if is_pinned(message) else with_meta(message, priority=PIN_FLOOR, pinned_by_hand=True)


def whole_groups(messages: Sequence[Message], ids: Iterable[int]) -> list[tuple[int, ...]]:
    """The ids of every group that holds one of these ids.

    Raises:
        UsageProblem: (a ValueError) an id that no message has.
    """
    wanted = set(ids)
    if unknown := sorted(wanted.difference(ids_of(messages))):
        known = ids_of(messages)
        span = f"its ids are {known[0]} to {known[-1]}" if known else "it is empty"
        raise UsageProblem(f"no message of the transcript has the id {unknown[0]!r}; {span}")
    return [own for group in groups(messages) if wanted.intersection(own := tuple(ids_of(group.messages)))]


def number(messages: Sequence[Message], start: int, last: int) -> Messages:
    """The messages from position `start` on, each with an id; `last` is the id before them.

    Raises:
        UsageProblem: (a ValueError) ids that do not increase.
    """
    out = []
    for at in range(start, len(messages)):
        message = messages[at]
        own = id_of(message)
        if own is None:
            own = max(at, last + 1)
            message = with_meta(message, id=own)
        elif own <= last:
            raise UsageProblem(f"message {at} has the id {own}, after {last}; ids of a transcript increase")
        last = own
        out.append(message)
    return out


def original(source: Sequence[Message], own: int) -> Message | None:
    """The message of the transcript with this id; ids increase."""
    at = bisect_left(source, own, key=lambda m: id_of(m) or 0)
    return source[at] if at < len(source) and id_of(source[at]) == own else None
