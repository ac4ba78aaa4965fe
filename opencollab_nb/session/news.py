"""Events on their way to those who asked for them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]
Subscriber = Callable[[Event], None]
Failed = Callable[[Exception], None]


class News:
    """Hands each event to each subscriber, in order, one thread at a time.

    `post` only queues, so it may be called under the session's lock; `deliver` must be called
    without it. A thread that finds another one delivering leaves its events to that one, so a
    subscriber may wait for locks of its own, whoever holds them.
    """

    def __init__(self) -> None:
        self._queue: deque[Event] = deque()
        self._subscribers: dict[object, Subscriber] = {}
        self._lock = threading.Lock()
        self._deliverer: threading.Thread | None = None
        self._told: set[tuple[object, str]] = set()
        """Subscribers and the errors they are known for: one that fails at every event is shown once."""

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every event from now on to `subscriber`; returns the call that ends it."""
        key = object()
        self._subscribers[key] = subscriber
        return lambda: self._subscribers.pop(key, None) and None

    def post(self, event: Event) -> None:
        """Queue one event."""
        if self._subscribers:
            self._queue.append(event)

    def deliver(self, failed: Failed) -> None:
        """Hand out what is queued; `failed` is told what a subscriber raised, each kind of error once."""
        while self._queue:
            with self._lock:
                busy = self._deliverer
                if busy is not None and busy.is_alive():
                    return
                self._deliverer = threading.current_thread()
            try:
                while self._queue:
                    self._hand_out(self._queue.popleft(), failed)
            finally:
                with self._lock:
                    if self._deliverer is threading.current_thread():
                        self._deliverer = None

    def forget(self, thread: threading.Thread) -> None:
        """Do not wait for a thread that was left behind."""
        with self._lock:
            if self._deliverer is thread:
                self._deliverer = None

    def _hand_out(self, event: Event, failed: Failed) -> None:
        for key, subscriber in list(self._subscribers.items()):
            try:
                subscriber(event)
            except Exception as problem:  # noqa: BLE001 - what watches a run must not end it; shown as a fault
                seen = (key, type(problem).__name__)
                if seen not in self._told:
                    self._told.add(seen)
                    failed(problem)
