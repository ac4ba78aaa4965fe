"""Groups: what may be kept or removed as one, and which of them are protected.

Pairing is by position inside a group, because ids repeat: some servers give every call the same id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from opencollab_nb.messages import Message, covers_of, is_pinned, is_system, only_thinks, tool_calls_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.keep import is_verbatim

KEEP_RECENT_GROUPS = 4
"""Newest groups that stay: the last few steps are what the agent is working on."""


class Group(NamedTuple):
    """An assistant message with its calls and the results that answer them, or any other single message.

    Reasoning that stands in a message of its own belongs to the assistant message after it.
    """

    start: int
    """Position of the first message in the list it was read from."""
    messages: Sequence[Message]
    calls: Sequence[dict[str, Any]] = ()
    results: Sequence[int | None] = ()
    """For each call the position of its result; None where it is unanswered."""

    @property
    def stop(self) -> int:
        """Position after the last message."""
        return self.start + len(self.messages)

    @property
    def speaker(self) -> Message:
        """The message that says or calls something: the first one that is more than reasoning."""
        return next((m for m in self.messages if not only_thinks(m)), self.messages[0])

    @property
    def open(self) -> bool:
        """True while a call is unanswered."""
        return None in self.results

    @property
    def stray(self) -> bool:
        """True for a result that answers no call before it."""
        return self.messages[0].get("role") == "tool"

    @property
    def pinned(self) -> bool:
        """True when any of its messages is pinned; then all of it stays."""
        return any(map(is_pinned, self.messages))

    @property
    def may_leave(self) -> bool:
        """True for a closed group with nothing pinned in it, and nothing that is kept word for word."""
        return not (self.open or self.stray or self.pinned or any(map(is_verbatim, self.messages)))


def groups(messages: Sequence[Message], start: int = 0) -> Iterator[Group]:
    """The groups from position `start` on, lazily.

    >>> call = {"id": "a", "function": {"name": "bash", "arguments": "{}"}}
    >>> result = {"role": "tool", "tool_call_id": "a", "content": "ok"}
    >>> step = [{"role": "assistant", "tool_calls": [call]}, result]
    >>> [len(group.messages) for group in groups([{"role": "user", "content": "go"}, *step])]
    [1, 2]
    """
    at = start
    while at < len(messages):
        said = at
        while leads_in(messages, said):
            said += 1
        calls = tool_calls_of(messages[said])
        stop, results = _answers(messages, said, calls)
        yield Group(at, messages[at:stop], calls, results)
        at = stop


def leads_in(messages: Sequence[Message], at: int) -> bool:
    """True for reasoning by itself before the assistant message that it led to.

    >>> thought = {"role": "assistant", "content": [{"type": "reasoning"}]}
    >>> leads_in([thought, {"role": "assistant", "content": "a"}], 0), leads_in([thought], 0)
    (True, False)
    """
    return (
        only_thinks(messages[at]) and at + 1 < len(messages) and messages[at + 1].get("role") == "assistant"
    )


def _answers(
    messages: Sequence[Message], at: int, calls: Sequence[dict[str, Any]]
) -> tuple[int, list[int | None]]:
    """Where the group that starts at `at` ends, and the position of the result of each call."""
    stop = at + 1
    results: list[int | None] = [None] * len(calls)
    if len(calls) == 1:  # by far the most frequent
        then = messages[stop] if stop < len(messages) else {}
        answers = then.get("role") == "tool" and _pair(calls[0].get("id"), then.get("tool_call_id"))
        return (stop + 1, [stop]) if answers else (stop, results)
    while calls and stop < len(messages) and messages[stop].get("role") == "tool":
        wanted = messages[stop].get("tool_call_id")
        free = (k for k, c in enumerate(calls) if results[k] is None and _pair(c.get("id"), wanted))
        answered = next(free, None)
        if answered is None:
            break
        results[answered] = stop
        stop += 1
    return stop, results


def _pair(call_id: object, answered: object) -> bool:
    """True for the same id, and where both have none: pairing is by position then."""
    return call_id == answered or not (call_id or answered)


def newest_groups(messages: Sequence[Message], count: int) -> list[Group]:
    """The last `count` groups (at least one), read from the end: costs these, not the whole list."""
    count = max(1, count)
    at, leaders = len(messages), 0
    while at and leaders < count:
        at -= 1
        leaders += messages[at].get("role") != "tool" and not leads_in(messages, at)
    while at and leads_in(messages, at - 1):
        at -= 1
    return list(groups(messages, at))[-count:]


def affordable_groups(
    messages: Sequence[Message], pressure: Pressure, at_most: int = KEEP_RECENT_GROUPS
) -> int:
    """How many of the newest groups can be protected without filling more than half the target.

    Always the newest one, whatever it weighs; never more than `at_most` (0 counts as 1).

    >>> messages = [{"role": "assistant", "content": "word " * 3_000}] * 9
    >>> [affordable_groups(messages, Pressure.of(window)) for window in (200_000, 60_000, 4_000)]
    [4, 2, 1]
    """
    room, count = pressure.target // 2, 0
    for group in reversed(newest_groups(messages, at_most)):
        room -= pressure.weight(group.messages)
        if room < 0 and count:
            break
        count += 1
    return count


def protected_from(messages: Sequence[Message], pressure: Pressure, at_most: int) -> int:
    """The position from which on all groups are protected: the affordable ones."""
    if not messages:
        return 0
    return newest_groups(messages, affordable_groups(messages, pressure, at_most))[0].start


def is_stray(messages: Sequence[Message], at: int) -> bool:
    """True where a group ended before `at` and a result stands there all the same."""
    return at < len(messages) and messages[at].get("role") == "tool"


def head_size(messages: Sequence[Message]) -> int:
    """How many leading messages always stay: the systems and the user message that follows them.

    A summary is no user message here: it stands for groups that may be summarized again.
    """
    size = next((i for i, m in enumerate(messages) if not is_system(m)), len(messages))
    spoken = size < len(messages) and messages[size].get("role") == "user" and not covers_of(messages[size])
    return size + spoken


def removable_groups(messages: Sequence[Message], pressure: Pressure, at_most: int) -> Iterator[Group]:
    """The groups that may leave, oldest first: after the head, before the protected newest ones.

    A group before a stray result stays: without it the stray could come to answer another group's call.
    """
    closed = (group for group in groups(messages, head_size(messages)) if group.may_leave)
    return removable(closed, messages, pressure, at_most)


def removable(
    closed: Iterable[Group], messages: Sequence[Message], pressure: Pressure, at_most: int
) -> Iterator[Group]:
    """Those of some closed, unpinned groups of these messages that may leave, as `removable_groups` says."""
    head, tail = head_size(messages), protected_from(messages, pressure, at_most)
    for group in closed:
        if group.start >= tail:
            return
        if group.start >= head and not is_stray(messages, group.stop):
            yield group
