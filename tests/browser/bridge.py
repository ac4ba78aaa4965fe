"""A real session's panel in an empty page: both halves as they are, without a server between them."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from typing import Any

from comm.base_comm import BaseComm
from playwright.sync_api import Locator, Page

from opencollab_nb.session import Session
from opencollab_nb.views.panel import Panel
from opencollab_nb.views.widget import joined
from tests.browser.stage import empty_page

RAISE = """async (code) => {
    const url = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
    const panel = (await import(url)).default();
    const heard = {};
    window.sent = [];
    window.tell = (message, texts) => {
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        heard['msg:custom'](message, texts.map((text) => new DataView(bytes(text).buffer)));
    };
    window.lose = () => heard['comm_live_update']();
    const model = {on: (name, f) => { heard[name] = f; }, off: () => {}, send: (m) => sent.push(m)};
    panel.initialize({model});
    panel.render({model, el: document.getElementById('place')});
}"""
PUMP_SECONDS = 0.03


class KeepingComm(BaseComm):
    """Keeps what is published, bytes too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.published: list[tuple[dict[str, Any], list[bytes]]] = []
        super().__init__(*args, **kwargs)

    def publish_msg(self, msg_type: str, data: Any = None, buffers: Any = None, **_rest: Any) -> None:
        content = json.loads(json.dumps(data or {}, default=str))
        self.published.append((content, [bytes(b) for b in buffers or ()]))


class Bridge:
    """One page with the panel of one session; `pump` carries messages over, both ways."""

    def __init__(self, page: Page, session: Session, theme: str = "light") -> None:
        self.page, self.session = page, session
        self.panel = Panel(session)
        empty_page(page, theme)
        page.evaluate(RAISE, joined())
        self.heard = self.told = 0
        self.until(lambda: self.root.is_visible())

    @property
    def root(self) -> Locator:
        return self.page.locator(".oc-panel")

    def hear(self) -> None:
        """Carry over what the page has sent."""
        sent = self.page.evaluate("(from) => sent.slice(from)", self.heard)
        self.heard += len(sent)
        for content in sent:
            message = {"content": {"data": {"method": "custom", "content": content}}, "buffers": []}
            self.panel.widget.comm.handle_msg(message)

    def pump(self) -> None:
        self.hear()
        published = self.panel.widget.comm.published
        fresh = published[self.told :]
        self.told += len(fresh)  # more may have been published meanwhile
        for data, buffers in fresh:
            if data.get("method") == "custom":
                texts = [base64.b64encode(b).decode() for b in buffers]
                self.page.evaluate("([message, texts]) => tell(message, texts)", [data["content"], texts])
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    def until(self, true: Callable[[], bool], seconds: float = 30.0) -> None:
        """Carry messages over until it holds."""
        end = time.monotonic() + seconds
        while True:
            self.pump()
            if true():
                self.pump()
                return
            assert time.monotonic() < end, "it did not come true"
            time.sleep(PUMP_SECONDS)

    def has_heard(self) -> None:
        """The page knows all that has happened so far; the ticker would tell it a little later."""
        self.panel.flush()
        self.pump()

    def says(self, where: Locator | str, text: str) -> None:
        """Until a part of the panel shows the text."""
        part = self.root.locator(where) if isinstance(where, str) else where
        self.until(lambda: text in " ".join(part.all_inner_texts()))

    def press(self, name: str, *, exact: bool = True) -> None:
        self.root.get_by_role("button", name=name, exact=exact).first.click()
        self.pump()
