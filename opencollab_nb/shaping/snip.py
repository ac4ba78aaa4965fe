"""Snip: whole old tool groups leave, oldest first; user and plain assistant text stay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.by_group import ByGroup
from opencollab_nb.shaping.given import check_numbers
from opencollab_nb.shaping.groups import KEEP_RECENT_GROUPS, Group, removable


@dataclass(frozen=True)
class OldHistorySnipShaper:
    """Over the limit, let whole old tool groups leave, oldest first, until it is kept.

    A group is the calls, the text beside them and their results. The systems, the first user
    message, pinned and unanswered groups and the newest groups stay.

    Loss: what was asked, why, and the answer; the transcript still holds it.
    Model calls: none. Cache: moves the prefix once a round, at the first group that leaves.

    Raises:
        UsageProblem: (a ValueError) a field that cannot be used; it is named.

    >>> from opencollab_nb.pressure import Pressure
    >>> call = {"id": "a", "function": {"name": "grep", "arguments": "{}"}}
    >>> found = {"role": "tool", "tool_call_id": "a", "content": "a line of code " * 300}
    >>> step = [{"role": "assistant", "tool_calls": [call]}, found]
    >>> messages = [{"role": "user", "content": "go"}, *step * 9]
    >>> len(messages), len(OldHistorySnipShaper().shape(messages, Pressure.of(16_000)))
    (19, 13)
    """

    acts: ClassVar[str] = "over"

    keep_recent_groups: int = KEEP_RECENT_GROUPS
    """Newest groups that stay, as far as they fit half the target together."""
    _known: ByGroup[bool] = field(init=False, compare=False, repr=False, default_factory=ByGroup)

    def __post_init__(self) -> None:
        check_numbers(self, keep_recent_groups=0)

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages without the groups that had to leave; the same object where none had to."""
        if not pressure.over(messages):
            return messages
        total_tokens = pressure.tokens(messages)
        old = self._old(messages, pressure)
        gone: set[int] = set()
        left = messages
        for group in old:
            gone.update(range(group.start, group.stop))
            total_tokens -= pressure.weigh.total(group.messages)
            if pressure.forced or total_tokens > pressure.limit:
                continue
            left = _without(messages, gone)
            # Calibrated weights are rounded, so the running total may be a token below the true one.
            if not pressure.over(left):
                return left
        return _without(messages, gone) if gone else messages

    def _old(self, messages: Messages, pressure: Pressure) -> list[Group]:
        known = self._known.of(messages, lambda group: bool(group.calls) and group.may_leave)
        leaving = [group for group, leaves in zip(known.groups, known.facts, strict=True) if leaves]
        return list(removable(leaving, messages, pressure, self.keep_recent_groups))


def _without(messages: Messages, gone: set[int]) -> Messages:
    return [m for at, m in enumerate(messages) if at not in gone]
