"""Starts a process so that ■ cannot come between its start and the moment somebody will end it.

KeyboardInterrupt is raised in the main thread, between any two instructions: there, the start runs in a
thread of its own, and whoever is interrupted while waiting for it leaves word that it is not wanted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """What has to be closed once it is there."""

    def close(self) -> object:
        """End it."""


T = TypeVar("T", bound=Closable)


class Start(Generic[T]):
    """`wanted()` gives what `begin` made; after `leave()` it is closed, or will be as soon as it is there."""

    def __init__(self, begin: Callable[[], T]) -> None:
        self._begin = begin
        self._lock = threading.Lock()
        self._left = False
        self._made: T | None = None
        self._problem: BaseException | None = None

    def wanted(self) -> T:
        """Begin, and wait for what comes of it.

        Raises:
            BaseException: whatever `begin` raised.
        """
        if threading.current_thread() is threading.main_thread():
            thread = threading.Thread(target=self._run, daemon=True)
            thread.start()
            thread.join()
        else:
            self._run()
        if self._problem is not None:
            raise self._problem
        assert self._made is not None
        return self._made

    def leave(self) -> object:
        """It is no longer wanted; returns what its `close` returned, None where it is not there."""
        with self._lock:
            self._left = True
            made = self._made
        return None if made is None else made.close()

    def _run(self) -> None:
        try:
            made = self._begin()
        except BaseException as problem:  # noqa: BLE001 - raised again by `wanted`, in the thread that asked
            self._problem = problem
            return
        with self._lock:
            self._made = made
            left = self._left
        if left:
            made.close()
