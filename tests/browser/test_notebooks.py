"""The quickstart notebook as it is shipped: Run All in JupyterLab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import expect

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "01_quickstart.ipynb"


def test_run_all_of_the_quickstart(notebook: Callable[..., Any], page: Any, tmp_path: Path) -> None:
    cells = [c for c in nbformat.read(QUICKSTART, as_version=4).cells if c.cell_type == "code"]
    at = {cell.id: number for number, cell in enumerate(cells)}
    book = notebook(*(cell.source for cell in cells))
    book.begin("notebook:run-all-cells")
    panel = book.panel(at["panel"])
    expect(panel).to_be_visible(timeout=60_000)
    expect(panel.get_by_role("meter")).not_to_have_attribute("aria-valuenow", "0", timeout=60_000)
    assert not book.has_run(at["finish"]), "the panel lives while the cells below it run"
    book.wait(len(cells) - 1, timeout_ms=180_000)

    assert page.locator(".jp-NotebookPanel:visible .oc-panel:visible").count() == 1
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]:visible').count() == 0
    expect(panel.locator(".oc-state b")).to_have_text("done")
    assert "cleared" in book.text(at["context"])
    assert "True" in book.text(at["passed"])

    figure = book.output(at["figure"])
    expect(figure.locator(".js-plotly-plot")).to_be_visible(timeout=60_000)
    assert figure.locator("table").count() == 0, "the table is for places that draw no plotly"
    for name in ("one", "figure"):
        book.cell(at[name]).screenshot(path=tmp_path / f"notebook-{name}.png")
    book.command("apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_timeout(500)
    book.run(at["figure"])
    expect(figure.locator(".js-plotly-plot")).to_be_visible(timeout=60_000)
    paper = figure.locator(".main-svg").first.evaluate("e => getComputedStyle(e).backgroundColor")
    assert paper == "rgb(17, 20, 24)", "a figure made on a dark page is dark"
    for name in ("one", "figure"):
        book.cell(at[name]).screenshot(path=tmp_path / f"notebook-{name}-dark.png")
    book.command("apputils:change-theme", theme="JupyterLab Light")
