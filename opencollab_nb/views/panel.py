"""A live panel of one session: shown in a cell, fed by the session's events, obeying its buttons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.asks import SLOW, Answer, Asks
from opencollab_nb.views.exchange import Exchange
from opencollab_nb.views.feed import Feed
from opencollab_nb.views.labels import clean
from opencollab_nb.views.orders import obey
from opencollab_nb.views.shown import forget, notebook_shell, put_up
from opencollab_nb.views.snapshot import Published, Snapshot
from opencollab_nb.views.ticker import ticker
from opencollab_nb.views.widget import PanelWidget, live_bundle

if TYPE_CHECKING:
    from opencollab_nb.session import Session


class Panel:
    """Two outputs of one cell: a static snapshot, and a live widget that hides it once it has data.

    A panel holds a widget, for the names of a widget's own methods are many. Its events come from any
    thread, its clicks on whichever thread the kernel chooses; one lock orders what it sends.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.widget = PanelWidget()
        self.feed = Feed(session)
        self._asks = Asks(session, self.feed.lab.map)
        self.published: Published | None = None
        self._exchange = Exchange(self.widget, self, SLOW)
        self._listen()

    @classmethod
    def show_for(cls, session: Session) -> dict[str, Any]:
        """Publish a snapshot, and return the bundle of a new live panel for the display that asks.

        A panel shown before by the same cell is closed. Where there is no notebook, the bundle is the
        snapshot alone.
        """
        shell = notebook_shell()
        if shell is None:
            return Snapshot.of(session).bundle()
        panel = put_up(shell, lambda: cls(session))
        panel.published = Published(Snapshot.of(session, panel.feed.history))
        return panel.bundle()

    @property
    def closed(self) -> bool:
        """True once it has let go of the session."""
        return self._exchange.closed

    def bundle(self) -> dict[str, Any]:
        """What a front end needs to show the live half; text for those that cannot."""
        return live_bundle(self.widget)

    def show(self, session: Session) -> None:
        """Show another session from now on, such as a branch of this one."""
        with self._exchange.lock:
            self._unsubscribe()
            self._unask()
            self._unwatch()
            self.session = session
            self.feed = Feed(session)
            self._asks = Asks(session, self.feed.lab.map)
            self._listen()
            self._exchange.full()
        ticker.poke(self)

    def _listen(self) -> None:
        self._unsubscribe = self.session.subscribe(self._on_event)
        self._unask = heard(self.session, lambda _command: ticker.poke(self))
        self._unwatch = self.feed.lab.editor.watch(lambda: ticker.poke(self))
        self.feed.rebuild()

    def close(self) -> None:
        """End the live half and let go of the session; the snapshot stays. Closing twice is fine."""
        if not self._exchange.close():
            return
        self._unsubscribe()
        self._unask()
        self._unwatch()
        forget(self)

    def flush(self) -> bool:
        """Send what is new; called by the ticker. True while there will be more."""
        return self._exchange.flush(self._publish, lambda: self.session.state in IN_FLIGHT, self.feed.drain)

    def _publish(self) -> bool:
        if self.published is None:
            return False
        return self.published.update(lambda: Snapshot.of(self.session, self.feed.history), self.session.state)

    def failed(self, problem: Exception) -> None:
        """Show what one of the panel's own functions raised, each new fault once."""
        self._exchange.failed(problem)

    def obey(self, verb: str, argument: Any) -> str:
        """Carry out an order: one for the session, or one for the panel itself."""
        if verb != "show":
            return obey(self.session, verb, argument)
        if type(argument) is not int:
            raise UsageProblem(f"a branch is shown by its number, not {argument!r}")
        self.show(self.feed.lab.family.session_of(argument))
        return f"This panel shows {clean(self.session.name or 'the branch', 60)} now."

    def answer(self, what: str, numbers: Any) -> Answer:
        """Answer a question of a page."""
        return self._asks.answer(what, numbers)

    def _on_event(self, event: dict[str, Any]) -> None:
        self.feed.inbox.append(event)
        ticker.poke(self)


def heard(session: Session, listener: Callable[[str | None], None]) -> Callable[[], None]:
    """Have the questions of the session's shell told to a panel; returns the call that ends it."""
    listeners = getattr(session.workspace, "on_question", None)
    if not isinstance(listeners, list):
        return lambda: None
    listeners.append(listener)
    return partial(_without, listeners, listener)


def _without(listeners: list[Any], listener: Any) -> None:
    if listener in listeners:
        listeners.remove(listener)
