"""What a team's panel sends: one `full` picture when a browser asks, then `add` with what is new.

    full, add    lanes and figures by the place of a member (in an `add` only those that changed), letters,
                 got, moments, log, state; steps as bytes beside the message, from step `first` on

The rest of the protocol is that of every panel: see `exchange.py` and `feed.py`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from opencollab_nb.views.exchange import BUFFERS
from opencollab_nb.views.state import changed
from opencollab_nb.views.team_folds import take
from opencollab_nb.views.team_lanes import STEP_BYTES, Lane, Lanes
from opencollab_nb.views.team_state import figures_of, lane_of, team_state
from opencollab_nb.views.team_widget import TEAM_CODE, TEAM_STYLE
from opencollab_nb.views.widget import code_message

if TYPE_CHECKING:
    from opencollab_nb.team import Team

MOST_STEPS = 20_000
"""Steps in a `full`, the newest: 120 KB."""
MOST_MOMENTS, MOST_LETTERS = 1_500, 400
MOST_LINES_A_FLUSH = 20


class TeamFeed:
    """Folds a team's trace, and those of its members, and says what to send. Its panel holds the lock."""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.lanes = Lanes()
        self.inbox: deque[dict[str, Any]] = deque()
        self.problem = ""
        self.open: list[Any] | None = None
        """Place of the member whose own panel is shown, and the widget of that panel."""
        self._sent: dict[str, dict[str, Any]] = {}

    def rebuild(self) -> None:
        """Fold what the trace holds already; events that come meanwhile wait in the inbox."""
        for event in tuple(self.team.trace.stored):
            take(self.lanes, event, self._look)
        self.lanes.news()

    def drain(self) -> None:
        """Fold what has come since."""
        while self.inbox:
            take(self.lanes, self.inbox.popleft(), self._look)

    def code(self) -> dict[str, Any]:
        """The panel's own code and style."""
        return code_message(TEAM_CODE, TEAM_STYLE)

    def full(self) -> dict[str, Any]:
        """All that a browser needs to draw, bounded whatever the length of the run."""
        self.drain()
        self.lanes.news()
        self._sent = self._parts()
        first = max(0, self.lanes.tick - MOST_STEPS)
        return {
            "kind": "full",
            "first": first,
            "letters": list(self.lanes.letters.values())[-MOST_LETTERS:],
            "moments": list(self.lanes.moments)[-MOST_MOMENTS:],
            "log": list(self.lanes.lines),
            **self._sent,
            BUFFERS: [bytes(self.lanes.steps[first * STEP_BYTES :])],
        }

    def news(self) -> dict[str, Any]:
        """What came since the last message: steps, messages, moments, and what changed of the rest."""
        self.drain()
        news = self.lanes.news()
        parts = self._parts()
        lines = news.lines[-MOST_LINES_A_FLUSH:]
        told: dict[str, Any] = {
            "letters": news.letters,
            "got": news.got,
            "moments": news.moments,
            "log": lines,
        }
        told |= {name: changed(self._sent.get(name, {}), part) for name, part in parts.items()}
        self._sent = parts
        body = {name: part for name, part in told.items() if part}
        if news.first < self.lanes.tick:
            body |= {"first": news.first, BUFFERS: [bytes(self.lanes.steps[news.first * STEP_BYTES :])]}
        return body

    def _parts(self) -> dict[str, dict[str, Any]]:
        """What is told whole once, and then as far as it changed."""
        lanes = self.lanes.lanes.values()
        state = {**team_state(self.team, self.lanes), "open": self.open, "problem": self.problem}
        return {
            "lanes": {str(lane.at): lane_of(lane) for lane in lanes},
            "figures": {str(lane.at): figures_of(self.team, lane) for lane in lanes},
            "state": state,
        }

    def _look(self, lane: Lane) -> None:
        member = self.team.members.get(lane.name)
        if member is not None and member.session is not None:
            lane.look(member.session.trace.stored)
