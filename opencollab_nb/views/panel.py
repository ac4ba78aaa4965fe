"""A live panel of one session: shown in a cell, fed by the session's events, obeying its buttons."""

from __future__ import annotations

import contextvars
import threading
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import OpenCollabError, UsageProblem
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.asks import SLOW, Asks
from opencollab_nb.views.feed import BUFFERS, Feed
from opencollab_nb.views.labels import clean
from opencollab_nb.views.orders import obey
from opencollab_nb.views.snapshot import Published, Snapshot
from opencollab_nb.views.text import sendable
from opencollab_nb.views.theme import page_is
from opencollab_nb.views.ticker import ticker
from opencollab_nb.views.widget import PanelWidget

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_WITHOUT_CELL = 8
"""Panels kept where the front end does not name its cells; beyond that the oldest is closed."""

_SHOWN: dict[str, Panel] = {}


class Panel:
    """Two outputs of one cell: a static snapshot, and a live widget that hides it once it has data.

    A panel holds a widget, for the names of a widget's own methods are many. Its events come from any
    thread, its clicks on whichever thread the kernel chooses; one lock orders what it sends.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.widget = PanelWidget()
        self.closed = False
        self._feed = Feed(session)
        self._asks = Asks(session, self._feed.lab.map)
        self._lock = threading.RLock()
        self._asked = False
        self._context: contextvars.Context | None = None
        self._acted: dict[int, int] = {}
        self._shown: dict[Any, Any] = {}
        self._coded: set[Any] = set()
        self._published: Published | None = None
        self._listen()
        self.widget.on_msg(self._on_message)
        free_route(self.widget)

    @classmethod
    def show_for(cls, session: Session) -> dict[str, Any]:
        """Publish a snapshot, and return the bundle of a new live panel for the display that asks.

        A panel shown before by the same cell is closed. Where there is no notebook, the bundle is the
        snapshot alone.
        """
        shell = notebook_shell()
        if shell is None:
            return Snapshot.of(session).bundle()
        cell = cell_of(shell)
        if cell in _SHOWN:
            _SHOWN[cell].close()
        panel = cls(session)
        _SHOWN[cell or f"no cell {uuid.uuid4().hex}"] = panel
        close_the_oldest()
        panel._published = Published(Snapshot.of(session, panel._feed.history))
        return panel.bundle()

    def bundle(self) -> dict[str, Any]:
        """What a front end needs to show the live half; text for those that cannot."""
        from ipywidgets import DOMWidget  # type: ignore[import-untyped]

        made = DOMWidget._repr_mimebundle_(self.widget) or {}
        bundle = dict(made[0] if isinstance(made, tuple) else made)
        bundle.pop("text/html", None)
        bundle["text/plain"] = repr(self.widget)
        return bundle

    def show(self, session: Session) -> None:
        """Show another session from now on, such as a branch of this one."""
        with self._lock:
            self._unsubscribe()
            self._unask()
            self._unwatch()
            self.session = session
            self._feed = self._feed.of_another(session)
            self._asks = Asks(session, self._feed.lab.map)
            self._listen()
            self._send(self._feed.full())
        ticker.poke(self)

    def _listen(self) -> None:
        self._unsubscribe = self.session.subscribe(self._on_event)
        self._unask = heard(self.session, lambda _command: ticker.poke(self))
        self._unwatch = self._feed.lab.editor.watch(lambda: ticker.poke(self))
        self._feed.rebuild()

    def close(self) -> None:
        """End the live half and let go of the session; the snapshot stays. Closing twice is fine."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
        self._unsubscribe()
        self._unask()
        self._unwatch()
        ticker.forget(self)
        for key in [key for key, panel in _SHOWN.items() if panel is self]:
            del _SHOWN[key]
        self.widget.layout.close()
        self.widget.close()

    def flush(self) -> bool:
        """Send what is new; called by the ticker. True while there will be more."""
        with self._lock:
            if self.closed:
                return False
            if self._asked:
                self._send(self._feed.add())
            else:
                self._feed.drain()
            running = self.session.state in IN_FLIGHT
            return self._publish() or running

    def _publish(self) -> bool:
        if self._published is None:
            return False
        return self._published.update(
            lambda: Snapshot.of(self.session, self._feed.history), self.session.state
        )

    def failed(self, problem: Exception) -> None:
        """Show what one of the panel's own functions raised, each new fault once."""
        text = clean(f"The panel's own fault: {type(problem).__name__}: {problem}", 300)
        with self._lock:
            if text != self._feed.problem:
                self._feed.problem = text
                self._send(self._feed.trouble())

    def _on_event(self, event: dict[str, Any]) -> None:
        self._feed.inbox.append(event)
        ticker.poke(self)

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        self._context = contextvars.copy_context()
        if "dark" in content:
            page_is(content["dark"])
        try:
            if content.get("kind") == "ready":
                self._show(content.get("page"), content.get("ask"))
            elif content.get("kind") == "code":
                self._give_code(content.get("page"))
            elif content.get("kind") == "do":
                self._do(content)
            elif content.get("kind") == "ask":
                self._ask(content)
        except Exception as problem:  # noqa: BLE001 - a message has no caller: the panel shows the error
            self.failed(problem)

    def _show(self, page: Any, ask: Any) -> None:
        """Send the whole picture, once for each time that a page wants it: it asks again until it has it."""
        with self._lock:
            if ask is not None and self._shown.get(page) == ask:
                return
            self._shown[page] = ask
            self._asked = True
            self._send(self._feed.full())

    def _give_code(self, page: Any) -> None:
        """Send the code that shows a panel, once to a page: it asks again until it has it."""
        with self._lock:
            if page not in self._coded:
                self._coded.add(page)
                self._send(self._feed.code())

    def _do(self, content: dict[str, Any]) -> None:
        """Act on a click once, and answer once."""
        page, number = int(content["page"]), int(content["number"])
        with self._lock:
            seen = self._acted.get(page, 0)
            self._acted[page] = max(seen, number)
        if number <= seen:
            return
        try:
            ok, text = True, self._obey(content.get("verb", ""), content.get("argument"))
        except Exception as problem:  # noqa: BLE001 - a click has no caller: the panel shows the error
            name = "" if isinstance(problem, OpenCollabError) else f"{type(problem).__name__}: "
            ok, text = False, f"{name}{problem}"
        with self._lock:
            news: dict[str, Any] = {}
            try:
                news = self._feed.news()
            finally:
                self._send(self._feed.ack(page, number, ok, clean(text, 300), news))

    def _obey(self, verb: str, argument: Any) -> str:
        """Carry out an order: one for the session, or one for the panel itself."""
        if verb != "show":
            return obey(self.session, verb, argument)
        if type(argument) is not int:
            raise UsageProblem(f"a branch is shown by its number, not {argument!r}")
        self.show(self._feed.lab.family.session_of(argument))
        return f"This panel shows {clean(self.session.name or 'the branch', 60)} now."

    def _ask(self, content: dict[str, Any]) -> None:
        """Answer a question once; one that may take long does not hold up the kernel's messages."""
        if content.get("what") not in SLOW:
            self._answer(content)
            return
        context = contextvars.copy_context()
        threading.Thread(
            target=context.run, args=(self._answer, content), daemon=True, name="oc-answer"
        ).start()

    def _answer(self, content: dict[str, Any]) -> None:
        answer, text = None, ""
        try:
            slow = content.get("what") in SLOW
            with nullcontext() if slow else self._lock:
                answer = self._asks.answer(str(content.get("what")), content.get("numbers") or [])
        except Exception as problem:  # noqa: BLE001 - a question has no caller: the panel shows the error
            text = clean(f"{type(problem).__name__}: {problem}", 300)
        with self._lock:
            page, number = int(content["page"]), int(content["number"])
            self._send(self._feed.answer(page, number, answer is not None, text, answer))

    def _send(self, message: dict[str, Any] | None) -> None:
        """Send in the context of the browser's last message: some kernels route its next one by it."""
        if message is None or self.closed:
            return
        context = self._context or contextvars.copy_context()
        plain = {key: value for key, value in message.items() if key != BUFFERS}
        content = sendable(KNOWN.struck_json(plain))
        context.copy().run(self.widget.send, content, message.get(BUFFERS))
        free_route(self.widget)


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


def free_route(widget: PanelWidget) -> None:
    """Have the page's next message handled where the page asks for, on its own subshell.

    A kernel sends it to where the last message to the page came from: for a panel just made that is the
    main thread, which takes it only after all cells that are waiting, so with Run All after the last.
    """
    comm: Any = widget.comm
    if comm is not None:
        vars(comm).pop("_reply_subshell_id", None)


def notebook_shell() -> Any:
    """The running IPython shell if it has a kernel, so that widgets can live; else None."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None


def cell_of(shell: Any) -> str | None:
    """The id of the cell that is being run, where the front end tells."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = (parent.get("metadata") or {}).get("cellId")
    return cell if isinstance(cell, str) else None


def look_again() -> None:
    """Have all panels look for what has changed without an event of their session."""
    for panel in list(_SHOWN.values()):
        ticker.poke(panel)


def close_the_oldest() -> None:
    """Keep the number of panels without a cell bounded."""
    unnamed = [key for key in _SHOWN if key.startswith("no cell ")]
    for key in unnamed[:-MOST_WITHOUT_CELL]:
        _SHOWN[key].close()
