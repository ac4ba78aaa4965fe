"""What each move has saved, and what it cost, against sending the whole transcript at each step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from opencollab_nb.budget.offload import READ_RESULT
from opencollab_nb.budget.recorded import LAYER, OFFLOADING, Event, Scales, Sent, requests_sent
from opencollab_nb.budget.todo_tool import TODO
from opencollab_nb.messages import Message, Messages, call_name, each, id_of, meta_of, tool_calls_of, wire

CAP = "ToolResultBudgetShaper"
PARTS = ("offload", "cap", "compact", "restate", "memory", "other")
"""The four moves, the cap that every chain has, and what none of them explains."""
HARNESS_TOOLS = {"read_result": "offload", "todo": "restate", "recall": "memory"}
_BY_SOURCE = {"anchor": "restate", "handoff": "memory", "memory": "memory"}


@dataclass(frozen=True)
class Billed:
    """One call for a step: what was reported, and what it would have been without management."""

    step: int
    sent: Sent = field(repr=False)
    usage: Event = field(repr=False)
    """The `usage` event."""
    unmanaged_tokens: float
    """Input where the whole transcript is sent; 0 for a step that only the moves' own tools asked for."""
    unmanaged_old_tokens: float
    """The part of it that the request before had held too."""
    common_tokens: float
    """The beginning that the request shares with the one before, as it was sent."""
    saved: Mapping[str, float] = field(repr=False)
    """Input tokens by part; less than 0 where it cost more than it saved."""
    saved_old: Mapping[str, float] = field(repr=False)
    """The part of it that the request before would have held too."""
    moved: Mapping[str, float] = field(repr=False)
    """Tokens that were sent before and could not be cached, since the part had changed what stands before."""


def billed(events: Sequence[Event], messages: Messages) -> Iterator[Billed]:
    """One entry for each model call of a step, in order.

    All weights are scaled so that those of a request add up to the input that was reported.

    Args:
        events: of the run's trace, from its start.
        messages: of its transcript, with `meta`.
    """
    account = _Account(events, messages)
    newest: Sent | None = None
    requests = requests_sent(events, messages)
    for event in events:
        if event["kind"] == "request":
            newest = next(requests)
            account.follow(newest)
        elif event["kind"] == "usage" and event["purpose"] == "step" and newest is not None:
            yield account.entry(newest, event)


