"""A step's permission to go on. Cancelling it wakes what it waits for."""

from __future__ import annotations

import contextvars
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opencollab_nb.errors import StepCancelled

_CURRENT: contextvars.ContextVar[Ticket | None] = contextvars.ContextVar("ticket", default=None)


class Ticket:
    """Handed to models and tools as `cancel`.

    `cancel()` may come from any thread; `check()` is asked in the step's own.

    >>> ticket = Ticket()
    >>> woken = []
    >>> off = ticket.on_cancel(lambda: woken.append("socket shut"))
    >>> ticket.cancel(); woken, ticket.cancelled
    (['socket shut'], True)
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._wakers: dict[int, Callable[[], None]] = {}
        self._numbers = itertools.count()
        self.problems: list[Exception] = []
        self.listener: Callable[[str], None] | None = None
        """Hears what a model has to tell while it is waited for: that it is asked again, and why."""

    @property
    def cancelled(self) -> bool:
        """True from the first `cancel()` on."""
        return self._event.is_set()

    def cancel(self) -> None:
        """End the permission and wake what is registered. What a waker raises is kept in `problems`."""
        with self._lock:
            self._event.set()
            wakers, self._wakers = list(self._wakers.values()), {}
        for wake in wakers:
            try:
                wake()
            except Exception as problem:  # noqa: BLE001 - one waker must not keep the others asleep
                self.problems.append(problem)

    def check(self) -> None:
        """Raise `StepCancelled` if the permission has ended."""
        if self._event.is_set():
            raise StepCancelled

    def on_cancel(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Register what ends a wait (kill a child, shut a socket); returns the call that takes it back.

        Raises:
            StepCancelled: the ticket was cancelled before; `wake` has been called.
        """
        with self._lock:
            if not self._event.is_set():
                number = next(self._numbers)
                self._wakers[number] = wake
                return lambda: self._wakers.pop(number, None) and None
        wake()
        raise StepCancelled

    def wait(self, seconds: float) -> None:
        """Sleep, or raise `StepCancelled` as soon as the ticket is cancelled."""
        if self._event.wait(seconds):
            raise StepCancelled


def current_ticket() -> Ticket | None:
    """The ticket of the step this code runs in, for code that gets no `cancel` argument (summarizers)."""
    return _CURRENT.get()


def told(ticket: Ticket | None, text: str) -> None:
    """Tell whoever waits for the step what goes on in it; nobody may be listening.

    Args:
        ticket: the one that was handed on, else the current one.
        text: a sentence.

    >>> ticket, heard = Ticket(), []
    >>> ticket.listener = heard.append
    >>> told(ticket, "asked again in 0.5 s"); heard
    ['asked again in 0.5 s']
    """
    ticket = ticket or current_ticket()
    if ticket is not None and ticket.listener is not None:
        ticket.listener(text)


@contextmanager
def holding(ticket: Ticket) -> Iterator[Ticket]:
    """Make `ticket` the current one for the block."""
    token = _CURRENT.set(ticket)
    try:
        yield ticket
    finally:
        _CURRENT.reset(token)
