"""The team's own record: events in order, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.session.news import News
from opencollab_nb.team.events import TEAM_EVENTS
from opencollab_nb.trace import Trace

Event = dict[str, Any]
FILE = "team.jsonl"


class Log:
    """Writes one event at a time; its lock is the innermost of all, so any other may be held.

    Args:
        trace: where the events go.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.changed = threading.Event()
        """Set with every event, for whoever waits for one."""
        self.closed = False
        self._news = News()
        self._lock = threading.RLock()

    @classmethod
    def new(cls, folder: Path) -> Log:
        """A log that begins in this folder."""
        return cls(Trace(folder / FILE, kinds=TEAM_EVENTS))

    @classmethod
    def open(cls, folder: Path) -> Log:
        """The log that lies in this folder, ready to go on.

        Raises:
            TranscriptError: there is none, or it cannot be read.
        """
        return cls(Trace.open(folder / FILE, kinds=TEAM_EVENTS))

    def note(self, kind: str, *, step: int = 0, **facts: Any) -> Event:
        """Write one event; subscribers get it with the next `tell`.

        Args:
            kind: one of `TEAM_EVENTS`.
            step: the member's step that it belongs to; 0 for none.
            facts: its fields.

        Raises:
            TranscriptError: it could not be written, or the file was given back: another may write to it.
        """
        with self._lock:
            if self.closed:
                raise TranscriptError(f"{self.trace.path} is closed: nothing more is written to it from here")
            event = self.trace.add(kind, step, **facts)
            self._news.post(event)
        self.changed.set()
        return event

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Hand every event from now on to `listener`, on whatever thread; returns the call that ends it."""
        return self._news.subscribe(listener)

    def tell(self) -> None:
        """Hand events to subscribers; never called under a lock."""
        self._news.deliver(self._failed)

    def _failed(self, problem: Exception) -> None:
        self.note("fault", where="subscriber", error=type(problem).__name__, message=str(problem))

    def close(self) -> None:
        """Give the file back; nothing is written to it any more."""
        with self._lock:
            self.closed = True
            self.trace.close()
