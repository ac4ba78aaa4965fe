"""Pins by hand: groups that count as pinned whatever their priority, and stand in the view as originals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import (
    PIN_FLOOR,
    Message,
    Messages,
    id_of,
    ids_of,
    is_pinned,
    meta_of,
    wire,
    with_meta,
)
from opencollab_nb.shaping.groups import Group, groups
from opencollab_nb.shaping.place import in_order, uncovering

_MARK = "pinned_by_hand"

Original = Callable[[int], Message]


class Pins:
    """Which ids are pinned by hand, until they are unpinned."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, ...]] = {}
        self.moved = False
        """True from a pin or an unpin to the next request."""

    @property
    def ids(self) -> frozenset[int]:
        """The ids that stay pinned."""
        return frozenset(self._kept)

    def add(self, messages: Sequence[Message], ids: Iterable[int]) -> tuple[int, ...]:
        """Pin the groups of these ids; returns what is pinned now and was not before."""
        before = self.ids
        for group in whole_groups(messages, ids):
            self._kept.update(dict.fromkeys(group, group))
        self.moved = True
        return tuple(sorted(self.ids - before))

    def remove(self, ids: Iterable[int]) -> tuple[int, ...]:
        """Unpin the groups of these ids; returns what was pinned."""
        gone = {own for i in ids for own in self._kept.get(i, ())}
        for own in gone:
            del self._kept[own]
        self.moved = self.moved or bool(gone)
        return tuple(sorted(gone))

    def over(self) -> None:
        """The request is made: the pins stand in it."""
        self.moved = False

    def dressed(self, message: Message, original: Original) -> Message:
        """The message with the priority it has now: a marked copy while it is pinned by hand."""
        own = id_of(message)
        if own in self._kept:
            return message if is_pinned(message) else with_meta(message, priority=PIN_FLOOR, **{_MARK: True})
        if own is None or not meta_of(message).get(_MARK):
            return message
        ours = original(own)
        return ours if wire(ours) == wire(message) else message

    def brought_back(self, view: Messages, original: Original, last_id: int) -> tuple[Messages, set[int]]:
        """The view with the originals of all pinned ids at their places, and the ids that came back."""
        here = {own: m for m in view if (own := id_of(m)) is not None}
        wanted = {own for own in self._kept if own <= last_id}
        back = {own for own in wanted if own not in here or wire(here[own]) != wire(original(own))}
        kept = [m for m in uncovering(view, back) if id_of(m) not in back]
        return in_order([self.dressed(m, original) for m in (*kept, *map(original, back))]), back


def whole_groups(messages: Sequence[Message], ids: Iterable[int]) -> list[tuple[int, ...]]:
    """The ids of every group that holds one of these ids.

    Raises:
        UsageProblem: (a ValueError) an id that no message has.
    """
    wanted, known = set(ids), ids_of(messages)
    if unknown := wanted.difference(known):
        span = f"its ids are {known[0]} to {known[-1]}" if known else "it is empty"
        raise UsageProblem(f"no message of the transcript has the id {min(unknown)!r}; {span}")
    found = {
        (group := _group_at(messages, at)).start: group
        for at in (bisect_left(messages, one, key=_own) for one in sorted(wanted))
    }
    return [tuple(ids_of(group.messages)) for group in found.values()]


def _own(message: Message) -> int:
    return id_of(message) or 0


def _group_at(messages: Sequence[Message], at: int) -> Group:
    """The group that holds this position: read from its head on, since no group reaches over one."""
    start = at
    while start and messages[start].get("role") == "tool":
        start -= 1
    return next(group for group in groups(messages, start) if group.stop > at)
