"""What a panel sends: one `full` picture when a browser asks, then `add` with what is new.

kernel → browser   full    rows, marks, log, state, map
                   add     what is new of these; `state` holds only what changed
                   ack     the number of the browser's `do`, ok, text, and what is new
                   answer  the number of the browser's `ask`, ok, text, body
                   code    code, style: the panel itself, for a page that has not got it
browser → kernel   code (page),
                   ready (page, ask), do (page, number, verb, argument), ask (page, number, what, numbers),
                   theme; `dark` is the page's theme

Rows of a map go as bytes beside the message: see `mapping.py`.

Every message from the kernel carries `seq`, one more than the last; a browser that sees a gap asks again.
What is of every panel, the numbers, `ack` and `answer`, is in `exchange.py`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from opencollab_nb.views.exchange import BUFFERS
from opencollab_nb.views.folds import fold
from opencollab_nb.views.lab import Lab
from opencollab_nb.views.live_map import MapNews
from opencollab_nb.views.rows import History
from opencollab_nb.views.state import changed, state_of
from opencollab_nb.views.widget import CODE, STYLE, code_message

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_ROWS = 600
"""Rows in a `full`: about one for every two pixels of a chart."""
MOST_MARKS = 300
MOST_LINES_A_FLUSH = 20
"""A screenful of log; what ran past faster than that is in the trace."""


class Feed:
    """Folds a session's trace and says what to send. Not locked: its panel holds the lock."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.history = History()
        self.lab = Lab(session)
        self.inbox: deque[dict[str, Any]] = deque()
        self.problem = ""
        self._sent: dict[str, Any] = {}

    def rebuild(self) -> None:
        """Fold what the trace holds already; events that come meanwhile wait in the inbox."""
        for event in tuple(self.session.trace.stored):
            self._fold(event)
        self.history.news()

    def drain(self) -> None:
        """Fold what has come since."""
        while self.inbox:
            self._fold(self.inbox.popleft())

    def state(self) -> dict[str, Any]:
        """The whole state, with the panel's own problem if there is one."""
        known = {**state_of(self.session, self.history), **self.lab.state(self.history)}
        return {**known, "problem": self.problem}

    def full(self) -> dict[str, Any]:
        """All that a browser needs to draw, bounded whatever the length of the session."""
        self.drain()
        self.history.news()
        self._sent = self.state()
        message = {
            "kind": "full",
            "rows": self.history.drawn_rows(MOST_ROWS),
            "marks": self.history.marks[-MOST_MARKS:],
            "log": list(self.history.lines),
            "state": self._sent,
        }
        return with_map(message, self.lab.map.everything())

    def news(self) -> dict[str, Any]:
        """What came since the last message: rows, marks, lines and what changed of the state."""
        self.drain()
        news = self.history.news()
        lines = news.lines[-MOST_LINES_A_FLUSH:]
        parts = {"rows": news.rows, "marks": news.marks, "log": lines, "state": self._state_news()}
        news_now: dict[str, Any] = {key: value for key, value in parts.items() if value}
        return with_map(news_now, self.lab.map.news())

    def code(self) -> dict[str, Any]:
        """The panel's own code and style."""
        return code_message(CODE, STYLE)

    def _fold(self, event: dict[str, Any]) -> None:
        if event["n"] > self.history.seen:
            self.lab.take(event)
        fold(self.history, event)

    def _state_news(self) -> dict[str, Any]:
        state = self.state()
        news = changed(self._sent, state)
        self._sent = state
        return news


def with_map(message: dict[str, Any], news: MapNews | None) -> dict[str, Any]:
    """The message with what is new of the map, if anything is."""
    if news is None:
        return message
    return {**message, "map": news.facts, BUFFERS: [news.rows]}
