"""The view of one transcript under one chain: what the last round left, and everything since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from opencollab_nb.errors import UnknownName
from opencollab_nb.messages import Message, Messages, covers_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.compact import AutoCompactShaper
from opencollab_nb.shaping.groups import newest_groups
from opencollab_nb.shaping.late import no_longer_newest, spares_newest
from opencollab_nb.shaping.pins import Pins
from opencollab_nb.shaping.pipeline import ShaperPipeline, acts_of, chain
from opencollab_nb.shaping.records import Record, apply_record, did_more_than_grow, make_record
from opencollab_nb.shaping.report import LayerReport
from opencollab_nb.shaping.retry import Retry
from opencollab_nb.shaping.source import Source
from opencollab_nb.shaping.total import Total

MODES = ("sticky", "stateless")


class Projected(NamedTuple):
    """What is to be sent, and what the layers did to make it."""

    messages: Messages
    reports: list[LayerReport]
    """Of the layers that acted, failed, or asked a summarizer."""
    tokens: int
    record: Record | None = None
    """What `replay` needs, to be on disk before the request is sent; None while the view only grew."""

    @property
    def changed(self) -> bool:
        """True when what had been sent before is no longer the beginning of what is sent now."""
        return did_more_than_grow(self.record)


class Projection:
    """Makes each request's view from the transcript.

    `sticky`: what a round decided stays the start of the view, and later messages are appended
    unchanged until the trigger is crossed again; a step costs its new messages. `stateless`: each
    request is computed from the whole transcript, every layer compared with the trigger.

    Raises:
        UnknownName: (a ValueError) another mode.

    >>> from opencollab_nb.shaping.policies import default_pipeline
    >>> transcript = [{"role": "user", "content": "Fix the bug."}]
    >>> Projection(default_pipeline()).project(transcript, Pressure.of(16_000)).messages[0]["content"]
    'Fix the bug.'
    """

    def __init__(self, pipeline: ShaperPipeline, mode: str = "sticky") -> None:
        self._source = Source()
        self._pins = Pins()
        self._total = Total()
        self._view: Messages = []
        self._sent: Messages = []
        self._trigger: int | None = None
        self.use_mode(mode)
        self.use(pipeline)

    @property
    def pinned(self) -> frozenset[int]:
        """The ids that count as pinned by hand."""
        return self._pins.ids

    def use(self, pipeline: ShaperPipeline, *, afresh: bool = True) -> None:
        """Swap the chain. The next request is projected afresh, or goes on from the view as it is."""
        self.pipeline = pipeline
        kinds = [acts_of(shaper) for shaper in pipeline.shapers]
        self._each = [s for s, acts in zip(pipeline.shapers, kinds, strict=True) if acts == "each"]
        self._late = [s for s in self._each if spares_newest(s)]
        self._always = [s for s, acts in zip(pipeline.shapers, kinds, strict=True) if acts == "always"]
        leading = next((at for at, acts in enumerate(kinds) if acts != "each"), len(kinds))
        # The leading `each` layers have acted on every message before a round begins.
        self._in_round = pipeline.shapers[leading:]
        if afresh:
            self._forget_view()
        self._retry = Retry()

    def use_mode(self, mode: str) -> None:
        """Switch between "sticky" and "stateless"; the next request is projected afresh."""
        if mode not in MODES:
            raise UnknownName("projection mode", mode, MODES)
        self.mode = mode
        self._forget_view()

    def restart(self) -> None:
        """Forget view and transcript: the next request may be of another list of messages. Pins stay."""
        self._source = Source()
        self._forget_view()

    def project(self, messages: Sequence[Message], pressure: Pressure) -> Projected:
        """The request for the whole transcript so far.

        With nothing new and nothing done, `messages` is the very list of the last call.

        Raises:
            UsageProblem: (a ValueError) the messages do not go on from the last ones; `restart()` first.
        """
        self._source.take(messages)
        if self.mode == "stateless":
            return self._project_stateless(pressure)
        before, fresh = self._view, self._fresh()
        view, reports, back = self._grown(before, fresh, pressure)
        total = self._total.of(view, pressure)
        moved = self._trigger not in (None, pressure.trigger)
        retry = Retry() if moved or self._pins.moved or pressure.forced else self._retry
        over = pressure.forced or total > pressure.trigger
        in_round = over and (pressure.forced or total >= retry.from_tokens)
        if in_round or (moved and pressure.trigger < (self._trigger or 0)):
            limits = pressure.knowing(view, total)
            layers = self.pipeline.shapers if moved or pressure.forced else self._in_round
            view, more = _told(chain(layers, view, limits.in_round() if over else limits))
            total, reports = self._total.of(view, pressure), [*reports, *more]
            retry = retry.after(total, more, pressure) if over else retry
        record = None
        if self._afresh or moved or in_round or reports or self._pins.moved:
            facts = {"afresh": self._afresh, "to": len(self._source), "trigger": pressure.trigger}
            record = make_record([*before, *fresh], view, back, **facts, retry=list(retry))
        self._settle(view, pressure.trigger, retry)
        return Projected(self._sent, reports, total, record)

    def replay(self, record: Record, messages: Sequence[Message]) -> None:
        """Rebuild the view from a record and the transcript; no shaper and no summarizer is asked.

        Records and pins are replayed in the order in which they were made, with the chain in force
        at the time.
        """
        for shaper in self.pipeline.shapers:
            if isinstance(shaper, AutoCompactShaper):
                for summary in record["new"]:
                    shaper.remember(summary)
        self._source.take(messages, record["to"])
        if record.get("stateless"):
            self._pins.over()
            return
        if record["afresh"]:
            self._forget_view()
        view = apply_record(record, [*self._view, *self._fresh()], self._source.original)
        self._settle(self.dressed(view), record["trigger"], Retry(*record["retry"]))

    def dressed(self, messages: Iterable[Message]) -> Messages:
        """The messages with the priority that they have under the pins: marked copies of those pinned."""
        return [self._pins.dressed(m, self._source.original) for m in messages]

    def with_pins(self, messages: Messages) -> Messages:
        """A view that was made elsewhere, with the originals of all that is pinned at their places."""
        return self._pins.brought_back(messages, self._source.original, self._source.last_id)[0]

    def pin(
        self, messages: Sequence[Message], ids: Iterable[int], until: int | None = None
    ) -> tuple[int, ...]:
        """Let these messages, with their whole groups, count as pinned.

        At the next request their originals stand at their place, without a model call, and no later
        round changes them until they are unpinned. Of the transcript `until` messages count, or all.

        Returns:
            The ids that are pinned now and were not before.

        Raises:
            UsageProblem: (a ValueError) an id that no message has.
        """
        if (len(messages) if until is None else until) > len(self._source):
            self._source.take(messages, until)
        return self._pins.add(self._source.since(0), ids)

    def unpin(self, ids: Iterable[int]) -> tuple[int, ...]:
        """Let these messages, with their whole groups, count by their own priority again.

        They stay in the view as they are until a round takes them.
        """
        return self._pins.remove(ids)

    def _project_stateless(self, pressure: Pressure) -> Projected:
        source = self._source.since(0)
        source = self.dressed(source) if self._pins.ids else source
        view, reports = _told(chain(self.pipeline.shapers, source, pressure))
        asked = any(report.summary and not report.problem for report in reports)
        new = [m for m in view if covers_of(m)] if asked else []
        self._settle(view, pressure.trigger, Retry())
        record = {"stateless": True, "to": len(self._source), "new": new} if new else None
        return Projected(self._sent, reports, pressure.tokens(view), record)

    def _grown(
        self, before: Messages, fresh: Messages, pressure: Pressure
    ) -> tuple[Messages, list[LayerReport], set[int]]:
        """The view with the new messages, after the layers that need no pressure, and with the pins in it."""
        calm = replace(pressure, forced=False)
        settled, late = no_longer_newest(self._late, before, fresh, self._as_it_came, calm)
        start = _growing_from(settled)
        tail = [*settled[start:], *fresh]
        shaped, reports = _told(chain(self._each, tail, calm))
        # A layer saw only the new groups; its report speaks of the whole request.
        rest_tokens = calm.weight(settled[:start]) if reports else 0
        reports = [*late, *(report.beside(rest_tokens) for report in reports)]
        view = settled if shaped is tail and not fresh else [*settled[:start], *shaped]
        same = start if settled is before else newest_groups(before, 1)[-1].start
        self._total.grow(before, view, same, pressure)
        if self._always:
            view, more = _told(chain(self._always, view, calm))
            reports = [*reports, *more]
        if not self._pins.moved:
            return view, reports, set()
        view, back = self._pins.brought_back(view, self._source.original, self._source.last_id)
        return view, reports, back

    def _fresh(self) -> Messages:
        return self.dressed(self._source.since(self._seen))

    def _as_it_came(self, message: Message) -> Message:
        """The original of a message, with the priority it has now."""
        return self._pins.dressed(self._source.original(message["meta"]["id"]), self._source.original)

    def _settle(self, view: Messages, trigger: int, retry: Retry) -> None:
        """Make the outcome the state from which the next request goes on."""
        self._pins.over()
        same = len(view) == len(self._sent) and all(a is b for a, b in zip(view, self._sent, strict=True))
        # A copy is given away: what a caller does to the list must not reach the view.
        self._sent = self._sent if same else list(view)
        self._view, self._seen, self._trigger = view, len(self._source), trigger
        self._retry, self._afresh = retry, False

    def _forget_view(self) -> None:
        self._view, self._sent = [], []
        self._seen, self._trigger, self._retry = 0, None, Retry()
        self._afresh = True


def _told(outcome: tuple[Messages, list[LayerReport]]) -> tuple[Messages, list[LayerReport]]:
    """The messages, and only those reports that have something to tell."""
    messages, reports = outcome
    return messages, [report for report in reports if report.matters]


def _growing_from(view: Messages) -> int:
    """Where the last group starts if its results are still arriving, else the length."""
    last = newest_groups(view, 1)
    return last[-1].start if last and last[-1].open else len(view)
