"""What is known of each group of a list that mostly grows: only what is new or another is read again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from operator import is_
from typing import Any, Generic, NamedTuple, TypeVar

from opencollab_nb.messages import Message, Messages
from opencollab_nb.shaping.groups import Group, groups

T = TypeVar("T")


class Read(NamedTuple, Generic[T]):
    """The groups of one list, and what was read of each."""

    groups: list[Group]
    facts: list[T]


class ByGroup(Generic[T]):
    """Remembers the last list, and reads of the next one what comes after their common beginning.

    A transcript that is shaped at every request costs a step its new groups, not all of them. Messages
    are values, so a group of the same objects at the same place is the same group. One list is held.

    >>> known, talk, read = ByGroup(), [{"role": "user"}, {"role": "assistant"}], []
    >>> for more in ([], [{"role": "user"}]):
    ...     told = known.of([*talk, *more], read.append)
    >>> len(told.groups), len(read)
    (3, 4)
    """

    def __init__(self) -> None:
        self._last: tuple[Hashable, Messages, list[int], Read[T]] | None = None

    def of(self, messages: Sequence[Message], read: Callable[[Group], T], key: Hashable = None) -> Read[T]:
        """The groups and the facts of this list.

        Args:
            messages: the list.
            read: gives the facts of a group.
            key: what else they depend on; under another one all are read anew.
        """
        kept: list[Group] = []
        facts: list[T] = []
        stops: list[int] = []
        # Taken once and put back whole: two threads may shape with the same shaper.
        last = self._last
        if last is not None and last[0] == key:
            _, before, ends, known = last
            # The last group before a difference may have ended otherwise.
            count = bisect_left(ends, common_start(before, messages))
            kept, facts, stops = known.groups[:count], known.facts[:count], ends[:count]
        fresh = list(groups(messages, stops[-1] if stops else 0))
        kept += fresh
        facts += map(read, fresh)
        stops += [group.stop for group in fresh]
        told = Read(kept, facts)
        # A copy: the caller may go on to append to the list.
        self._last = (key, list(messages), stops, told)
        return told


def common_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many objects two lists have in common at their beginning.

    >>> a, b, c = object(), object(), object()
    >>> common_start([a, b, c], [a, b]), common_start([a, b], [a, c, b]), common_start([], [a])
    (2, 1, 0)
    """
    same = [*map(is_, one, other), False]
    return same.index(False)