class _Account:
    """What is known at each request: who took which message away, and what stood in the request before."""

    def __init__(self, events: Sequence[Event], messages: Messages) -> None:
        self._scales, self._messages = Scales(events), messages
        self._owner: dict[int, str] = {}
        self._bearer = bearers(events, messages)
        self._only_tools = steps_of_tools(messages)
        self._chain: Event = events[0]
        self._moves = offered_by(events[0])
        self._events, self._until = events, 0
        self._before: Messages = []
        self._stored_before = 0
        self._raw: list[int] = [0]
        self._summed = 0

    def follow(self, sent: Sent) -> None:
        """Take up what happened until this request."""
        for event in self._events[self._until : sent.event["n"]]:
            if event["kind"] == "swap":
                self._chain = event
        self._until = sent.event["n"]
        for layer in sent.layers:
            for name in ("removed", "rewritten", "covered"):
                self._owner.update(dict.fromkeys(each(layer[name]), part_of(layer["layer"])))

    def entry(self, sent: Sent, usage: Event) -> Billed:
        """The entry of one call."""
        pressure = self._scales.at(sent.event)
        raw, ratio = pressure.weigh.scaled(1.0), pressure.weigh.ratio
        stored = sent.event["stored"]
        weighed = pressure.overhead_tokens + ratio * (raw.unscaled(sent.messages) or 0)
        factor = (usage["input_tokens"] / weighed if weighed else 1.0) * ratio
        overhead = pressure.overhead_tokens * factor / ratio
        saved: defaultdict[str, float] = defaultdict(float)
        old: defaultdict[str, float] = defaultdict(float)
        here: dict[int, Message] = {i: m for m in sent.view if (i := id_of(m)) is not None}
        for own in (i for i in self._owner if i < stored and i not in self._bearer):
            held = here.get(own)
            gone = raw(self._messages[own]) - (raw(held) if held is not None else 0)
            saved[self._owner[own]] += gone * factor
            old[self._owner[own]] += gone * factor * (own < self._stored_before)
        before = set(map(id, self._before))
        for message in sent.view:
            part = self._bearer.get(id_of(message), None) if id_of(message) is not None else "compact"
            if part is not None:
                cost = raw(message) * factor
                saved[part] -= cost
                old[part] -= cost * self._was_sent(message, before)
        schemas = {part: self._schemas[part] * factor for part in self._offered()}
        for part, cost in schemas.items():
            saved[part] -= cost
            old[part] -= cost * bool(self._before)
        if sent.tail is not None and meta_of(sent.tail).get("source") != "steering":
            saved["restate"] -= raw(sent.tail) * factor
        common = self._common(sent.view)
        shared = sum(map(raw, sent.view[:common])) * factor + overhead * bool(self._before)
        moved = self._moved(sent, common, before, raw, factor)
        plain = overhead - sum(schemas.values())
        total = plain + self._unmanaged(raw, stored) * factor
        total_old = plain * bool(self._before) + self._unmanaged(raw, self._stored_before) * factor
        bearer = self._only_tools.get(sent.step)
        if bearer is not None:
            # Without the move this whole step would not have been.
            saved = defaultdict(float, {bearer: -float(usage["input_tokens"])})
            old = defaultdict(float, {bearer: -shared})
            total = total_old = 0.0
            moved = {}
        saved["other"] += total - sum(saved.values()) - usage["input_tokens"]
        self._before, self._stored_before = sent.view, stored
        return Billed(sent.step, sent, usage, total, total_old, shared, saved, old, moved)

    @cached_property
    def _schemas(self) -> dict[str, int]:
        """What the schemas of the moves' own tools weigh."""
        from opencollab_nb.budget.memory import RECALL

        schemas = {"offload": READ_RESULT, "restate": TODO, "memory": RECALL}
        return {part: self._scales.schema_tokens(schema) for part, schema in schemas.items()}

    def _offered(self) -> Iterator[str]:
        """The moves whose own tools this request offers."""
        if any(str(spec["shaper"]).endswith(f":{OFFLOADING}") for spec in self._chain["chain"]):
            yield "offload"
        yield from (part for part in ("restate", "memory") if part in self._moves)

    def _unmanaged(self, raw: Any, stored: int) -> int:
        """Weight of the first messages of the transcript without what only the moves put there."""
        while self._summed < stored:
            own = 0 if self._summed in self._bearer else raw(self._messages[self._summed])
            self._raw.append(self._raw[-1] + own)
            self._summed += 1
        return self._raw[stored]

    def _was_sent(self, message: Message, before: set[int]) -> bool:
        own = id_of(message)
        return own < self._stored_before if own is not None else id(message) in before

    def _common(self, view: Messages) -> int:
        """How many messages stand at the beginning of this request as they did in the one before."""
        for at, (old, new) in enumerate(zip(self._before, view, strict=False)):
            if old is not new and wire(old) != wire(new):
                return at
        return min(len(self._before), len(view))

    def _moved(self, sent: Sent, common: int, before: set[int], raw: Any, factor: float) -> dict[str, float]:
        tokens = sum(raw(m) for m in sent.view[common:] if self._was_sent(m, before)) * factor
        acting = [part_of(layer["layer"]) for layer in sent.layers if acted(layer)]
        part = next((part for part in ("compact", "offload", "cap") if part in acting), "other")
        return {part: tokens}


def part_of(layer: str) -> str:
    """Which part a layer of the chain belongs to.

    >>> part_of("OffloadShaper"), part_of("OldHistorySnipShaper"), part_of("ToolResultBudgetShaper")
    ('offload', 'compact', 'cap')
    """
    return {OFFLOADING: "offload", CAP: "cap"}.get(layer, "compact")


def acted(layer: Event) -> bool:
    """True where a layer made the request another one."""
    changed = any(layer[name] for name in ("removed", "rewritten", "covered"))
    return changed or layer["tokens_before"] != layer["tokens_after"]


def offered_by(start: Event) -> frozenset[str]:
    """The moves that a session was given, as its start tells."""
    moves = set((start.get("budget") or {}).get("moves", ()))
    if start.get("budget") is None and start.get("memory") is not None:
        moves = {"memory"}
    return frozenset(moves if start.get("memory") is not None else moves - {"memory"})


def bearers(events: Sequence[Event], messages: Messages) -> dict[int | None, str]:
    """The messages that only a move put into the transcript, by id: anchors, memory, answers of its tools."""
    found: dict[int | None, str] = {}
    names = {event["message_id"]: event["name"] for event in events if event["kind"] == "tool"}
    for message in messages:
        own, source = id_of(message), meta_of(message).get("source")
        if source in _BY_SOURCE:
            found[own] = _BY_SOURCE[str(source)]
        elif names.get(own) in HARNESS_TOOLS:
            found[own] = HARNESS_TOOLS[names[own]]
        elif (part := only_tools(message)) is not None:
            found[own] = part
    return found


def only_tools(message: Message) -> str | None:
    """The move whose tools are all that this reply asks for; None for any other message."""
    calls = [call_name(call) for call in tool_calls_of(message)]
    return HARNESS_TOOLS[calls[0]] if calls and all(name in HARNESS_TOOLS for name in calls) else None


def steps_of_tools(messages: Messages) -> dict[int, str]:
    """The steps that asked for nothing but the moves' own tools."""
    parts = ((meta_of(message).get("step"), only_tools(message)) for message in messages)
    return {step: part for step, part in parts if step is not None and part is not None}


def layers_acted(events: Sequence[Event]) -> list[Event]:
    """The layers that changed a request."""
    return [event for event in events if event["kind"] == LAYER and acted(event)]
