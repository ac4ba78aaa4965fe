"""The messages of a loop of one's own: compacted as a session would do it, and plain again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from opencollab_nb.budget.anchors import Anchors
from opencollab_nb.budget.filling import Filling
from opencollab_nb.budget.holding import holding
from opencollab_nb.budget.moves import chain_for
from opencollab_nb.budget.numbering import Labels
from opencollab_nb.messages import Message, Messages, wire
from opencollab_nb.shaping import LayerReport, ShaperPipeline
from opencollab_nb.shaping.summary import Summarizer

_LOSE_NOTHING = ("OffloadShaper", "ToolResultBudgetShaper", "ContextShedShaper")
"""Layers after which no restatement is needed: the work itself still stands there."""


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
        return any(report.acted and report.layer not in _LOSE_NOTHING for report in self.reports)

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
        shaped, self.reports = self.chain.report(held, self._filling.pressure())
        self._labels.hold_only_missing(shaped)
        return self._sent(shaped, labelled, messages)

    def _sent(self, shaped: Messages, labelled: Messages, messages: Messages) -> Messages:
        """The shaped messages as they are sent: the caller's own objects where nothing was done to them."""
        self._labels.remember(shaped)
        theirs = {id(label): message for label, message in zip(labelled, messages, strict=True)}
        sent: Messages = [theirs.get(id(m)) or wire(m) for m in shaped]  # type: ignore[misc]
        if len(sent) == len(messages) and all(a is b for a, b in zip(sent, messages, strict=True)):
            sent = messages
        self._filling.weigh(shaped, sent)
        return sent
