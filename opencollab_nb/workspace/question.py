"""Asks the user before a command runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from opencollab_nb.errors import UsageProblem
from opencollab_nb.ticket import Ticket

POLL_SECONDS = 0.1


class Asking:
    """One question at a time; the step waits for the answer, and a cancelled ticket ends the wait."""

    def __init__(self) -> None:
        self.command: str | None = None
        self.listeners: list[Callable[[str | None], None]] = []
        self._turn = threading.Lock()
        self._answered = threading.Event()
        self._allowed = False

    def allowed(self, command: str, ticket: Ticket | None) -> bool:
        """Put the question and wait.

        Raises:
            StepCancelled: the ticket was cancelled while waiting.
        """
        while not self._turn.acquire(timeout=POLL_SECONDS):
            if ticket is not None:
                ticket.check()
        try:
            self._answered.clear()
            self.command = command
            self._tell(command)
            take_back = ticket.on_cancel(self._answered.set) if ticket is not None else None
            # In slices, so that ■ gets through where this waits in the main thread.
            while not self._answered.wait(POLL_SECONDS):
                pass
            if ticket is not None and take_back is not None:
                take_back()
                ticket.check()
            return self._allowed
        finally:
            self.command = None
            self._turn.release()
            self._tell(None)

    def answer(self, allowed: bool) -> None:
        """Let the waiting command run, or not.

        Raises:
            UsageProblem: no command is waiting.
        """
        if self.command is None:
            raise UsageProblem("no command is waiting for an answer; it may have been cancelled.")
        self._allowed = allowed
        self._answered.set()

    def _tell(self, command: str | None) -> None:
        for listener in list(self.listeners):
            listener(command)
