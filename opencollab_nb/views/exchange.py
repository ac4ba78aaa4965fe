"""Messages between a panel and the pages that show it: each order is carried out once, and answered once."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.views.labels import clean
from opencollab_nb.views.text import sendable
from opencollab_nb.views.theme import page_is

if TYPE_CHECKING:
    from opencollab_nb.views.asks import Answer

BUFFERS = "buffers"
"""Under this key a message holds bytes that are sent beside it."""


class Speaker(Protocol):
    """A panel, as far as its pages ask and order something of it."""

    @property
    def feed(self) -> Source:
        """What is told of what it shows."""
        ...

    def obey(self, verb: str, argument: Any) -> str:
        """Carry out an order; a sentence to answer with."""
        ...

    def answer(self, what: str, numbers: Any) -> Answer:
        """Answer a question."""
        ...


class Source(Protocol):
    """What a panel knows, as the body of a message."""

    problem: str

    def code(self) -> dict[str, Any]:
        """The panel's own code and style."""
        ...

    def full(self) -> dict[str, Any]:
        """All that a browser needs to draw."""
        ...

    def news(self) -> dict[str, Any]:
        """What came since the last of these; empty where nothing did."""
        ...


class Exchange:
    """One widget's messages, both ways; from any thread, under one lock.

    Args:
        widget: the panel's; it is closed with this.
        speaker: the panel.
        slow: questions that may take long; each is answered on a thread of its own.
    """

    def __init__(self, widget: Any, speaker: Speaker, slow: tuple[str, ...] = ()) -> None:
        self.widget, self.lock = widget, threading.RLock()
        self.closed = self.asked = False
        self._speaker, self._slow = speaker, slow
        self._context: contextvars.Context | None = None
        self._acted: dict[int, int] = {}
        self._shown: dict[Any, Any] = {}
        self._coded: set[Any] = set()
        self._seq = 0
        widget.on_msg(self._on_message)
        free_route(widget)

    def close(self) -> bool:
        """End it, the widget too; False where that was done before."""
        with self.lock:
            if self.closed:
                return False
            self.closed = True
        self.widget.layout.close()
        self.widget.close()
        return True

    def add(self) -> None:
        """Send what is new, if anything is."""
        news = self._speaker.feed.news()
        if news:
            self.send({"kind": "add", **news})

    def full(self) -> None:
        """Send the whole picture."""
        self.send(self._speaker.feed.full())

    def flush(
        self, publish: Callable[[], bool], running: Callable[[], bool], unseen: Callable[[], object] = bool
    ) -> bool:
        """Send what is new, if a page has asked, and renew the still picture; True while there will be more.

        Args:
            publish: renews the picture; true while one is due later.
            running: true while more is to come.
            unseen: takes in what is new where no page has asked for it.
        """
        with self.lock:
            if self.closed:
                return False
            if self.asked:
                self.add()
            else:
                unseen()
            more = running()
            return publish() or more

    def failed(self, problem: Exception) -> None:
        """Show what one of the panel's own functions raised, each new fault once.

        It comes through alone where the state cannot be told.
        """
        text = clean(f"The panel's own fault: {type(problem).__name__}: {problem}", 300)
        with self.lock:
            feed = self._speaker.feed
            if text != feed.problem:
                feed.problem = text
                self.send({"kind": "add", "state": {"problem": text}})

    def send(self, message: dict[str, Any]) -> None:
        """Send in the context of the browser's last message: some kernels route its next one by it."""
        if self.closed:
            return
        self._seq += 1
        context = self._context or contextvars.copy_context()
        plain = {key: value for key, value in message.items() if key != BUFFERS}
        content = sendable(KNOWN.struck_json({**plain, "seq": self._seq}))
        context.copy().run(self.widget.send, content, message.get(BUFFERS))
        free_route(self.widget)

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        self._context = contextvars.copy_context()
        if "dark" in content:
            page_is(content["dark"])
        take = {"ready": self._show, "code": self._give_code, "do": self._do, "ask": self._ask}
        try:
            if content.get("kind") in take:
                take[content["kind"]](content)
        except Exception as problem:  # noqa: BLE001 - a message has no caller: the panel shows the error
            self.failed(problem)

    def _show(self, content: dict[str, Any]) -> None:
        """Send the whole picture, once for each time that a page wants it: it asks again until it has it."""
        page, ask = content.get("page"), content.get("ask")
        with self.lock:
            if ask is not None and self._shown.get(page) == ask:
                return
            self._shown[page] = ask
            self.asked = True
            self.full()

    def _give_code(self, content: dict[str, Any]) -> None:
        """Send the code that shows a panel, once to a page: it asks again until it has it."""
        with self.lock:
            if content.get("page") not in self._coded:
                self._coded.add(content.get("page"))
                self.send(self._speaker.feed.code())

    def _do(self, content: dict[str, Any]) -> None:
        """Act on a click once, and answer once.

        What the order changed comes with the answer: a button that is free again before the new state is
        there would take a second click.
        """
        page, number = int(content["page"]), int(content["number"])
        with self.lock:
            seen = self._acted.get(page, 0)
            self._acted[page] = max(seen, number)
        if number <= seen:
            return
        try:
            ok, text = True, self._speaker.obey(content.get("verb", ""), content.get("argument"))
        except Exception as problem:  # noqa: BLE001 - a click has no caller: the panel shows the error
            name = "" if isinstance(problem, OpenCollabError) else f"{type(problem).__name__}: "
            ok, text = False, f"{name}{problem}"
        answer = {"kind": "ack", "page": page, "number": number, "ok": ok, "text": clean(text, 300)}
        with self.lock:
            news: dict[str, Any] = {}
            try:
                news = self._speaker.feed.news()
            finally:
                self.send({**answer, **news})

    def _ask(self, content: dict[str, Any]) -> None:
        """Answer a question once; one that may take long does not hold up the kernel's messages."""
        if content.get("what") not in self._slow:
            self._answer(content, self.lock)
            return
        run: Callable[..., Any] = contextvars.copy_context().run
        made = threading.Thread(
            target=run, args=(self._answer, content, nullcontext()), daemon=True, name="oc-answer"
        )
        made.start()

    def _answer(self, content: dict[str, Any], held: Any) -> None:
        answer, text = None, ""
        try:
            with held:
                answer = self._speaker.answer(str(content.get("what")), content.get("numbers") or [])
        except Exception as problem:  # noqa: BLE001 - a question has no caller: the panel shows the error
            text = clean(f"{type(problem).__name__}: {problem}", 300)
        said = {"kind": "answer", "page": int(content["page"]), "number": int(content["number"])}
        said |= {"ok": answer is not None, "text": text}
        with self.lock:
            if answer is not None:
                said |= {"body": answer.body, BUFFERS: answer.buffers}
            self.send(said)


def free_route(widget: Any) -> None:
    """Have the page's next message handled where the page asks for, on its own subshell.

    A kernel sends it to where the last message to the page came from: for a panel just made that is the
    main thread, which takes it only after all cells that are waiting, so with Run All after the last.
    """
    comm: Any = widget.comm
    if comm is not None:
        vars(comm).pop("_reply_subshell_id", None)
