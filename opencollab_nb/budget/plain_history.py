"""The messages of a loop of one's own: compacted as a session would do it, and plain again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from opencollab_nb.budget.anchors import Anchors
from opencollab_nb.budget.filling import Filling
from opencollab_nb.budget.holding import holding
from opencollab_nb.budget.moves import chain_for
from opencollab_nb.budget.numbering import Labels
from opencollab_nb.budget.offload.shaper import MAX_CHARS
from opencollab_nb.budget.restate import CALLED_FOR_BY
from opencollab_nb.messages import Message, Messages, text_of, wire
from opencollab_nb.shaping import LayerReport, ShaperPipeline
from opencollab_nb.shaping.groups import newest_groups
from opencollab_nb.shaping.summary import Summarizer


class PlainHistory:
    """Knows plain messages again from one call to the next, so that ids, pins and summaries last."""

    def __init__(self, filling: Filling, anchors: Anchors, summarizer: Summarizer | None) -> None:
        self._filling, self._anchors, self._summarizer = filling, anchors, summarizer
        self._labels = Labels()
        self.reports: list[LayerReport] = []
        """What each layer did in the last `compacted`."""

    @cached_property
    def chain(self) -> ShaperPipeline:
        """The shapers of the moves that are made."""
        moves = self._filling.settings.moves
        return chain_for(moves, summarizer=self._summarizer, read_back=self._labels.text)

    @property
    def originals(self) -> Mapping[int, Message]:
        """The tool results that are no longer in the request as they came, by id."""
        return self._labels.originals

    @property
    def lost_something(self) -> bool:
        """True where the last `compacted` cleared, snipped or summarized."""
        return any(report.acted and report.layer in CALLED_FOR_BY for report in self.reports)

    def expect(self, text: str, source: str) -> None:
        """A message with this text, if one comes, is the harness's own."""
        self._labels.expect(text, source)

    def labelled(self, messages: Sequence[Message]) -> Messages:
        """The messages with `meta`, as they were labelled before."""
        return self._labels.labelled(messages)

    def with_anchors(self, messages: Messages) -> Messages:
        """The messages with every anchor in force; the same list where all stand there."""
        labelled = self.labelled(messages)
        return self._sent(holding(labelled, self._anchors, self._labels.numbered), labelled, messages)

    def compacted(self, messages: Messages) -> Messages:
        """The messages after one round of the chain, with every anchor in force."""
        labelled = self.labelled(messages)
        held = holding(labelled, self._anchors, self._labels.numbered)
        self._labels.hold_results(held)
        shaped, self.reports = self.chain.report(self._as_they_came(held), self._filling.pressure())
        self._labels.hold_only_missing(shaped)
        return self._sent(shaped, labelled, messages)

    def _as_they_came(self, messages: Messages) -> Messages:
        """With the originals of long results that were cut as the newest: now they may be offloaded."""
        if "offload" not in self._filling.settings.moves or not messages:
            return messages
        newest = newest_groups(messages, 1)[0].start
        originals = {at: self._labels.original(m) for at, m in enumerate(messages[:newest]) if is_long(m)}
        cut = {at: m for at, m in originals.items() if m is not None}
        return [cut.get(at, m) for at, m in enumerate(messages)] if cut else messages

    def _sent(self, shaped: Messages, labelled: Messages, messages: Messages) -> Messages:
        """The shaped messages as they are sent: the caller's own objects where nothing was done to them."""
        self._labels.remember(shaped)
        theirs = {id(label): message for label, message in zip(labelled, messages, strict=True)}
        sent: Messages = [theirs.get(id(m)) or wire(m) for m in shaped]  # type: ignore[misc]
        if len(sent) == len(messages) and all(a is b for a, b in zip(sent, messages, strict=True)):
            sent = messages
        self._filling.weigh(shaped, sent)
        return sent


def is_long(message: Message) -> bool:
    """True for a tool result that offloading would take."""
    return message.get("role") == "tool" and len(text_of(message)) > MAX_CHARS
