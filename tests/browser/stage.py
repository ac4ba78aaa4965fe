"""The panel's code in an empty page, with a model that the test speaks for: no server, no kernel."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from opencollab_nb.views.widget import STYLE, joined

THEMES = {
    "light": "--jp-layout-color1:#fff;--jp-ui-font-color1:rgba(0,0,0,.87)",
    "dark": "--jp-layout-color1:#111;--jp-ui-font-color1:#fff",
}

RAISE = """async (code) => {
    const url = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
    const panel = (await import(url)).default();
    const heard = {};
    window.sent = [];
    window.tell = (message) => heard['msg:custom'](message);
    window.lose = () => heard['comm_live_update']();
    const model = {on: (name, f) => { heard[name] = f; }, off: () => {}, send: (m) => sent.push(m)};
    panel.initialize({model});
    const el = document.getElementById('place');
    const close = panel.render({model, el});
    window.closeView = close;
}"""

STATE: dict[str, Any] = {
    "run": "paused",
    "detail": "",
    "doing": "",
    "step": 3,
    "max_steps": 120,
    "name": "orders",
    "model": "simulated agent",
    "window": 16_000,
    "window_label": "16k window",
    "trigger": 10_000,
    "target": 7_500,
    "tokens": 6_000,
    "source": "calibrated by 3 replies",
    "sent": 9,
    "stored": 12,
    "spent": 12_000,
    "budget": 100_000,
    "cached_ratio": 0.5,
    "question": "",
    "question_number": 0,
    "question_editable": False,
    "held_by": "",
    "policy": "default",
    "mode": "sticky",
    "pending": "",
    "problem": "",
    "chain": [
        ["Clear old results", "keeps newest 5 of 5 tools", 0],
        ["Compact", "needs a summarizer", 1],
    ],
    "savings": [[3, 800, 2, 1_500], []],
    "layers": [
        [
            *(1, "Clear old results", "ToolOutputClearShaper", 1, 0, "keeps the newest 5 of 5 tools"),
            [["keep_recent", "int", 5, 5, 0], ["stub", "str", "[cleared]", "[cleared]", None]],
        ],
        [2, "Compact", "AutoCompactShaper", 1, 1, "needs a summarizer", []],
        [3, "mine", "mine", 0, 0, "a function of this notebook", []],
    ],
    "saved": {"ToolOutputClearShaper": [3, 800, 2, 1_500]},
    "problems": {"ToolOutputClearShaper": [3, "ValueError: no (line 3)"]},
    "draft": "",
    "summarizer": ["none", "none"],
    "target_ratio": 0.75,
    "known": ["ToolOutputClearShaper"],
    "known_summarizers": [],
    "pins": [],
    "rounds": 7,
    "branches": [[2, "/runs/orders-at-2"]],
}


def empty_page(page: Page, theme: str, style: str = STYLE) -> None:
    """A page with nothing in it but the place for a panel, in the colours of a theme."""
    light = "true" if theme == "light" else "false"
    page.set_content(
        f"<!doctype html><style>body{{margin:10px;{THEMES[theme]};background:var(--jp-layout-color1)}}"
        f"{style}</style><body data-jp-theme-light={light}><div id=place></div>"
    )


class Stage:
    """A page with one panel."""

    def __init__(self, page: Page, theme: str = "light") -> None:
        self.page = page
        empty_page(page, theme)
        page.evaluate(RAISE, joined())
        self.seq = 0

    def tell(self, kind: str, **parts: Any) -> None:
        """A message of the kernel."""
        self.seq += 1
        self.page.evaluate("message => tell(message)", {"kind": kind, "seq": self.seq, **parts})
        self.drawn()

    def full(self, rows: int = 3, **state: Any) -> None:
        """The whole picture of a session with so many steps."""
        self.tell(
            "full",
            rows=[row(step) for step in range(1, rows + 1)],
            marks=[[step, "clear", 0] for step in range(3, rows, 9)] + [[2, "summarize", 1]],
            log=[[step, f"grep needle {step}", 1, 40, 0.5] for step in range(max(1, rows - 199), rows + 1)],
            state={**STATE, "step": rows, **state},
        )

    def drawn(self) -> None:
        """Until the next frame has been drawn."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    @property
    def sent(self) -> list[dict[str, Any]]:
        """What the panel has sent to the kernel."""
        found: list[dict[str, Any]] = self.page.evaluate("() => sent")
        return found

    @property
    def orders(self) -> list[dict[str, Any]]:
        """The clicks among what was sent."""
        return [message for message in self.sent if message["kind"] == "do"]

    @property
    def asks(self) -> set[int]:
        """The numbers under which the whole picture was asked for."""
        return {message["ask"] for message in self.sent if message["kind"] == "ready"}


def row(step: int) -> list[int]:
    return [step, 900, 420, 500 + 700 * (step % 9), 300 + 10 * (step % 50), 0, 0, 0]
