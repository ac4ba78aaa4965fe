"""Cells that write shapers and summarizers, and the exploring verbs, in JupyterLab in both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.views.lab_cells import good, short, wrong

AGENT = "%load_ext opencollab_nb\nsession = %agent --task quickstart\nsession.run(16)"
CELLS = (
    AGENT,
    good(),
    wrong("--use"),
    good("--use"),
    short(),
    "%oc whatif ToolOutputClearShaper(keep_recent=1) OldHistorySnipShaper",
    "%oc at 16",
    "%oc rounds",
)


def test_shapers_and_summarizers_of_cells_are_shown_and_read_alike_in_all_themes(
    notebook: Callable[..., Any], page: Any, screenshots: Path
) -> None:
    book = notebook(*CELLS)
    for number in range(len(CELLS)):
        book.run(number)
        book.wait(number, timeout_ms=120_000)
    assert "all 9 laws hold" in book.text(1)
    assert "not put in force, for it breaks" in book.text(2)
    assert "Pinned messages come out word for word and in place" in book.text(2)
    assert "in force from the next step on: cut_old" in book.text(3)
    assert "paths that the segment never had: src/invented.py" in book.text(4)
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]:visible').count() == 0
    strips = book.output(1).locator("span[style*=flex]")
    assert strips.count() == 2
    assert strips.first.bounding_box()["width"] > 200
    for theme, light in (("JupyterLab Light", "true"), ("JupyterLab Dark", "false")):
        book.command("apputils:change-theme", theme=theme)
        page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")
        for width in (1400, 800):
            page.set_viewport_size({"width": width, "height": 1300})
            page.wait_for_timeout(500)
            for number in (1, 2, 4, 5):
                expect(book.output(number).first).to_be_visible()
                name = f"cell-{number}-{theme.split()[1].lower()}-{width}.png"
                book.cell(number).screenshot(path=screenshots / name)
    book.command("apputils:change-theme", theme="JupyterLab Light")
    page.set_viewport_size({"width": 1400, "height": 1300})


def test_a_summary_unfolds_by_keyboard(notebook: Callable[..., Any], page: Any) -> None:
    book = notebook(AGENT, short())
    for number in range(2):
        book.run(number)
        book.wait(number, timeout_ms=120_000)
    fold = book.output(1).locator("details > summary")
    fold.focus()
    page.keyboard.press("Enter")
    expect(book.output(1).locator("details > pre")).to_be_visible()
