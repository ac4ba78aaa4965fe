"""A comparison at work in a thread of its own: what is done, what failed, how to stop it."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from typing import Any

from opencollab_nb.compare.holding import Holding
from opencollab_nb.compare.probes import probes_of
from opencollab_nb.compare.rows import rows_of
from opencollab_nb.compare.weighing import Weighing, weighing_of
from opencollab_nb.errors import OpenCollabError, StepCancelled
from opencollab_nb.ticket import Ticket, holding
from opencollab_nb.views.compare_choice import Combination, Wish
from opencollab_nb.views.labels import clean


class CompareRun:
    """Makes the rows of all combinations, one after another; a combination that fails is not the end.

    Args:
        wish: what to compare.
        told: called after each change, from the thread.
    """

    def __init__(self, wish: Wish, told: Callable[[], Any]) -> None:
        self.total = wish.total
        self.results: list[list[dict[str, Any]]] = []
        """The rows of each combination that is finished."""
        self.failed: list[tuple[str, str]] = []
        """Combinations that failed, and why."""
        self.done = 0
        self.state = "running"
        self.doing = ""
        self._wish, self._told = wish, told
        self._ticket = Ticket()
        self._begun, self._ended = time.monotonic(), 0.0
        self._weighed: tuple[Any, Weighing] | None = None
        self._held: tuple[Any, Holding] | None = None
        context = contextvars.copy_context()
        self._thread = threading.Thread(
            target=context.run, args=(self._work,), daemon=True, name="oc-compare"
        )

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End before the next request; what is done stays."""
        if self.state == "running":
            self.state = "pausing"
            self._ticket.cancel()
            self._told()

    def join(self, seconds: float | None = None) -> None:
        """Wait for the end."""
        self._thread.join(seconds)

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return (self._ended or time.monotonic()) - self._begun

    def _work(self) -> None:
        try:
            with holding(self._ticket):
                combinations = self._wish.combinations()
                self.total = len(combinations)
                for combination in combinations:
                    self.doing = combination.label
                    self._told()
                    self._one(combination)
                    self.done += 1
            end = "done"
        except StepCancelled:
            end = "stopped"
        except Exception as problem:  # noqa: BLE001 - a thread has no caller: the panel shows the error
            self.failed.append(("the comparison", told_of(problem)))
            end = "stopped"
        self.doing, self._ended, self.state = "", time.monotonic(), end
        self._told()

    def _one(self, one: Combination) -> None:
        self._ticket.check()
        try:
            rows = rows_of(
                one.subject,
                one.shapers,
                mode=one.mode,
                chain_name=one.chain,
                target_ratio=one.target_ratio,
                weighing=self._weighing(one),
                holding=self._holding(one) if self._wish.survival else None,
            )
            self.results.append(rows)
        except StepCancelled:
            raise
        except Exception as problem:  # noqa: BLE001 - a combination that fails is told, and is not the end
            self.failed.append((one.label, told_of(problem)))

    def _weighing(self, one: Combination) -> Weighing:
        key = (one.subject.name, one.window)
        if self._weighed is None or self._weighed[0] != key:
            self._weighed = key, weighing_of(one.subject, window=one.window)
        return self._weighed[1]

    def _holding(self, one: Combination) -> Holding:
        if self._held is None or self._held[0] != one.subject.name:
            self._held = one.subject.name, Holding(one.subject, probes_of(one.subject))
        return self._held[1]


def told_of(problem: Exception) -> str:
    """An error in a line; a bug keeps the name of its kind."""
    kind = "" if isinstance(problem, OpenCollabError) else f"{type(problem).__name__}: "
    return clean(f"{kind}{problem}", 300)
