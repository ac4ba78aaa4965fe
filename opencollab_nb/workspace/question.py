"""Asks the user before a command runs: allow it, run another one instead, or deny it."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable

from opencollab_nb.errors import UsageProblem
from opencollab_nb.ticket import Ticket

POLL_SECONDS = 0.1
SHOWN_CHARS = 200


class Question:
    """One command that waits; refused until somebody allows it."""

    def __init__(self, command: str, number: int, *, editable: bool) -> None:
        self.command, self.number, self.editable = command, number, editable
        self.verdict: str | None = None
        """The command to run, None to run none."""
        self._over = threading.Event()

    def answer(self, verdict: str | None) -> None:
        """The first answer counts."""
        if not self._over.is_set():
            self.verdict = verdict
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
        self._numbers = itertools.count(1)
        self._question: Question | None = None

    @property
    def question(self) -> Question | None:
        """What waits now."""
        return self._question

    def put(self, command: str, ticket: Ticket | None, *, editable: bool) -> str | None:
        """Put the question and wait; the command to run, or None where it was denied.

        Raises:
            StepCancelled: the ticket was cancelled while waiting.
        """
        while not self._turn.acquire(timeout=POLL_SECONDS):
            if ticket is not None:
                ticket.check()
        question = Question(command, next(self._numbers), editable=editable)
        try:
            self._question = question
            self._tell(command)
            question.wait(ticket)
            return question.verdict
        finally:
            self._question = None
            self._turn.release()
            self._tell(None)

    def answer(self, allowed: bool, command: str | None = None, number: int | None = None) -> None:
        """Let the waiting command run, another one in its place, or none.

        Raises:
            UsageProblem: no command is waiting, another one than that of this number, or the other
                command cannot be run in its place.
        """
        question = self._question
        if question is None:
            raise UsageProblem("no command is waiting for an answer; it may have been cancelled.")
        if number is not None and number != question.number:
            raise UsageProblem("the command that was answered no longer waits; look at the one that does.")
        if allowed and command is not None and command != question.command:
            if not question.editable:
                raise UsageProblem("only a command of bash can be changed; allow this one or deny it.")
            if not isinstance(command, str) or not command.strip():
                raise UsageProblem("the changed command is empty; deny it to run nothing.")
        question.answer((question.command if command is None else command) if allowed else None)

    def close(self) -> None:
        """Refuse what waits: nobody will be asked any more."""
        question = self._question
        if question is not None:
            question.answer(None)

    def _tell(self, command: str | None) -> None:
        if command is not None and not self.listeners:
            shown = ascii(command[:SHOWN_CHARS])
            # No panel shows it, so a run would stand still without a word.
            sys.stderr.write(
                f"The agent waits for you to allow {shown}: session.answer(True) or session.answer(False) "
                "from another thread or cell. shell='off' or shell='allow' answers beforehand.\n"
            )
        for listener in list(self.listeners):
            listener(command)
