"""A live panel of a team: a lane for each member, the budget, and below it the panel of one member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.exchange import Exchange
from opencollab_nb.views.labels import clean
from opencollab_nb.views.panel import Panel
from opencollab_nb.views.shown import forget, notebook_shell, put_up
from opencollab_nb.views.snapshot import Published
from opencollab_nb.views.team_feed import TeamFeed
from opencollab_nb.views.team_orders import obey
from opencollab_nb.views.team_snapshot import TeamSnapshot
from opencollab_nb.views.team_widget import TeamWidget
from opencollab_nb.views.ticker import ticker
from opencollab_nb.views.widget import live_bundle

if TYPE_CHECKING:
    from opencollab_nb.team import Team
    from opencollab_nb.views.asks import Answer


class TeamPanel:
    """Two outputs of one cell, as a session's: a static snapshot, and a live widget that hides it.

    The panel of a member is a widget of its own, which the page puts below this one.
    """

    def __init__(self, team: Team) -> None:
        self.team = team
        self.widget = TeamWidget()
        self.feed = TeamFeed(team)
        self.member: Panel | None = None
        """The panel of the member that was chosen."""
        self.published: Published | None = None
        self._exchange = Exchange(self.widget, self)
        self._unsubscribe = team.subscribe(self._on_event)
        self.feed.rebuild()

    @classmethod
    def show_for(cls, team: Team) -> dict[str, Any]:
        """Publish a snapshot, and return the bundle of a new live panel for the display that asks.

        A panel shown before by the same cell is closed. Where there is no notebook, the bundle is the
        snapshot alone.
        """
        shell = notebook_shell()
        if shell is None:
            return TeamSnapshot.of(team).bundle()
        panel = put_up(shell, lambda: cls(team))
        panel.published = Published(TeamSnapshot.of(team, panel.feed.lanes))
        return live_bundle(panel.widget)

    @property
    def closed(self) -> bool:
        """True once it has let go of the team."""
        return self._exchange.closed

    def close(self) -> None:
        """End the live half and let go of the team; the snapshot stays. Closing twice is fine."""
        if not self._exchange.close():
            return
        self._unsubscribe()
        self._close_member()
        forget(self)

    def flush(self) -> bool:
        """Send what is new; called by the ticker. True while there will be more."""
        return self._exchange.flush(self._publish, lambda: self.team.state in IN_FLIGHT, self.feed.drain)

    def failed(self, problem: Exception) -> None:
        """Show what one of the panel's own functions raised, each new fault once."""
        self._exchange.failed(problem)

    def obey(self, verb: str, argument: Any) -> str:
        """Carry out an order: one for the team, or one for the panel itself."""
        if verb != "open":
            return obey(self.team, verb, argument, self.failed)
        with self._exchange.lock:
            return self._open(argument)

    def answer(self, what: str, _numbers: Any) -> Answer:
        """Nothing is asked of a team: all there is to see is sent."""
        raise UnknownName("question", what, ())

    def _open(self, at: Any) -> str:
        """Show the panel of a member, or none."""
        names = list(self.feed.lanes.lanes)
        if at is not None and (type(at) is not int or not 0 <= at < len(names)):
            raise UsageProblem(f"a member is opened by its place, 0 to {len(names) - 1}, not {at!r}")
        name = "" if at is None else names[at]
        member = self.team.members.get(name)
        if at is not None and (member is None or member.session is None):
            raise UsageProblem(f"{name} was given nothing to do yet, so there is nothing to show of it")
        self._close_member()
        if member is None or member.session is None:
            return "Closed."
        self.member = Panel(member.session)
        self.feed.open = [at, self.member.widget.model_id]
        return f"{clean(name, 60)} is shown below."

    def _close_member(self) -> None:
        self.feed.open = None
        if self.member is not None:
            self.member.close()
            self.member = None

    def _publish(self) -> bool:
        if self.published is None:
            return False
        return self.published.update(lambda: TeamSnapshot.of(self.team, self.feed.lanes), self.team.state)

    def _on_event(self, event: dict[str, Any]) -> None:
        self.feed.inbox.append(event)
        ticker.poke(self)
