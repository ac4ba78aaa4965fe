"""How a run ends, and the states a session can be in."""

from __future__ import annotations

READY, RUNNING, PAUSING, PAUSED, DONE = "ready", "running", "pausing", "paused", "done"
IN_FLIGHT = (RUNNING, PAUSING)
BUDGET, STEP_LIMIT, OVERFLOW = "budget", "step limit", "overflow"
RECORDING = "end of the recording"
"""A replay has no more replies; that is no failure, and no success either."""
SHAPER = "shaper"
"""A shaper failed and the session was told to pause then."""
BY_USER, INTERRUPTED, FAULT = "by user", "interrupted", "fault"

GO_ON = {
    "empty": "[Your last message was empty. Go on with the task, or say that it is finished.]",
    "cut off": "[Your last message was cut off by its length limit. Go on from where it ended.]",
}
"""What the agent is told, once, after a reply that was no end."""


def stopped(reason: str) -> str:
    """The state of a run that ended before the task did.

    >>> stopped("step limit")
    'stopped(step limit)'
    """
    return f"stopped({reason})"


class Ended(Exception):
    """Raised inside a step that cannot go on, with what is to be shown; never leaves the session.

    `reason` is why the run stopped, `error` what caused it, where something failed.
    """

    def __init__(self, reason: str, detail: str, error: Exception | None = None) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.error = reason, detail, error

    @property
    def state(self) -> str:
        """The state the session is in from now on."""
        return PAUSED if self.reason == SHAPER else stopped(self.reason)
