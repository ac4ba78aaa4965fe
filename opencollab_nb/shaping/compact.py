"""Compact: old groups give way to one summary. The only layer that calls a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

from opencollab_nb.errors import LayerDeclined
from opencollab_nb.messages import Message, Messages, covers_of, id_of, meta_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.asking import Asking
from opencollab_nb.shaping.by_group import ByGroup
from opencollab_nb.shaping.flat import anchors_of
from opencollab_nb.shaping.given import check_numbers, check_summarizer_of
from opencollab_nb.shaping.groups import KEEP_RECENT_GROUPS, Group, removable
from opencollab_nb.shaping.spans import joined
from opencollab_nb.shaping.summary import (
    Summarizer,
    Summary,
    fingerprint_of,
    summary_message,
    summary_text,
)
from opencollab_nb.shaping.summary_cache import SummaryCache

_LEAST_SUMMARY_TOKENS = 16
"""Room for less than one sentence is no room for a summary."""


TARGET_SHARE = 4
"""A summary that fills more than a quarter of the target leaves too little room for the work."""

_PARTS = {4: "a quarter", 8: "an eighth"}


class Compacted(NamedTuple):
    """The outcome of one compaction; `summary` is None where no summarizer was asked."""

    messages: Messages
    summary: Summary | None = None


class Room(NamedTuple):
    """What a summary message may weigh, and what that leaves for its text."""

    message_tokens: int
    text_tokens: int


@dataclass(frozen=True)
class AutoCompactShaper:
    """Over the limit, replace all old closed, unpinned groups by one summary of them.

    The summary stands where the first of them stood, in the user's role, marked as background, and
    `covers` their ids. Pinned messages stay where they are, and so does what is labelled as words that
    are kept (`keep.py`): a summary is only ever made of the process. A former summary is handed to the
    summarizer to be carried on and replaced, so summaries never nest. Without a summarizer, where
    only a former summary is left to summarize, and where the summarizer fails or its answer is empty,
    cut off, a tool call, longer than what it stands for, or over a quarter of the target, the same
    object comes back.

    Loss: all that the summary leaves out; the transcript still holds it.
    Model calls: one a round, more where the text exceeds the summarizer's `window`; none for a
    segment summarized before. Cache: moves the prefix once a round, at the summary.

    Raises:
        UsageProblem: (a ValueError) a field that cannot be used; it is named.

    >>> from opencollab_nb.pressure import Pressure
    >>> shaper = AutoCompactShaper(lambda request: "They talked.", keep_recent_groups=1)
    >>> talk = [{"role": "assistant", "content": "word " * 900, "meta": {"id": i}} for i in range(9)]
    >>> [m["meta"].get("covers") for m in shaper.shape(talk, Pressure.of(16_000))]
    [[[0, 7]], None]
    """

    acts: ClassVar[str] = "over"

    summarizer: Summarizer | None = None
    """A function of a `SummaryRequest`, or an object with `summarize(request)`; None: layer off."""
    keep_recent_groups: int = KEEP_RECENT_GROUPS
    """Newest groups that stay, as far as they fit half the target together."""
    cache_size: int = 8
    """How many summaries are remembered."""
    _cache: SummaryCache = field(init=False, compare=False, repr=False)
    _known: ByGroup[bool] = field(init=False, compare=False, repr=False, default_factory=ByGroup)

    def __post_init__(self) -> None:
        check_numbers(self, keep_recent_groups=0, cache_size=0)
        check_summarizer_of(self, "summarizer")
        object.__setattr__(self, "_cache", SummaryCache(self.cache_size))

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        """The messages with the old ones summarized; the same object where that cannot be or was refused.

        A chain calls `compact` instead, so that its report says why.
        """
        try:
            return self.compact(messages, pressure).messages
        except LayerDeclined:
            return messages

    def compact(self, messages: Messages, pressure: Pressure) -> Compacted:
        """Like `shape`, and with it what the summarizer answered.

        Raises:
            LayerDeclined: the summarizer failed, or its answer is empty, cut off, a tool call, longer
                than what it stands for, or over a quarter of the target.
        """
        if self.summarizer is None or not pressure.over(messages):
            return Compacted(messages)
        known = self._known.of(messages, lambda group: group.may_leave)
        leaving = [group for group, leaves in zip(known.groups, known.facts, strict=True) if leaves]
        region = list(removable(leaving, messages, pressure, self.keep_recent_groups))
        return self.summarized(messages, region, pressure)

    def summarized(
        self, messages: Messages, region: Sequence[Group], pressure: Pressure, share: int = TARGET_SHARE
    ) -> Compacted:
        """The messages with one summary for these groups, whether or not they are over the limit.

        Args:
            messages: the view.
            region: groups of it that may leave.
            pressure: with the weights in force.
            share: the summary weighs at most the target divided by this, 4 or 8.

        Raises:
            LayerDeclined: as in `compact`.
        """
        assert self.summarizer is not None
        positions = [at for group in region for at in range(group.start, group.stop)]
        segment = [messages[at] for at in positions]
        covers = joined(span for at in positions for span in _stands_for(messages[at], at))
        room = _room(segment, covers, pressure, share)
        if all(map(covers_of, segment)) or room.text_tokens < _LEAST_SUMMARY_TOKENS:
            return Compacted(messages)
        keys = self._cache.keys.of(segment, fingerprint_of(self.summarizer))
        key, known = keys[-1], self._cache.get(keys[-1])
        summary = known if known and _fits(known, covers, room, pressure) else None
        asked = None if summary else self._ask(segment, keys, messages, room, pressure)
        summary = summary or asked
        assert summary is not None
        new = summary_message(summary.text, covers, key=key, model=summary.model)
        if pressure.weight([new]) > room.message_tokens:
            reason = (
                f"the summary weighs {pressure.weight([new]):,} tokens; allowed are {room.message_tokens:,}: "
                f"{_PARTS[share]} of the target, and less than the {len(segment)} messages it stands for"
            )
            raise LayerDeclined(reason, summary=asked)
        self._cache.put(key, replace(summary, usage=None))
        gone = set(positions)
        placed = [
            new if at == positions[0] else m
            for at, m in enumerate(messages)
            if _stays(at, positions[0], gone)
        ]
        return Compacted(placed, asked)

    def remember(self, message: Message) -> None:
        """Take a summary from a record into the cache, as if this shaper had just made it."""
        key = meta_of(message).get("key")
        if key:
            self._cache.put(key, Summary(summary_text(message), model=meta_of(message).get("model")))

    def _ask(
        self, segment: Messages, keys: list[str], messages: Messages, room: Room, pressure: Pressure
    ) -> Summary:
        """One summary of the segment; in smaller chunks where the summarizer refuses it as too long."""
        assert self.summarizer is not None
        former, rest = self._carried_on(segment, keys)
        asking = Asking(self.summarizer, anchors_of(messages), room.text_tokens)
        return asking.about(rest, former, pressure)

    def _carried_on(self, segment: Messages, keys: list[str]) -> tuple[str | None, Messages]:
        """The text of what was summarized before, and the messages that come after it."""
        count = self._cache.longest_head(keys[:-1])
        if all(map(covers_of, segment[count:])):
            count = 0
        known = self._cache.get(keys[count - 1]) if count else None
        rest = segment[count:]
        texts = [known.text if known else "", *(summary_text(m) for m in rest if covers_of(m))]
        return "\n\n".join(filter(None, texts)) or None, [m for m in rest if not covers_of(m)]


def _stands_for(message: Message, position: int) -> list[list[int]]:
    """The ids a message stands for, in ranges; an unnumbered one counts under its position."""
    own = id_of(message)
    if own is None and covers_of(message):
        return covers_of(message)
    place = position if own is None else own
    return [[place, place]]


def _stays(at: int, first: int, gone: set[int]) -> bool:
    return at == first or at not in gone


def _room(segment: Messages, covers: list[list[int]], pressure: Pressure, share: int) -> Room:
    frame_tokens = pressure.weight([summary_message("", covers)])
    message_tokens = min(pressure.target // share, pressure.weight(segment) - 1)
    return Room(message_tokens, message_tokens - frame_tokens)


def _fits(summary: Summary, covers: list[list[int]], room: Room, pressure: Pressure) -> bool:
    return pressure.weight([summary_message(summary.text, covers)]) <= room.message_tokens
