"""The compare panel in JupyterLab: load a folder, edit a chain, run, look, and a figure on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

from playwright.sync_api import expect

from tests.browser.test_lab import nothing_is_cut_off, theme
from tests.browser.test_quickstart_panel import LOAD, button, readable

FOLDER = Path(__file__).parents[2] / "data" / "transcripts"
FRAME = 'print(len(panel.frame), sorted(panel.frame["mode"].unique()))'


def test_a_folder_is_compared_by_controls_and_the_picture_is_kept_in_both_themes(
    notebook: Callable[..., Any], page: Any, screenshots: Path
) -> None:
    page.set_viewport_size({"width": 1400, "height": 2000})
    book = notebook(LOAD, "panel = %oc compare\npanel", FRAME)
    copytree(FOLDER, book.path.parent / "transcripts")
    for number in range(2):
        book.run(number)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    expect(book.output(1).locator(".oc-snapshot")).to_be_hidden()
    button(panel, "Run").click()
    expect(panel.get_by_role("alert").first).to_contain_text("no transcript is there")

    panel.get_by_label("Path to load").fill("transcripts")
    button(panel, "Load").click()
    files = panel.locator(".oc-files label")
    expect(files).not_to_have_count(0, timeout=30_000)
    files.nth(1).get_by_role("checkbox").check()
    expect(panel.locator(".oc-about").first).to_contain_text("2 transcripts × 2 chains")
    panel.get_by_label("A chain to add").select_option("default")
    button(panel, "Add").first.click()
    keep = panel.get_by_label("Clear old results: keep recent")
    keep.fill("1")
    keep.press("Enter")
    expect(panel.locator(".oc-chains .oc-shown")).to_contain_text("keep_recent=1")
    panel.get_by_label("windows").fill("12_000")
    panel.get_by_label("windows").press("Enter")
    panel.get_by_label("count what survives").check()
    button(panel, "Run").click()
    expect(panel.locator(".oc-state b")).to_have_text("done", timeout=120_000)
    expect(panel.locator(".oc-results tbody tr")).to_have_count(6)
    expect(panel.locator(".oc-results thead")).to_contain_text("needed and gone")
    expect(panel.locator(".oc-results thead")).not_to_contain_text("mode")
    expect(panel.locator(".oc-curves path")).not_to_have_count(0)
    panel.get_by_label("What is drawn").select_option("tokens")
    expect(panel.locator(".oc-curves")).to_have_attribute("aria-label", "input tokens so far, 3 curves")
    panel.get_by_label("What is drawn").select_option("pressure")
    panel.locator(".oc-curves").hover(position={"x": 200, "y": 100})
    expect(panel.locator(".oc-figures")).to_be_visible()
    expect(panel.locator("section .oc-told")).to_contain_text("step")
    for shade in ("light", "dark"):
        theme(book, page, shade)
        page.mouse.move(0, 0)
        readable(panel)
        nothing_is_cut_off(panel)
        panel.screenshot(path=screenshots / f"compare-{shade}.png")
    theme(book, page, "light")
    book.run(2)
    assert "['sticky']" in book.text(2)
    button(panel, "Plotly figure").click()
    expect(book.output(1).locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=60_000)

    book.restart_kernel()
    expect(panel.locator(".oc-state b")).to_have_text("kernel gone", timeout=30_000)
    expect(button(panel, "Run")).to_have_attribute("aria-disabled", "true")
