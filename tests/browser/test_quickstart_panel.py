"""The shipped task in JupyterLab, from the magic to the picture that stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.test_page import CONTRAST, LEAST_CONTRAST

LOAD = "%load_ext opencollab_nb"
QUICKSTART = "%agent --task quickstart"


def button(panel: Locator, name: str) -> Locator:
    return panel.get_by_role("button", name=name, exact=True)


def readable(panel: Locator) -> None:
    found = panel.evaluate(CONTRAST)
    assert len(found) > 40
    assert found[0][0] >= LEAST_CONTRAST, found[:5]


def test_fault_01_the_quickstart_leaves_a_readable_picture_after_a_restart_and_a_reload(
    notebook: Callable[..., Any], page: Any, screenshots: Path
) -> None:
    book = notebook(LOAD, QUICKSTART)
    book.run(0)
    book.run(1)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    expect(panel).to_contain_text("simulated agent")
    expect(book.output(1).locator(".oc-snapshot")).to_be_hidden()
    meter = panel.get_by_role("meter")
    assert meter.get_attribute("aria-valuenow") == "0"

    for step in ("1", "2"):
        button(panel, "Step").click()
        expect(panel.locator(".oc-steps b")).to_have_text(step)
        expect(panel.locator(".oc-state b")).to_have_text("paused")
    first = int(meter.get_attribute("aria-valuenow"))
    assert first > 0

    panel.get_by_label("Run to step").fill("24")
    button(panel, "Run").click()
    expect(panel.locator(".oc-steps b")).to_have_text("24", timeout=90_000)
    expect(panel.locator(".oc-state b")).to_have_text("paused")
    assert int(meter.get_attribute("aria-valuenow")) > first
    expect(panel.locator(".oc-mark")).not_to_have_count(0)

    panel.get_by_label("Policy").select_option("summarize")
    expect(panel.locator(".oc-card", has=page.get_by_label("Compact, in the chain"))).to_contain_text(
        "extractive summarizer"
    )
    expect(panel.locator(".oc-swap")).to_have_count(1)
    panel.get_by_label("Run to step").fill("")
    button(panel, "Run").click()
    expect(panel.locator(".oc-state b")).to_have_text("done", timeout=120_000)
    expect(panel.get_by_role("alert")).to_be_hidden()
    assert panel.locator("tbody tr").count() > 24

    usual = page.viewport_size
    page.set_viewport_size({**usual, "height": 2_000})  # all of the panel, for the picture
    page.mouse.move(0, 0)  # off the buttons
    strip = panel.get_by_label("Messages of the request")
    strip.press("Home")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        strip.press(key)
    expect(panel.get_by_label("Message", exact=True)).to_contain_text("Summary of")
    strip.blur()
    page.wait_for_timeout(500)
    readable(panel)
    panel.screenshot(path=screenshots / "panel-light.png")
    book.command("apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_timeout(500)
    readable(panel)
    panel.screenshot(path=screenshots / "panel-dark.png")
    page.set_viewport_size(usual)
    book.command("apputils:change-theme", theme="JupyterLab Light")

    book.restart_kernel()
    expect(panel).to_contain_text("Run this cell again")
    expect(button(panel, "Run")).to_have_attribute("aria-disabled", "true")
    book.command("docmanager:save")
    book.reload()
    snapshot = book.output(1).locator(".oc-snapshot")
    expect(snapshot).to_be_visible()
    expect(snapshot).to_contain_text(re.compile(r"state\s*done"))
    expect(snapshot).to_contain_text("Compact")
