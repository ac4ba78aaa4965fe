"""Segment compaction: one summary for each stretch between two milestones, the oldest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from opencollab_nb.errors import LayerDeclined
from opencollab_nb.messages import Message, Messages, covers_of, is_pinned
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import AutoCompactShaper, Group
from opencollab_nb.shaping.asking import added
from opencollab_nb.shaping.compact import Compacted
from opencollab_nb.shaping.groups import removable_groups
from opencollab_nb.shaping.keep import kind_of
from opencollab_nb.shaping.summary import Summary

_TARGET_SHARE = 8
"""There are many segments: the summary of one has half the room that a single summary has."""


@dataclass(frozen=True)
class SegmentCompactShaper(AutoCompactShaper):
    """Over the limit, replace old segments, each by a summary of its own, oldest first, until it is kept.

    A segment ends at a pinned anchor of a finished milestone, so what is summarized together belongs
    together, and a summary is made once and stays as it is: work that goes on does not rewrite it.
    The stretch after the last milestone, and groups kept by `AutoCompactShaper`, stay. Put that one
    behind this one to join the summaries once they are too many.

    Loss: all that the summaries leave out; the transcript still holds it.
    Model calls: one for each segment that gives way; none for a segment summarized before.
    Cache: moves the prefix once a round, at the first segment that gives way.

    Raises:
        UsageProblem: (a ValueError) a field that cannot be used; it is named.

    >>> from opencollab_nb.budget.anchors import Anchor, anchor_message
    >>> from opencollab_nb.messages import with_meta
    >>> mark = anchor_message(Anchor("milestones", "login: tests", 1))
    >>> said = [{"role": "assistant", "content": "word " * 3_000} for _ in range(4)]
    >>> talk = [with_meta(m, id=at) for at, m in enumerate([said[0], mark, said[1], mark, *said[2:]])]
    >>> shaper = SegmentCompactShaper(lambda request: "They worked.", keep_recent_groups=1)
    >>> [m["meta"].get("covers") for m in shaper.shape(talk, Pressure.of(16_000).in_round())]
    [[[0, 0]], None, [[2, 2]], None, None, None]
    """

    cache_size: int = 64
    """How many summaries are remembered: one a segment."""

    def compact(self, messages: Messages, pressure: Pressure) -> Compacted:
        """Like `shape`, and with it what the summarizer answered.

        Raises:
            LayerDeclined: no segment gave way, and the summarizer failed or an answer was refused.
        """
        if self.summarizer is None:
            return Compacted(messages)
        done = _Rewriting(messages)
        while pressure.over(done.messages):
            segments = closed_segments(done.messages, pressure, self.keep_recent_groups)
            segment = next(filter(done.is_new, segments), None)
            if segment is None:
                break
            try:
                done.take(segment, self.summarized(done.messages, segment, pressure, _TARGET_SHARE))
            except LayerDeclined as reason:
                done.refuse(segment, reason)
        if done.messages is messages and done.refusal is not None:
            raise done.refusal
        return Compacted(done.messages, done.summary)


class _Rewriting:
    """The messages so far, which segments were tried, and what their summaries cost."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages
        self.refusal: LayerDeclined | None = None
        self.summary: Summary | None = None
        self._tried: list[Message] = []

    def is_new(self, segment: Sequence[Group]) -> bool:
        """True for a segment that is not summarized yet and was not tried."""
        first = segment[0].messages[0]
        summarized = all(covers_of(group.messages[0]) for group in segment)
        return not summarized and not any(first is message for message in self._tried)

    def take(self, segment: Sequence[Group], done: Compacted) -> None:
        self._tried.append(segment[0].messages[0])
        self.messages = done.messages
        self._add(done.summary)

    def refuse(self, segment: Sequence[Group], reason: LayerDeclined) -> None:
        self._tried.append(segment[0].messages[0])
        self.refusal = self.refusal or reason
        self._add(reason.summary)

    def _add(self, summary: object) -> None:
        if not isinstance(summary, Summary):
            return
        before = self.summary
        texts = [s.text for s in (before, summary) if s is not None and s.text]
        usage = added(before.usage if before else None, summary.usage)
        self.summary = Summary("\n\n".join(texts), usage, summary.finish_reason, summary.model)


def closed_segments(messages: Messages, pressure: Pressure, keep_recent_groups: int) -> Iterator[list[Group]]:
    """The removable groups of each stretch that a pinned milestone ends, oldest first."""
    ends = [at for at, m in enumerate(messages) if is_pinned(m) and kind_of(m) == "milestones"]
    region = removable_groups(messages, pressure, keep_recent_groups)
    for ended, segment in groupby(region, key=lambda g: sum(at < g.start for at in ends)):
        if ended < len(ends):
            yield list(segment)
