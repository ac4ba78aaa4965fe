"""One daemon thread that flushes whatever is dirty, at most ten times a second.

A thread, because it must also run while a cell blocks the main one.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

FLUSH_SECONDS = 0.1
"""Ten flushes a second look continuous and cost little; more only fills the browser's queue."""
LOOK_SECONDS = 0.5
"""How often a panel of a running session looks for what no event tells (a shell question)."""


class Flushable(Protocol):
    """What a ticker serves."""

    def flush(self) -> bool:
        """Send what is new; True asks to be looked at again soon although nothing may happen."""
        ...

    def failed(self, problem: Exception) -> None:
        """Take what `flush` raised, to show it."""
        ...


class Ticker:
    """Calls `flush()` of each poked object, each at most once in `FLUSH_SECONDS`."""

    def __init__(self) -> None:
        self._dirty: set[Flushable] = set()
        self._watched: set[Flushable] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def poke(self, what: Flushable) -> None:
        """Have `what` flushed soon. May be called from any thread."""
        with self._lock:
            self._dirty.add(what)
            if self._thread is None or not self._thread.is_alive():  # a forked child has no thread
                self._thread = threading.Thread(target=self._serve, daemon=True, name="oc-panels")
                self._thread.start()
        self._wake.set()

    def forget(self, what: Flushable) -> None:
        """Drop `what`; no flush of it begins afterwards."""
        with self._lock:
            self._dirty.discard(what)
            self._watched.discard(what)

    def _serve(self) -> None:
        while True:
            self._wake.wait(LOOK_SECONDS if self._watched else None)
            self._wake.clear()
            with self._lock:
                due, self._dirty = self._dirty | self._watched, set()
            for what in due:
                self._flush(what)
            time.sleep(FLUSH_SECONDS)

    def _flush(self, what: Flushable) -> None:
        again = False
        try:
            again = what.flush()
        except Exception as problem:  # noqa: BLE001 - one panel's fault must not stop the others
            what.failed(problem)
        with self._lock:
            (self._watched.add if again else self._watched.discard)(what)


ticker = Ticker()
"""The one of this process."""
