"""The lab in JupyterLab: a chain swapped mid-run, the map, the slider, a what-if, a message restored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.test_quickstart_panel import LOAD, button, readable

AGENT = "%agent --task quickstart --pace 0.3"
SESSION = f"""{LOAD}
from opencollab_nb import load_task
agent = load_task("quickstart").session()
agent
"""


def theme(book: Any, page: Any, name: str) -> None:
    book.command("apputils:change-theme", theme=f"JupyterLab {name.title()}")
    light = "true" if name == "light" else "false"
    page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")
    page.wait_for_timeout(500)


def run_to(panel: Locator, step: int) -> None:
    panel.get_by_label("Run to step").fill(str(step))
    button(panel, "Run").click()
    expect(panel.locator(".oc-steps b")).to_have_text(str(step), timeout=120_000)
    expect(panel.locator(".oc-state b")).to_have_text("paused")


def nothing_is_cut_off(panel: Locator) -> None:
    over = panel.evaluate(
        "root => [...root.querySelectorAll('section, .oc-bar, .oc-card')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className)"
    )
    assert not over


def walk_to(panel: Locator, word: str) -> None:
    """By keys to the first cell of the map that says `word`, and open it."""
    strip = panel.get_by_role("slider", name="Messages of the request")
    strip.focus()
    strip.press("Home")
    for _ in range(150):
        if word in (strip.get_attribute("aria-valuetext") or ""):
            strip.press("Enter")
            return
        strip.press("ArrowRight")
    raise AssertionError(f"no cell says {word}")


@pytest.mark.parametrize(("width", "shade"), [(1400, "light"), (800, "dark")])
def test_the_lab_from_swap_to_restore(
    notebook: Callable[..., Any], page: Any, tmp_path: Path, width: int, shade: str
) -> None:
    page.set_viewport_size({"width": width, "height": 1500})
    book = notebook(LOAD, AGENT)
    book.run(0)
    if width < 1000:
        book.command("application:toggle-left-area")
    theme(book, page, shade)
    book.run(1)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    run_to(panel, 18)

    # Swapped while steps are made.
    panel.get_by_label("Run to step").fill("26")
    button(panel, "Run").click()
    expect(panel.locator(".oc-state b")).to_have_text("running")
    keep = panel.get_by_label("Clear old results: keep recent")
    keep.fill("2")
    keep.press("Enter")
    expect(panel.locator(".oc-answer")).to_contain_text("from step")
    panel.get_by_label("Snip old groups, in the chain").uncheck()
    expect(panel.locator(".oc-state b")).to_have_text("paused", timeout=120_000)
    expect(panel.locator(".oc-swap")).not_to_have_count(0)
    expect(panel.get_by_label("Policy")).to_have_value("custom")
    expect(keep).to_have_value("2")

    # The map: point, choose, read the diff, restore.
    strip = panel.get_by_role("slider", name="Messages of the request")
    strip.hover(position={"x": 5, "y": 15})
    expect(panel.locator(".oc-told").first).to_contain_text("tokens")
    walk_to(panel, "cleared")
    expect(panel.locator(".oc-message h3")).to_contain_text("cleared")
    expect(panel.locator(".oc-left")).not_to_have_count(0)
    expect(panel.locator(".oc-came")).to_contain_text("cleared")
    readable(panel)
    nothing_is_cut_off(panel)
    panel.screenshot(path=tmp_path / f"lab-map-{shade}-{width}.png")
    button(panel, "Restore from the next step").click()
    expect(panel.locator(".oc-answer")).to_contain_text("Restored")
    button(panel, "Step").click()
    expect(panel.locator(".oc-steps b")).to_have_text("27")
    expect(panel.locator(".oc-message h3")).to_contain_text("verbatim")
    expect(button(panel, "Unpin")).to_be_visible()

    # Back in time, and live again.
    panel.get_by_label("Step to look at").fill("6")
    expect(panel.locator(".oc-map h3")).to_contain_text("at step 6")
    expect(panel.locator(".oc-message h3")).to_contain_text("as it was")
    readable(panel)
    panel.screenshot(path=tmp_path / f"lab-past-{shade}-{width}.png")
    button(panel, "Live").click()
    expect(panel.locator(".oc-map h3")).to_contain_text("at step 27")

    # What another chain would have sent.
    button(panel, "What if…").click()
    expect(panel.locator(".oc-chain h3")).to_have_text("Draft chain")
    panel.get_by_label("Policy").select_option("summarize")
    panel.get_by_label("Summarizer", exact=True).select_option("extractive")
    button(panel, "Project").click()
    expect(panel.locator(".oc-whatif")).to_contain_text("prefix kept", timeout=60_000)
    page.wait_for_function("() => document.querySelector('.oc-other').getAttribute('d')")
    other = panel.get_by_role("slider", name="The request of the draft's chain")
    other.focus()
    other.press("Home")
    other.press("ArrowRight")
    other.press("Enter")
    expect(panel.locator(".oc-whatif .oc-diff")).to_be_visible()
    readable(panel)
    nothing_is_cut_off(panel)
    panel.screenshot(path=tmp_path / f"lab-whatif-{shade}-{width}.png")
    button(panel, "Discard").click()
    expect(panel.locator(".oc-whatif")).to_be_hidden()

    panel.locator("summary", has_text="Rounds").click()
    expect(panel.locator(".oc-rounds .oc-card")).not_to_have_count(0)
    expect(panel.get_by_role("alert")).to_be_hidden()
    readable(panel)
    theme(book, page, "light")


def test_two_panels_stay_in_step_and_a_fork_leaves_the_run_as_it_is(
    notebook: Callable[..., Any], page: Any
) -> None:
    count = "print(agent.steps, len(agent.branches), agent.branches[0][0])"
    book = notebook(SESSION, "agent", count, "%oc @quickstart-at-2 panel")
    book.run(0)
    book.run(1)
    one, other = book.panel(0), book.panel(1)
    run_to(one, 4)
    for panel in (one, other):
        expect(panel.locator(".oc-map h3")).to_contain_text("at step 4")
    one.get_by_label("Clear old results: keep recent").fill("1")
    one.get_by_label("Clear old results: keep recent").press("Enter")
    expect(other.get_by_label("Clear old results: keep recent")).to_have_value("1")
    button(other, "What if…").click()
    expect(one.locator(".oc-chain h3")).to_have_text("Draft chain")
    button(one, "Discard").click()
    expect(other.locator(".oc-chain h3")).to_have_text("Chain")

    one.get_by_label("Step to look at").fill("2")
    expect(one.locator(".oc-map h3")).to_contain_text("at step 2")
    button(one, "Fork here").click()
    expect(one.locator(".oc-branches")).to_contain_text("after step 2", timeout=30_000)
    expect(other.locator(".oc-branches")).to_contain_text("after step 2")
    book.run(2)
    assert book.text(2).split() == ["4", "1", "2"]
    expect(one.locator(".oc-code:visible")).to_have_text("%oc @quickstart-at-2 panel")

    # The branch in this very panel, while the other panel stays with the run; and by its line in a cell.
    one.get_by_role("button", name="Show").click()
    expect(one.locator(".oc-steps b")).to_have_text("2")
    button(one, "Step").click()
    expect(one.locator(".oc-steps b")).to_have_text("3", timeout=30_000)
    expect(other.locator(".oc-run").nth(1).locator(".oc-facts")).to_contain_text("3")
    expect(other.locator(".oc-steps b")).to_have_text("4")
    book.run(3)
    expect(book.panel(3).locator(".oc-steps b")).to_have_text("3")
    expect(one.get_by_role("alert")).to_be_hidden()
    assert page.locator(".oc-panel [role=alert]:visible").count() == 0
