"""Asks the user before a command runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from opencollab_nb.errors import UsageProblem
from opencollab_nb.ticket import Ticket

POLL_SECONDS = 0.1


class Question:
    """One command that waits; refused until somebody allows it."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.allowed = False
        self._over = threading.Event()

    def answer(self, allowed: bool) -> None:
        """The first answer counts."""
        if not self._over.is_set():
            self.allowed = allowed
            self._over.set()

    def wait(self, ticket: Ticket | None) -> None:
        """Until answered.

        Raises:
            StepCancelled: the ticket was cancelled.
        """
        # In slices, so that ■ gets through where this waits in the main thread.
        while not self._over.wait(POLL_SECONDS):
            if ticket is not None:
                ticket.check()


class Asking:
    """Puts one question at a time."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[str | None], None]] = []
        self._turn = threading.Lock()
        self._question: Question | None = None

    @property
    def command(self) -> str | None:
        """The command that waits now."""
        question = self._question
        return None if question is None else question.command

    def allowed(self, command: str, ticket: Ticket | None) -> bool:
        """Put the question and wait.

        Raises:
            StepCancelled: the ticket was cancelled while waiting.
        """
        while not self._turn.acquire(timeout=POLL_SECONDS):
            if ticket is not None:
                ticket.check()
        question = Question(command)
        try:
            self._question = question
            self._tell(command)
            question.wait(ticket)
            return question.allowed
        finally:
            self._question = None
            self._turn.release()
            self._tell(None)

    def answer(self, allowed: bool) -> None:
        """Let the waiting command run, or not.

        Raises:
            UsageProblem: no command is waiting.
        """
        question = self._question
        if question is None:
            raise UsageProblem("no command is waiting for an answer; it may have been cancelled.")
        question.answer(allowed)

    def close(self) -> None:
        """Refuse what waits: nobody will be asked any more."""
        question = self._question
        if question is not None:
            question.answer(False)

    def _tell(self, command: str | None) -> None:
        for listener in list(self.listeners):
            listener(command)
