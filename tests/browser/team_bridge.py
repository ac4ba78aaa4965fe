"""A real team's panel in an empty page, and below it that of the member that is chosen: no server between."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from opencollab_nb.team import Team
from opencollab_nb.views.team_panel import TeamPanel
from opencollab_nb.views.team_widget import TEAM_CODE, TEAM_STYLE
from opencollab_nb.views.widget import CODE, STYLE
from tests.browser.bridge import PUMP_SECONDS
from tests.browser.stage import empty_page

RAISE = """async ([teamCode, code, style]) => {
    const load = async (text) => {
        const url = URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
        return (await import(url)).default;
    };
    const [team, session] = [await load(teamCode), await load(code)];
    const models = {};
    window.sent = [];
    window.begin = (id, make) => {
        const heard = {};
        const panel = make();
        const widget_manager = {
            get_model: async (other) => {
                const sheet = document.createElement('style');
                sheet.textContent = style; // it comes with the first panel of a session, so after the team's
                document.head.append(sheet);
                return begin(other, session);
            },
            create_view: async (one) => one.view(),
        };
        const on = (name, f) => { heard[name] = f; };
        const model = {on, off: () => {}, send: (m) => sent.push([id, m]), widget_manager};
        panel.initialize({model});
        const view = () => {
            const el = document.createElement('div');
            const close = panel.render({model, el});
            return {el, remove: () => { close(); el.remove(); }};
        };
        return models[id] = {heard, view};
    };
    window.tell = (id, message, texts) => {
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        models[id]?.heard['msg:custom'](message, texts.map((text) => new DataView(bytes(text).buffer)));
    };
    window.lose = () => Object.values(models).forEach((one) => one.heard['comm_live_update']());
    const view = begin('team', team).view();
    window.closeView = view.remove;
    document.getElementById('place').append(view.el);
}"""


class TeamBridge:
    """One page with the panel of one team; `pump` carries messages over, both ways."""

    def __init__(self, page: Page, team: Team, theme: str = "light") -> None:
        self.page, self.team = page, team
        self.panel = TeamPanel(team)
        empty_page(page, theme, TEAM_STYLE)
        page.evaluate(RAISE, [TEAM_CODE, CODE, STYLE])
        self.heard = 0
        self.told: dict[str, int] = {}
        self.until(lambda: self.root.is_visible())

    @property
    def root(self) -> Locator:
        return self.page.locator(".oc-panel").first

    def pump(self) -> None:
        sent = self.page.evaluate("(from) => sent.slice(from)", self.heard)
        self.heard += len(sent)
        for name, content in sent:
            panel = self._panel(name)
            if panel is not None:
                message = {"content": {"data": {"method": "custom", "content": content}}, "buffers": []}
                panel.widget.comm.handle_msg(message)
        for name in ("team", self.panel.member.widget.model_id if self.panel.member else ""):
            self._tell(name)
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    def _panel(self, name: str) -> Any:
        if name == "team":
            return self.panel
        member = self.panel.member
        return member if member is not None and member.widget.model_id == name else None

    def _tell(self, name: str) -> None:
        panel = self._panel(name)
        if panel is None:
            return
        published = panel.widget.comm.published
        fresh, self.told[name] = published[self.told.get(name, 0) :], len(published)
        for data, buffers in fresh:
            if data.get("method") == "custom":
                texts = [base64.b64encode(b).decode() for b in buffers]
                self.page.evaluate("(parts) => tell(...parts)", [name, data["content"], texts])

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

    def press(self, name: str) -> None:
        self.root.get_by_role("button", name=name, exact=True).first.click()
        self.pump()
