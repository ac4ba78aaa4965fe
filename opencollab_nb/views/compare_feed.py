"""What a compare panel sends: its state whole when a browser asks, then as far as it changed."""

from __future__ import annotations

import threading
from typing import Any

from opencollab_nb.views.compare_state import CompareState
from opencollab_nb.views.compare_widget import COMPARE_CODE, COMPARE_STYLE
from opencollab_nb.views.state import changed
from opencollab_nb.views.widget import code_message


class CompareFeed:
    """Says what to send.

    Args:
        state: what is shown.
        lock: that of whoever changes it; taken after that of the messages, never before.
    """

    def __init__(self, state: CompareState, lock: threading.RLock) -> None:
        self._state, self._lock = state, lock
        self._sent: dict[str, Any] = {}

    @property
    def problem(self) -> str:
        """What went wrong, as the page shows it."""
        return self._state.problem

    @problem.setter
    def problem(self, text: str) -> None:
        with self._lock:
            self._state.problem = text

    def state(self) -> dict[str, Any]:
        """Everything on the page."""
        with self._lock:
            return self._state.tell()

    def code(self) -> dict[str, Any]:
        """The panel's own code and style."""
        return code_message(COMPARE_CODE, COMPARE_STYLE)

    def full(self) -> dict[str, Any]:
        """All that a browser needs to draw; nothing here has rows, marks or a log."""
        self._sent = self.state()
        return {"kind": "full", "rows": [], "marks": [], "log": [], "state": self._sent}

    def news(self) -> dict[str, Any]:
        """What changed since the last message."""
        state = self.state()
        news = changed(self._sent, state)
        self._sent = state
        return {"state": news} if news else {}
