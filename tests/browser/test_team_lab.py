"""A team of simulated seats in JupyterLab: its panel, and below it that of one member."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.test_quickstart_panel import LOAD, button, readable

TEAM = """
from opencollab_nb import Team, load_task
from opencollab_nb.team.seats import seats
spec, models = seats("orders", tokens={"analyst": 180_000, "coder": 30_000, "tester": 40_000})
solo = load_task("orders").session()
team = Team(spec, model=models, workspace=solo.workspace)
team.run(40)
team"""


def test_a_team_is_shown_steps_and_a_member_s_panel_opens_below_it(
    notebook: Callable[..., Any], page: Any, screenshots: Path
) -> None:
    book = notebook(LOAD, TEAM)
    for number in range(2):
        book.run(number)
        book.wait(number, timeout_ms=120_000)
    panel = book.panel(1).first
    # One of the 40 was not made: the coder had nothing left.
    expect(panel.locator(".oc-steps b")).to_have_text("39")
    expect(book.output(1).locator(".oc-snapshot")).to_be_hidden()
    button(panel, "Step").click()
    expect(panel.locator(".oc-steps b")).to_have_text("40")
    expect(panel.locator(".oc-state b")).to_have_text("paused")
    page.mouse.move(0, 0)
    for shade in ("light", "dark"):
        book.command("apputils:change-theme", theme=f"JupyterLab {shade.title()}")
        light = "true" if shade == "light" else "false"
        page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")
        page.wait_for_timeout(500)
        page.wait_for_function("() => document.querySelector('.oc-lanes').offsetWidth > 600")
        readable(panel)
        panel.screenshot(path=screenshots / f"team-{shade}.png")
    book.command("apputils:change-theme", theme="JupyterLab Light")
    panel.locator(".oc-lane-name").nth(1).click()
    member = page.get_by_role("region", name="Session coder")
    expect(member).to_be_visible()
    expect(member).to_contain_text("simulated agent")
    panel.locator(".oc-lane-name").nth(1).click()
    expect(member).to_have_count(0)
