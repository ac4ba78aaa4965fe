"""The parts of the lab on one notebook, read in light and dark, wide and narrow: text, ground, edges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.test_lab import nothing_is_cut_off, run_to, theme, walk_to
from tests.browser.test_quickstart_panel import LOAD, button, readable
from tests.views.lab_cells import good

AGENT = """
from opencollab_nb import ExtractiveSummarizer, load_task
agent = load_task("quickstart").session(policy="summarize", summarizer=ExtractiveSummarizer())
agent"""
BREAKS = """%%shaper breaks
def breaks(messages, pressure):
    if len(messages) > 20:
        raise ValueError("no room for <b>this</b>")
    return messages
"""
USE = "%oc use breaks AutoCompactShaper;"
NAME = "from opencollab_nb.views import names_of\nnames_of(get_ipython()).put('agent', agent)"
PAUSES = """
careful = load_task("quickstart").session(shapers=[breaks], on_shaper_error="pause", name="careful")
careful"""


def shown(panel: Locator) -> None:
    """Every part of the lab with something in it."""
    walk_to(panel, "stands for")
    expect(panel.locator(".oc-message h3")).to_contain_text("Summary of")
    for fold in ("Rounds", "Step log"):
        panel.locator("summary", has_text=fold).first.click()
    expect(panel.locator(".oc-rounds .oc-card")).not_to_have_count(0)
    button(panel, "What if…").click()
    button(panel, "Project").click()
    expect(panel.locator(".oc-whatif")).to_contain_text("prefix kept", timeout=60_000)


def test_every_part_is_read_in_every_theme_and_width_and_errors_of_cells_end_no_run(
    notebook: Callable[..., Any], page: Any, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1400, "height": 1500})
    book = notebook(LOAD, AGENT, NAME, BREAKS, good(), USE, PAUSES)
    for number in range(5):
        book.run(number)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    assert "breaks" in book.text(3)
    assert "laws hold" in book.text(4)
    run_to(panel, 30)

    # A shaper that fails is skipped, with the line of the cell; the run goes on.
    book.run(5)
    run_to(panel, 40)
    card = panel.locator(".oc-card", has=page.get_by_label("breaks, in the chain"))
    expect(card).to_contain_text("Skipped at step")
    expect(card).to_contain_text("no room for <b>this</b>")
    expect(card).to_contain_text("line 3")
    expect(panel.get_by_role("alert")).to_be_hidden()

    shown(panel)
    for shade in ("light", "dark"):
        theme(book, page, shade)
        for width in (1400, 800):
            page.set_viewport_size({"width": width, "height": 1500})
            page.wait_for_timeout(400)
            readable(panel)
            nothing_is_cut_off(panel)
            panel.screenshot(path=tmp_path / f"look-{shade}-{width}.png")
    theme(book, page, "light")
    page.set_viewport_size({"width": 1400, "height": 1500})

    # With `on_shaper_error="pause"` the run rests instead, and says why.
    book.run(6)
    careful = book.panel(6)
    expect(careful).to_be_visible()
    button(careful, "Run").click()
    expect(careful.locator(".oc-state b")).to_have_text("paused", timeout=60_000)
    expect(careful).to_contain_text("no room for <b>this</b>")
    assert page.locator(".oc-panel b", has_text="this").count() == 0
