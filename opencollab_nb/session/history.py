"""The past of a run, from transcript and trace alone: what was sent, by which layers, under which limits."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, each, id_of
from opencollab_nb.session.replay import fitting
from opencollab_nb.shaping.sent import SENT, grown, new_record
from opencollab_nb.shelf import Shelf
from opencollab_nb.transcript import repair

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Event = dict[str, Any]
LAYER = "session.history_compaction"
CHECKPOINT_REQUESTS = 40
"""Requests between two views that are kept, so that any other one is built in a few milliseconds."""


class History:
    """An index of the events, grown as they come, and views of requests sent.

    The lists of events and messages only grow, so they are read without the session's lock.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._lock = threading.Lock()
        self._scanned = 0
        self._requests: list[int] = []
        self._steps: list[int] = []
        """Of these requests."""
        self._making: list[int] = []
        self._anew: list[int] = []
        self._marks: dict[str, list[int]] = {"swap": [], "pressure": [], "pin": []}
        self._layers: dict[int, list[int]] = {}
        self._held: list[int] = []
        self._pending: list[int] = []
        self._checkpoints: dict[int, tuple[list[Message | int], int]] = {}
        """Views; a message that is as it is stored, by its id, so that it is not kept in memory."""

    def requests(self) -> list[Event]:
        """The request events, in order."""
        with self._lock:
            events = self._scan()
            return events.at(self._requests)

    def sent_at(self, step: int | None) -> Event:
        """The event of the request sent at a step, the last one if there were several; None: the newest.

        Raises:
            UsageProblem: none was.
        """
        with self._lock:
            events, steps = self._scan(), list(self._steps)
        if step is None and steps:
            step = steps[-1]
        at = next((at for at in range(len(steps) - 1, -1, -1) if steps[at] == step), None)
        if at is None:
            known = f"requests were sent at steps 1 to {steps[-1]}" if steps else "none was sent yet"
            raise UsageProblem(f"no request was sent at step {step!r}; {known}")
        return events[self._requests[at]]

    def before(self, event: Event) -> Event | None:
        """The request before this one."""
        with self._lock:
            events = self._scan()
            at = bisect_right(self._requests, event["n"] - 1)
        return events[self._requests[at - 1]] if at else None

    def layers(self, event: Event) -> list[Event]:
        """The layers that made this request, in order."""
        with self._lock:
            events = self._scan()
            return [events[n] for n in self._layers.get(event["n"], ())]

    def rounds(self) -> Iterator[tuple[Event | None, list[Event]]]:
        """Each request that layers acted on, with them; None for one that is not sent yet."""
        with self._lock:
            events = self._scan()
            told = [(events[n], [events[k] for k in layers]) for n, layers in self._layers.items()]
            coming = [events[n] for n in (*self._held, *self._pending)]
        yield from told
        if coming:
            yield None, coming

    def newest(self, kind: str, until: int) -> Event:
        """The newest `swap`, or event with a `pressure`, up to event `until`; the start where none is."""
        with self._lock:
            events = self._scan()
            marks = self._marks[kind]
            at = bisect_right(marks, until)
        return events[marks[at - 1]] if at else events[0]

    def pins(self, after: int, until: int) -> list[Event]:
        """The events of pins from event `after` on, up to event `until`."""
        with self._lock:
            events = self._scan()
            return [events[n] for n in self._marks["pin"] if after < n <= until]

    def pinned(self, until: int) -> frozenset[int]:
        """The ids that were pinned by hand."""
        ids: set[int] = set()
        for event in self.pins(-1, until):
            (ids.difference_update if event["how"] == "unpin" else ids.update)(each(event["ids"]))
        return frozenset(ids)

    def view(self, event: Event) -> Messages:
        """The view of a request, as it was sent."""
        with self._lock:
            view = self._view(event["n"])
        return repair(view)[0] if event["repaired"] else view

    def _scan(self) -> Shelf[Event]:
        events = self._bench.trace.stored
        fresh = events[self._scanned :]
        for event in fresh:
            self._file(event)
        self._scanned += len(fresh)
        return events

    def _file(self, event: Event) -> None:
        kind, n = event["kind"], event["n"]
        if kind in ("request", "preview"):
            self._making.append(n)
        if begins_anew(event):
            self._anew.append(n)
        if event.get("pressure"):
            self._marks["pressure"].append(n)
        if kind in self._marks:
            self._marks[kind].append(n)
        if kind == LAYER:
            self._pending.append(n)
        elif kind == "request":
            self._requests.append(n)
            self._steps.append(event["step"])
            if layers := [*self._held, *self._pending]:
                self._layers[n] = layers
            self._held, self._pending = [], []
        elif kind == "preview":
            self._held, self._pending = [*self._held, *self._pending], []
        elif kind == "swap":
            self._held, self._pending = [], []
        elif kind == "state" and event["state"] != "pausing":
            # What a step that was cut off had made is not used: it is made again.
            self._pending = []

    def _view(self, until: int) -> Messages:
        """The fold of `replay.grown` over all events, from the nearest view that is kept or begun anew."""
        self._scan()
        events, messages = self._bench.trace.stored, self._bench.transcript.stored
        kept = max((n for n in self._checkpoints if n <= until), default=-1)
        anew = bisect_right(self._anew, until)
        first = max(self._anew[anew - 1] if anew else 0, kept + 1)
        view: Messages = []
        seen = 0
        if kept >= 0 and first == kept + 1:
            held, seen = self._checkpoints[kept]
            view = [messages[m] if isinstance(m, int) else m for m in held]
        for n in self._making[bisect_left(self._making, first) : bisect_right(self._making, until)]:
            event = events[n]
            with fitting(self._bench.trace, event):
                view, seen = grown(event, view, seen, messages)
            if event["kind"] == "request" and bisect_right(self._requests, n) % CHECKPOINT_REQUESTS == 0:
                self._checkpoints[n] = ([self._by_id(m) for m in view], seen)
        return list(view)

    def _by_id(self, message: Message) -> Message | int:
        own = id_of(message)
        return message if own is None or self._bench.transcript.stored.alive(own) is not message else own


def begins_anew(event: Event) -> bool:
    """True where the view depends on nothing that was sent before."""
    record = new_record(event)
    return record is not None and (SENT in record or bool(record.get("afresh")))
