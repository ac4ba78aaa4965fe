"""What a session keeps beside its messages: anchors, todos, and when they are restated."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget import restate
from opencollab_nb.budget.anchors import NEVER_FOLDS_TOKENS, Anchors
from opencollab_nb.budget.filling import Filling
from opencollab_nb.budget.losses import Losses
from opencollab_nb.budget.offload.rereads import Rereads
from opencollab_nb.budget.todos import Todos
from opencollab_nb.messages import Message, with_meta
from opencollab_nb.session.folder import id_of_run
from opencollab_nb.tokens.estimate import estimate

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Event = dict[str, Any]


class Direction:
    """The fold of the events that tell of it, so that a resumed or branched run has the same.

    Everything is read from the trace as it grows; nothing here is state of its own. `budget`,
    `memory` and `moves` are what the session was given.
    """

    bench: Bench

    def __init__(self, budget: Any = None, memory: Any = None, moves: frozenset[str] = frozenset()) -> None:
        """What a session was given.

        Args:
            budget: a `ContextBudget`, or None.
            memory: a `MemoryStore`, or None.
            moves: the moves in force: `offload compact restate memory`.
        """
        self.budget, self.memory, self.moves = budget, memory, moves
        self._lock = threading.Lock()
        self._scanned = 0
        self._anchors, self._todos = Anchors(), Todos()
        self._restated: list[tuple[int, int]] = []
        self._milestone = self._compaction = -1
        self._losses = Losses()
        self.rereads = Rereads()
        """Of the messages that were looked at so far."""

    @property
    def id(self) -> str:
        """The id of the run: what the session's memories and its handoff name as their source."""
        return id_of_run(self.bench.path, self.bench.trace.stored[0]["at"])

    @property
    def anchors(self) -> Anchors:
        """All that was registered; a register of its own, which may be tried out."""
        with self._lock:
            self._scan()
            items, limit = self._anchors.to_list(), self.limit_tokens
        return Anchors.from_list(items, limit_tokens=limit, count=self._count)

    @property
    def todos(self) -> Todos:
        """The todos as they are now."""
        with self._lock:
            self._scan()
            return self._todos

    @property
    def limit_tokens(self) -> int:
        """What goal and constraints may have together."""
        return NEVER_FOLDS_TOKENS if self.budget is None else int(self.budget.anchors.limit_tokens)

    @property
    def total_tokens(self) -> int:
        """What the quotas are shares of: the window, where it is known."""
        window = self.bench.pressure.window
        if window is None and self.budget is not None:
            return int(self.budget.settings.total_budget)
        return window or self.bench.pressure.snapshot().trigger

    def filled(self) -> Any:
        """The budget, filled with what the last request held, or the first one will; None for none."""
        if self.budget is None:
            return None
        pressure = self.bench.pressure.snapshot()
        messages = self.bench.next.last_sent or self.bench.transcript.messages
        filling = Filling(replace(self.budget.settings, total_budget=self.total_tokens))
        filling.weights = pressure.weigh
        filling.tools_tokens = pressure.overhead_tokens
        filling.weigh(messages, messages)
        self.budget.filling = filling
        return self.budget

    def tail(self) -> Message | None:
        """The restatement that the next step's request ends with, where one is due; `meta` says why.

        It depends on the events alone. A request that was sent at this step before and refused, or
        cut off, has no say: what was due is due again.
        """
        if "restate" not in self.moves:
            return None
        step = self.bench.transcript.committed + 1
        with self._lock:
            self._scan()
            at, last = next(((n, s) for n, s in reversed(self._restated) if s < step), (-1, None))
            reason = restate.due(
                step,
                last,
                self.budget.settings.restate_every,
                milestone_since=self._milestone > at,
                compaction_since=self._compaction > at,
            )
            if reason is None or not (len(self._anchors) or len(self._todos)):
                return None
            text = restate.build(self._anchors, self._todos, step=step, count=self._count)
        return with_meta(restate.message(text), reason=reason)

    def _count(self, text: str) -> int:
        encoder = self.bench.pressure.encoder
        return encoder.count(text) if encoder.exact else estimate(text)

    def _scan(self) -> None:
        fresh = self.bench.trace.stored[self._scanned :]
        for event in fresh:
            self._file(event)
        self._scanned += len(fresh)

    def _file(self, event: Event) -> None:
        kind, n = event["kind"], event["n"]
        if kind == "anchor":
            self._anchors.take(anchor_in(event))
            if event["kind_of_anchor"] == "milestones":
                self._milestone = n
        elif kind == "todos":
            self._todos = Todos.from_list(event["todos"])
        elif kind == "restatement":
            self._restated.append((n, event["step"]))
        elif self._losses.new_in(event):
            self._compaction = n


def anchor_in(event: Event) -> dict[str, Any]:
    """The anchor that an event tells of, as its register takes it."""
    return {
        "kind": event["kind_of_anchor"],
        "text": event["text"],
        "number": event["number"],
        "at": event["step"],
    }
