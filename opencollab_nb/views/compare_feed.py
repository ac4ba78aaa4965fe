"""What a compare panel sends: its state whole when a browser asks, then as far as it changed."""

from __future__ import annotations

import threading
from typing import Any

from opencollab_nb.views.compare_state import CompareState
from opencollab_nb.views.compare_widget import COMPARE_CODE, COMPARE_STYLE
from opencollab_nb.views.state import changed
from opencollab_nb.views.widget import code_message


class CompareFeed:
    """Says what to send; `lock` is that of whoever changes the state."""

    def __init__(self, state: CompareState, lock: threading.RLock) -> None:
        self._state, self._lock = state, lock
        self._sent: dict[str, Any] = {}

    @property
    def problem(self) -> str:
        """What went wrong, as the page shows it."""
        return self._state.problem

    @problem.setter
    def problem(self, text: str) -> None:
        self._state.problem = text

    def code(self) -> dict[str, Any]:
        """The panel's own code and style."""
        return code_message(COMPARE_CODE, COMPARE_STYLE)

    def full(self) -> dict[str, Any]:
        """All that a browser needs to draw; nothing here has rows, marks or a log."""
        with self._lock:
            self._sent = self._state.tell()
        return {"kind": "full", "rows": [], "marks": [], "log": [], "state": self._sent}

    def news(self) -> dict[str, Any]:
        """What changed since the last message."""
        with self._lock:
            state = self._state.tell()
        news = changed(self._sent, state)
        self._sent = state
        return {"state": news} if news else {}
