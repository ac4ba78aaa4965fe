"""The messages between a compare panel and the pages that show it; in the form of `feed.py`."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.views.labels import clean
from opencollab_nb.views.state import changed
from opencollab_nb.views.text import sendable
from opencollab_nb.views.theme import page_is


class CompareWire:
    """Sends the whole state when a page asks, then what changed; passes orders on, and answers each once.

    Its lock is taken before that of the panel whose functions it calls, never after.

    Args:
        tell: the state as it is now.
        obey: carries out an order, by its name and argument; gives the sentence that answers it.
        failed: takes what one of these functions raised.
    """

    def __init__(
        self,
        tell: Callable[[], dict[str, Any]],
        obey: Callable[[str, Any], str],
        failed: Callable[[Exception], None],
    ) -> None:
        self.live: Any = None
        """The widgets; None where no page shows them."""
        self._tell, self._obey, self._failed = tell, obey, failed
        self._lock = threading.RLock()
        self._told: dict[str, Any] = {}
        self._number = 0
        self._acted: dict[int, int] = {}
        self._asked: set[tuple[Any, Any]] = set()
        self._context: contextvars.Context | None = None

    def show(self, live: Any) -> None:
        """Talk to these widgets from now on; those before are closed."""
        self.close()
        with self._lock:
            self._asked.clear()
            self.live = live

    def close(self) -> None:
        """End the talk."""
        with self._lock:
            former, self.live = self.live, None
        if former is not None:
            former.close()

    def push(self) -> None:
        """Send what is new, if a page has asked for anything."""
        with self._lock:
            if self._asked and (news := self._news()):
                self._send({"kind": "add", "state": news})

    def tell_problem(self, text: str) -> None:
        """A problem alone: it must come through where the state cannot be told."""
        with self._lock:
            self._send({"kind": "add", "state": {"problem": text}})

    def heard(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        """A message of a page."""
        self._context = contextvars.copy_context()
        if "dark" in content:
            page_is(content["dark"])
        try:
            if content.get("kind") == "ready":
                self._show_all((content.get("page"), content.get("ask")))
            elif content.get("kind") == "code":
                self._give_code((content.get("page"), "code"))
            elif content.get("kind") == "do":
                self._do(content)
        except Exception as problem:  # noqa: BLE001 - a message has no caller: the panel shows the error
            self._failed(problem)

    def _show_all(self, asked: tuple[Any, Any]) -> None:
        """Send the whole picture, once for each time that a page wants it: it asks again until it has it."""
        with self._lock:
            if asked not in self._asked:
                self._asked.add(asked)
                self._told = self._tell()
                self._send({"kind": "full", "rows": [], "marks": [], "log": [], "state": self._told})

    def _give_code(self, asked: tuple[Any, Any]) -> None:
        from opencollab_nb.views.compare_widget import code_message

        with self._lock:
            if asked not in self._asked:
                self._asked.add(asked)
                self._send(code_message())

    def _do(self, content: dict[str, Any]) -> None:
        """Act on a click once, and answer once."""
        page, number = int(content["page"]), int(content["number"])
        with self._lock:
            seen = self._acted.get(page, 0)
            self._acted[page] = max(seen, number)
        if number <= seen:
            return
        try:
            ok, text = True, self._obey(str(content.get("verb")), content.get("argument"))
        except Exception as problem:  # noqa: BLE001 - a click has no caller: the panel shows the error
            name = "" if isinstance(problem, OpenCollabError) else f"{type(problem).__name__}: "
            ok, text = False, f"{name}{problem}"
        with self._lock:
            answer = {"kind": "ack", "page": page, "number": number, "ok": ok, "text": clean(text, 300)}
            self._send({**answer, "state": self._news()})

    def _news(self) -> dict[str, Any]:
        state = self._tell()
        news = changed(self._told, state)
        self._told = state
        return news

    def _send(self, message: dict[str, Any]) -> None:
        """Send in the context of the browser's last message: some kernels route its next one by it."""
        if self.live is None:
            return
        self._number += 1
        context = self._context or contextvars.copy_context()
        content = sendable(KNOWN.struck_json({**message, "seq": self._number}))
        context.copy().run(self.live.send, content)
