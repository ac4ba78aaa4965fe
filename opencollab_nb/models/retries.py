"""How long to wait before the same request is sent again, and when not to."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from opencollab_nb.ticket import Ticket


@dataclass(frozen=True)
class Retries:
    """A bounded backoff.

    >>> Retries(first_seconds=1.0, jitter=0).pause(2, None), Retries(at_most=2).pause(2, None)
    (4.0, None)
    """

    at_most: int = 3
    """Further attempts after the first."""
    first_seconds: float = 0.5
    """Pause before the second attempt; doubled each time."""
    ceiling_seconds: float = 60.0
    """The longest pause; a provider that asks for a longer one gets no further attempt."""
    jitter: float = 0.25
    """Share of a pause that is left to chance, so that many clients do not come back together."""

    def pause(self, attempt: int, asked_seconds: float | None) -> float | None:
        """Seconds before the next attempt after `attempt` (0 is the first), or None to give up."""
        if attempt >= self.at_most:
            return None
        if asked_seconds is not None:
            return asked_seconds if asked_seconds <= self.ceiling_seconds else None
        seconds = min(self.first_seconds * 2.0**attempt, self.ceiling_seconds)
        return seconds * (1 - self.jitter * random.random())


def asked_seconds(headers: Mapping[str, str]) -> float | None:
    """What `Retry-After` (seconds or a date) or `retry-after-ms` ask for; None without either.

    >>> asked_seconds({"retry-after": "2"}), asked_seconds({"retry-after-ms": "250"}), asked_seconds({})
    (2.0, 0.25, None)
    """
    for name, unit_seconds in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            return max(0.0, float(value) * unit_seconds)
        except ValueError:
            continue
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except ValueError:
        return None


def sleep(seconds: float, cancel: Ticket | None) -> None:
    """Wait; a ticket ends it at once.

    Raises:
        StepCancelled: the ticket was cancelled.
    """
    if cancel is not None:
        cancel.wait(seconds)
    else:
        time.sleep(seconds)
