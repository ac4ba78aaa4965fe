"""All of the lab by keys alone, in JupyterLab: from running the cell to the answer of a shell question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.test_quickstart_panel import LOAD

AGENT = """
from opencollab_nb import load_task
from opencollab_nb.models.scripted import ScriptedModel
agent = load_task("quickstart").session(policy="summarize")
agent"""
ASKING = """
import json
from opencollab_nb import Session
def ask(request):
    function = {"name": "bash", "arguments": json.dumps({"command": "echo by keys"})}
    call = {"id": f"c{len(request.messages)}", "type": "function", "function": function}
    return {"content": None, "tool_calls": [call]}
asking = Session("Ask.", model=ScriptedModel(ask), workspace=".", shell="ask", window=16_000, name="asking")
asking"""
ACTIVE = """() => {
    const e = document.activeElement;
    if (!e.closest('.oc-panel')) return '';
    return e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim();
}"""


class Keys:
    """A user without a pointer."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def at(self) -> str:
        """What has the focus, in the panel; empty outside."""
        return str(self.page.evaluate(ACTIVE))

    def to(self, name: str, *, back: bool = False, most: int = 140) -> None:
        """By Tab to what has this name."""
        seen = []
        for _ in range(most):
            if self.at == name or self.at.startswith(f"{name} "):
                ring = self.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
                assert ring != "none", f"the focus on {name} is not seen"
                return
            seen.append(self.at)
            self.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"{name} was not reached: {seen}")


def walk_to(keys: Keys, strip: Locator, word: str) -> None:
    keys.press("Home")
    for _ in range(150):
        if word in (strip.get_attribute("aria-valuetext") or ""):
            return
        keys.press("ArrowRight")
    raise AssertionError(f"no cell says {word}")


def test_the_whole_lab_is_used_by_keys_alone(notebook: Callable[..., Any], page: Any) -> None:
    book = notebook(LOAD, AGENT, ASKING)
    book.run(0)
    book.run(1)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    keys = Keys(page)
    page.evaluate("() => document.activeElement.blur()")
    book.cell(1).locator(".jp-InputPrompt").click()
    cells = page.locator(".jp-NotebookPanel:visible .jp-Cell").count()

    keys.to("Run to step")
    page.keyboard.type("30")
    keys.press("Enter")
    expect(panel.locator(".oc-steps b")).to_have_text("30", timeout=60_000)
    expect(panel.locator(".oc-state b")).to_have_text("paused")
    keys.to("Step", back=True)
    keys.press("Enter")
    expect(panel.locator(".oc-steps b")).to_have_text("31")

    # The slider, and a letter that would be a command of the notebook.
    keys.to("Step to look at")
    keys.press("ArrowLeft", "ArrowLeft")
    expect(panel.locator(".oc-map h3")).to_contain_text("at step 29")
    keys.press("d", "d", "x", "End")

    # The map and the message of a cell.
    keys.to("Messages of the request")
    strip = panel.get_by_role("slider", name="Messages of the request")
    walk_to(keys, strip, "summarized")
    keys.press("Enter")
    expect(panel.locator(".oc-message h3")).to_contain_text("summarized")

    # The chain editor.
    keys.to("Clear old results: keep recent")
    keys.press("ControlOrMeta+a")
    page.keyboard.type("2")
    keys.press("Enter")
    expect(panel.locator(".oc-answer")).to_contain_text("from step 32")
    assert keys.at == "Clear old results: keep recent", "the focus stays where it was"
    keys.to("Clear old results, in the chain", back=True)
    keys.press(" ")
    expect(panel.get_by_label("Clear old results, in the chain")).not_to_be_checked()
    keys.to("Move Clear old results up")
    keys.press("Enter")
    expect(panel.locator(".oc-answer")).to_contain_text("moved up")

    # A what-if, used.
    keys.to("What if…")
    keys.press("Enter")
    expect(panel.locator(".oc-chain h3")).to_have_text("Draft chain")
    keys.to("Project")
    keys.press("Enter")
    expect(panel.locator(".oc-whatif")).to_contain_text("prefix kept", timeout=60_000)
    keys.to("The request of the draft's chain")
    keys.press("Home", "ArrowRight", "Enter")
    keys.to("Discard", back=True)
    keys.press("Enter")
    expect(panel.locator(".oc-chain h3")).to_have_text("Chain")

    # Restored from the message; then the cards of rounds.
    keys.to("Restore from the next step")
    keys.press("Enter")
    expect(panel.locator(".oc-answer")).to_contain_text("Restored")
    keys.to("Rounds")
    keys.press("Enter")
    expect(panel.locator(".oc-rounds .oc-card")).not_to_have_count(0)
    keys.to("See step")
    keys.press("Enter")
    expect(panel.locator(".oc-message h3, .oc-map h3").first).to_contain_text("step")
    keys.to("Step log")
    keys.press("Enter")
    expect(panel.locator(".oc-scroll").last).to_be_visible()

    # The question of a shell.
    book.run(2)
    panel = book.panel(2)
    expect(panel).to_be_visible()
    book.cell(2).locator(".jp-InputPrompt").click()
    keys.to("Step")
    keys.press("Enter")
    expect(panel.locator(".oc-state b")).to_have_text("waiting for you")
    keys.to("Allow")
    keys.press("Enter")
    expect(panel.locator(".oc-steps b")).to_have_text("1", timeout=30_000)
    expect(panel.locator(".oc-last")).to_contain_text("ok")
    assert page.locator(".jp-NotebookPanel:visible .jp-Cell").count() == cells, "no key was a command"
    assert page.locator(".oc-panel [role=alert]:visible").count() == 0
