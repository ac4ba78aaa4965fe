"""A panel beside other cells: a run goes on behind it, cells block, cells are run again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.test_quickstart_panel import LOAD, button

HOSTILE = "<img src=x onerror=window.__x=1>"
AGENT = f"""
import time
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session

def reply(request):
    time.sleep(0.05)
    call = {{"id": "c", "type": "function", "function": {{"name": "{HOSTILE}", "arguments": "{{}}"}}}}
    return {{"content": "{HOSTILE}", "tool_calls": [call]}}

agent = Session("{HOSTILE}", model=ScriptedModel(reply, usage="count"), window=16_000, name="{HOSTILE}")
agent
"""
STANDING = "print(agent.state, len(agent.trace.of('swap')))"
BLOCK = f"import time\nprint('blocking')\ntime.sleep(6)\n{STANDING}"
AWAIT = f"import asyncio\nprint('awaiting')\nawait asyncio.sleep(6)\n{STANDING}"
WIDGETS = "import ipywidgets; print('alive', len(ipywidgets.Widget.widgets))"

SOON_SECONDS = 3.0
"""A click acts in a tenth of a second; the rest is room for a busy machine."""


def state_is(panel: Locator, text: str) -> None:
    expect(panel.locator(".oc-state b")).to_have_text(text)


def acted_in(panel: Locator, name: str, state: str) -> float:
    """Seconds from a click to the state it brings."""
    begun = time.monotonic()
    button(panel, name).click()
    panel.page.wait_for_function(
        "([e, text]) => e.textContent === text", arg=[panel.locator(".oc-state b").element_handle(), state]
    )
    return time.monotonic() - begun


def test_fault_10_clicks_act_once_while_cells_block_and_wait_and_a_rerun_closes_the_former_panel(
    notebook: Callable[..., Any], page: Any
) -> None:
    book = notebook(LOAD, AGENT, BLOCK, AWAIT, WIDGETS)
    book.run(0)
    book.run(1)
    panel = book.panel(1)
    expect(panel).to_be_visible()

    for swaps, cell, word in ((1, 2, "blocking"), (2, 3, "awaiting")):
        acted_in(panel, "Run", "running")
        book.start(cell)
        expect(book.output(cell)).to_contain_text(word)
        seconds = acted_in(panel, "Pause", "paused")
        print(f"Pause while {word}: {seconds:.2f} s")
        assert seconds < SOON_SECONDS
        acted_in(panel, "Run", "running")
        panel.get_by_label("Policy").select_option(("summarize", "default")[swaps % 2])
        expect(panel.locator(".oc-swap")).to_have_count(swaps)
        acted_in(panel, "Stop", "stopped (by user)")
        acted_in(panel, "Run", "running")
        acted_in(panel, "Pause", "paused")
        book.wait(cell)
        expect(book.output(cell)).to_contain_text(f"paused {swaps}")

    assert page.evaluate("() => window.__x") is None
    assert page.locator(".oc-panel img, .oc-snapshot img").count() == 0
    expect(panel.locator(".oc-what").first).to_contain_text(HOSTILE)

    book.command("docmanager:save")
    book.reload()
    state_is(panel, "paused")
    book.start(2)
    expect(book.output(2)).to_contain_text("blocking")
    assert acted_in(panel, "Run", "running") < SOON_SECONDS, "the first click after a reload"
    acted_in(panel, "Pause", "paused")
    book.wait(2)

    book.run(4)
    alive = book.text(4)
    book.run(1)
    expect(book.panel(1)).to_have_count(1)
    state_is(book.panel(1), "ready")
    book.run(4)
    assert book.text(4) == alive
