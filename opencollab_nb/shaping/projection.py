"""The view of one transcript under one chain: what the last round left, and everything since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import Message, Messages, covers_of, id_of, meta_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.compact import AutoCompactShaper
from opencollab_nb.shaping.groups import newest_groups
from opencollab_nb.shaping.pins import PINNED_BY_HAND, number, original, pinned_copy, whole_groups
from opencollab_nb.shaping.pipeline import ShaperPipeline, acts_of, chain
from opencollab_nb.shaping.place import in_order, uncovering
from opencollab_nb.shaping.records import Record, apply_record, did_more_than_grow, make_record
from opencollab_nb.shaping.report import LayerReport
from opencollab_nb.shaping.retry import Retry

MODES = ("sticky", "stateless")


class Projected(NamedTuple):
    """What is to be sent, and what the layers did to make it."""

    messages: Messages
    reports: list[LayerReport]
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

    >>> from opencollab_nb.pressure import Pressure
    >>> from opencollab_nb.shaping.policies import default_pipeline
    >>> transcript = [{"role": "user", "content": "Fix the bug."}]
    >>> Projection(default_pipeline()).project(transcript, Pressure.of(16_000)).messages[0]["content"]
    'Fix the bug.'
    """

    def __init__(self, pipeline: ShaperPipeline, mode: str = "sticky") -> None:
        self._source: Messages = []
        self._last: Message | None = None
        self._pins: dict[int, tuple[int, ...]] = {}
        self._restored: set[int] = set()
        self._view: Messages = []
        self._out: Messages = []
        self._trigger: int | None = None
        self.use_mode(mode)
        self.use(pipeline)

    @property
    def pinned(self) -> frozenset[int]:
        """The ids that count as pinned by hand."""
        return frozenset(self._pins)

    def use(self, pipeline: ShaperPipeline, *, afresh: bool = True) -> None:
        """Swap the chain. The next request is projected afresh, or goes on from the view as it is."""
        self.pipeline = pipeline
        kinds = [acts_of(s) for s in pipeline.shapers]
        self._each = [s for s, acts in zip(pipeline.shapers, kinds, strict=True) if acts == "each"]
        self._always = [s for s, acts in zip(pipeline.shapers, kinds, strict=True) if acts == "always"]
        leading = next((at for at, acts in enumerate(kinds) if acts != "each"), len(kinds))
        # The leading `each` layers have acted on every message before a round begins.
        self._in_round = pipeline.shapers[leading:]
        if afresh:
            self._forget_view()

    def use_mode(self, mode: str) -> None:
        """Switch between "sticky" and "stateless"; the next request is projected afresh."""
        if mode not in MODES:
            raise UnknownName("projection mode", mode, MODES)
        self.mode = mode
        self._forget_view()

    def restart(self) -> None:
        """Forget view and transcript: the next request may be of another list of messages. Pins stay."""
        self._source, self._last = [], None
        self._forget_view()

    def project(self, messages: Sequence[Message], pressure: Pressure) -> Projected:
        """The request for the whole transcript so far.

        With nothing new and nothing done, `messages` is the very list of the last call.

        Raises:
            UsageProblem: (a ValueError) the messages do not go on from the last ones; `restart()` first.
        """
        self._take(messages)
        if self.mode == "stateless":
            return self._project_stateless(pressure)
        before, fresh = self._view, [self._as_pinned(m) for m in self._source[self._seen :]]
        view, reports = self._grown(before, fresh, pressure)
        view, back = self._with_pins(view)
        moved = self._trigger not in (None, pressure.trigger)
        if moved or self._pins_moved or pressure.forced:
            self._retry = Retry()
        total = pressure.tokens(view)
        over = pressure.over(view)
        in_round = over and (pressure.forced or total >= self._retry.from_tokens)
        if in_round or (moved and pressure.trigger < (self._trigger or 0)):
            layers = self.pipeline.shapers if moved or pressure.forced else self._in_round
            limits = pressure.knowing(view, total)
            view, more = chain(layers, view, limits.in_round() if over else limits)
            total, reports = pressure.tokens(view), [*reports, *more]
            self._retry = self._retry.after(total, more, pressure) if over else self._retry
        record = None
        if self._afresh or moved or in_round or reports or self._pins_moved:
            facts = {"afresh": self._afresh, "to": len(self._source), "trigger": pressure.trigger}
            record = make_record([*before, *fresh], view, back, **facts, retry=list(self._retry))
        self._settle(view, pressure.trigger)
        return Projected(self._out, reports, total, record)

    def replay(self, record: Record, messages: Sequence[Message]) -> None:
        """Rebuild the view from a record and the transcript; no shaper and no summarizer is asked.

        Records and pins are replayed in the order in which they were made, with the chain in force
        at the time.
        """
        for summary in record["new"]:
            for shaper in self.pipeline.shapers:
                if isinstance(shaper, AutoCompactShaper):
                    shaper.remember(summary)
        self._take(messages[: record["to"]])
        if record.get("stateless"):
            return
        if record["afresh"]:
            self._forget_view()
        grown = [*self._view, *(self._as_pinned(m) for m in self._source[self._seen :])]
        view = apply_record(record, grown, self._original)
        self._retry = Retry(*record["retry"])
        self._settle([self._as_pinned(m) for m in view], record["trigger"])

    def pin(self, messages: Sequence[Message], ids: Iterable[int]) -> tuple[int, ...]:
        """Let these messages, with their whole groups, count as pinned.

        At the next request their originals stand at their place, without a model call, and no later
        round changes them until they are unpinned.

        Returns:
            The ids that are pinned now and were not before.

        Raises:
            UsageProblem: (a ValueError) an id that no message has.
        """
        known = [*self._source, *number(messages, len(self._source), self._last_id())]
        before = self.pinned
        for group in whole_groups(known, ids):
            self._pins.update(dict.fromkeys(group, group))
        self._restored.difference_update(self._pins)
        self._pins_moved = True
        return tuple(sorted(self.pinned - before))

    def unpin(self, ids: Iterable[int]) -> tuple[int, ...]:
        """Let these messages, with their whole groups, count by their own priority again.

        They stay in the view as they are until a round takes them.
        """
        gone = {own for i in ids for own in self._pins.get(i, ())}
        for own in gone:
            del self._pins[own]
        self._pins_moved = self._pins_moved or bool(gone)
        return tuple(sorted(gone))

    def restore(self, messages: Sequence[Message], ids: Iterable[int]) -> tuple[int, ...]:
        """Like `pin`, for one request: a later round may take the messages again."""
        come = self.pin(messages, ids)
        self.unpin(come)
        self._restored.update(come)
        return come

    def _project_stateless(self, pressure: Pressure) -> Projected:
        source = [self._as_pinned(m) for m in self._source]
        view, reports = chain(self.pipeline.shapers, source, pressure)
        paid = [m for m in view if covers_of(m)] if any(r.summary and not r.problem for r in reports) else []
        self._settle(view, pressure.trigger)
        record = {"stateless": True, "to": len(self._source), "new": paid} if paid else None
        return Projected(self._out, reports, pressure.tokens(view), record)

    def _grown(
        self, before: Messages, fresh: Messages, pressure: Pressure
    ) -> tuple[Messages, list[LayerReport]]:
        """The view with the new messages, after the layers that act without pressure."""
        calm = replace(pressure, forced=False)
        start = _growing_from(before)
        tail = [*before[start:], *fresh]
        shaped, reports = chain(self._each, tail, calm)
        if reports:
            # The layer saw only the new groups; its report speaks of the whole request.
            rest_tokens = pressure.weight(before[:start])
            reports = [
                replace(
                    r, tokens_before=r.tokens_before + rest_tokens, tokens_after=r.tokens_after + rest_tokens
                )
                for r in reports
            ]
        view = before if shaped is tail and not fresh else [*before[:start], *shaped]
        if self._always:
            view, more = chain(self._always, view, calm)
            reports = [*reports, *more]
        return view, reports

    def _with_pins(self, view: Messages) -> tuple[Messages, set[int]]:
        """The view after pins moved, and the ids whose originals came back for it."""
        if not self._pins_moved:
            return view, set()
        wanted = {own for own in {*self._pins, *self._restored} if self._source and own <= self._last_id()}
        here = {own: m for m in view if (own := id_of(m)) is not None}
        back = {own for own in wanted if own not in here or wire(here[own]) != wire(self._original(own))}
        kept = [self._as_pinned(m) for m in uncovering(view, back) if id_of(m) not in back]
        return in_order([*kept, *(self._as_pinned(self._original(own)) for own in back)]), back

    def _settle(self, view: Messages, trigger: int) -> None:
        if self._restored:
            self._restored.clear()
            view = [self._as_pinned(m) for m in view]
        unchanged = len(view) == len(self._out) and all(a is b for a, b in zip(view, self._out, strict=True))
        self._out = self._out if unchanged else list(view)
        self._view, self._seen, self._trigger = view, len(self._source), trigger
        self._afresh = self._pins_moved = False

    def _as_pinned(self, message: Message) -> Message:
        """The message with the priority it has now: a copy where it is pinned by hand."""
        own = id_of(message)
        if own in self._pins or own in self._restored:
            return pinned_copy(message)
        if meta_of(message).get(PINNED_BY_HAND):
            ours = original(self._source, own) if own is not None else None
            return ours if ours is not None and wire(ours) == wire(message) else message
        return message

    def _original(self, own: int) -> Message:
        message = original(self._source, own)
        assert message is not None, f"the transcript has no message {own}"
        return message

    def _last_id(self) -> int:
        return id_of(self._source[-1]) or 0 if self._source else -1

    def _take(self, messages: Sequence[Message]) -> None:
        """Add what is new to the numbered transcript."""
        seen = len(self._source)
        if seen and (len(messages) < seen or not _same(messages[seen - 1], self._last)):
            raise UsageProblem(
                f"these {len(messages)} messages do not go on from the {seen} of the last request; "
                "restart() to project another transcript"
            )
        if len(messages) > seen:
            self._source += number(messages, seen, self._last_id())
            self._last = messages[-1]

    def _forget_view(self) -> None:
        self._view, self._out = [], []
        self._seen, self._trigger, self._retry = 0, None, Retry()
        self._afresh, self._pins_moved = True, False


def _growing_from(view: Messages) -> int:
    """Where the last group starts if its results are still arriving, else the length."""
    last = newest_groups(view, 1)
    return last[-1].start if last and last[-1].open else len(view)


def _same(message: Message, other: Message | None) -> bool:
    return message is other or (other is not None and id_of(message) == id_of(other) is not None)
