"""Messages between members: numbered, in order, each in its receiver's transcript exactly once.

A message is on the disk before its sender is told that it is on its way. It counts as delivered once it
is in the receiver's transcript, under its number, or once it is the task that the receiver began with. So
what a process had not delivered when it ended, the next one finds and delivers, and nothing twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from opencollab_nb.messages import Message, meta_of
from opencollab_nb.team.log import Log

NUMBER = "letter"
"""Where a delivered message has its number, in `meta`."""
USER, TEAM = "user", "team"
"""Senders that are no members."""
MOST_CHARS = 16_000
"""What one message may have: as much as one tool result in the default chain."""


@dataclass(frozen=True)
class Letter:
    r"""One message.

    >>> Letter(3, "coder", "lead", "All tests pass.").as_text
    '[Message 3 from coder]\nAll tests pass.'
    """

    number: int
    sender: str
    to: str
    text: str
    about: str = "message"
    """`message`, `task`, `result` or `note`."""
    call: str | None = None
    """The call that sent it: the id of the reply and its place there, `17/0`."""
    outcome: str | None = None
    """Of a result: how its sender ended."""
    step: int = 0
    """Finished steps of the sender, or the one in which it was sent."""

    @property
    def as_text(self) -> str:
        """As the receiver reads it: the user's words as they are, all else with its sender."""
        if self.sender == USER:
            return self.text
        if self.about == "result":
            return f"[Result {self.number} of {self.sender}: {self.outcome}]\n{self.text}"
        if self.about == "note":
            return f"[Note {self.number} of the harness]\n{self.text}"
        what = "New task" if self.about == "task" else "Message"
        return f"[{what} {self.number} from {self.sender}]\n{self.text}"


class Mail:
    """All messages of a team, and which of them were delivered."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.RLock()
        self._waiting: dict[str, list[Letter]] = {}
        self.letters = [letter_in(event) for event in log.trace.of("message")]
        """In the order in which they were sent."""
        for letter in self.letters:
            self._waiting.setdefault(letter.to, []).append(letter)

    def send(self, sender: str, to: str, text: str, *, step: int = 0, **more: Any) -> Letter:
        """Write down a message; it waits for its delivery."""
        with self._lock:
            letter = Letter(len(self.letters) + 1, sender, to, text, step=step, **more)
            letter = letter_in(self._log.note("message", **vars(letter)))  # without secrets
            self.letters.append(letter)
            self._waiting.setdefault(to, []).append(letter)
            return letter

    def waiting(self, to: str) -> list[Letter]:
        """What was sent to a member and is not delivered, in order."""
        with self._lock:
            return list(self._waiting.get(to, ()))

    def delivered(self, letter: Letter) -> None:
        """It is in the receiver's transcript."""
        with self._lock:
            self._waiting[letter.to].remove(letter)

    def found(self, to: str, numbers: Iterable[int]) -> None:
        """These are in the receiver's transcript already."""
        known = set(numbers)
        with self._lock:
            self._waiting[to] = [one for one in self._waiting.get(to, ()) if one.number not in known]

    def sent_by(self, sender: str, call: str) -> Letter | None:
        """The message that a call has sent, where it got as far as that."""
        with self._lock:
            own = (one for one in self.letters if one.sender == sender and one.call == call)
            return next(own, None)


def letter_in(event: dict[str, Any]) -> Letter:
    """The message that an event tells of."""
    return Letter(**{name: event[name] for name in Letter.__dataclass_fields__})


def numbers_in(messages: Iterable[Message]) -> list[int]:
    """Numbers of the messages of members that a transcript holds."""
    return [number for message in messages if (number := meta_of(message).get(NUMBER)) is not None]
