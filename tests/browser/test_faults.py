"""What notebook users complain of, where only a page shows it: flicker, frozen clicks, late lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.test_background_panel import SOON_SECONDS, acted_in, state_is
from tests.browser.test_lab import walk_to
from tests.browser.test_quickstart_panel import LOAD, button

PACED = """
import time
from opencollab_nb import Session
from opencollab_nb.models.scripted import ScriptedModel

def calls(pace):
    def reply(request):
        time.sleep(pace)
        number = len(request.messages)
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        return {"content": f"reply {number}", "tool_calls": [call]}
    return reply

class Files:
    shell, question = "off", None
    big = 1
    def schemas(self):
        return [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    def call(self, name, arguments, *, ticket=None):
        self.big -= 1
        return "begin" + "x y " * 1_250_000 + "end" if self.big >= 0 else "found " * 30
    def close(self):
        pass

paced = Session("Go on.", model=ScriptedModel(calls(0.1), usage="count"), window=16_000, name="paced",
                workspace=Files(), policy="summarize")
paced
"""
FAST = """fast = Session("Go on.", model=ScriptedModel(calls(0), usage="count"), window=16_000, name="fast",
               workspace=Files())
fast.run(2)
fast"""
BIG = "len(fast.transcript.messages[3]['content']), len(fast.trace.events)"
WATCH = """() => {
    const book = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer');
    const outer = book ?? document.querySelector('.jp-Notebook');
    const cell = document.querySelector('.oc-panel').closest('.jp-Cell');
    const seen = window.seen = {heights: new Set(), scrolls: new Set(), frames: 0, slowest: 0, lines: []};
    let former = performance.now();
    const look = (now) => {
        seen.frames += 1;
        seen.slowest = Math.max(seen.slowest, now - former);
        former = now;
        seen.heights.add(cell.getBoundingClientRect().height);
        seen.scrolls.add(outer.scrollTop);
        const line = document.querySelector('.oc-panel tbody tr td')?.textContent ?? '';
        if (line && seen.lines.at(-1) !== line) seen.lines.push(line);
        if (!seen.over) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
WATCHED = """() => { seen.over = true;
    return {heights: [...seen.heights], scrolls: [...seen.scrolls], lines: seen.lines.map(Number),
            frames: seen.frames, slowest: seen.slowest}; }"""


def test_faults_13_19_23_lines_come_live_nothing_moves_and_clicks_act_at_full_speed(
    notebook: Callable[..., Any], page: Any
) -> None:
    book = notebook(LOAD, PACED, FAST, BIG)
    book.run(0)
    book.run(1)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    panel.get_by_label("Run to step").fill("8")
    button(panel, "Run").click()
    state_is(panel, "paused")
    panel.locator("summary", has_text="Step log").click()
    panel.get_by_label("Run to step").fill("90")

    button(panel, "Run").click()
    state_is(panel, "running")
    page.wait_for_timeout(500)
    page.evaluate(WATCH)
    page.wait_for_timeout(6_000)
    seen = page.evaluate(WATCHED)
    print({key: value for key, value in seen.items() if key != "lines"}, len(seen["lines"]))
    assert len(seen["heights"]) == 1, "the cell keeps its height"
    assert len(seen["scrolls"]) == 1, "the notebook keeps its place"
    assert len(seen["lines"]) > 10, "lines come while the run goes on and no cell runs"
    assert seen["lines"] == sorted(set(seen["lines"])), "each in its order"
    assert acted_in(panel, "Stop", "stopped (by user)") < SOON_SECONDS

    book.run(2)
    panel = book.panel(2)
    expect(panel).to_be_visible()
    walk_to(panel, "message 3 ")
    expect(panel.locator(".oc-message")).to_contain_text("session.transcript.messages[3]")
    expect(panel.locator(".oc-message")).to_contain_text("begin")
    assert panel.locator(".oc-message").evaluate("e => e.textContent.length") < 30_000

    acted_in(panel, "Run", "running")
    page.wait_for_timeout(2_000)
    for _ in range(3):
        seconds = acted_in(panel, "Pause", "paused")
        print(f"Pause at full speed: {seconds:.2f} s")
        assert seconds < SOON_SECONDS
        acted_in(panel, "Run", "running")
        page.wait_for_timeout(500)
    acted_in(panel, "Pause", "paused")
    book.run(3)
    print("characters of the result, events:", book.text(3))
    assert "5000008" in book.text(3)
