"""What fifty runs of one cell leave in page and kernel, beside a widget that shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RERUNS = 50
MORE_NODES_A_RERUN = 15
MORE_LISTENERS_A_RERUN = 3
EMPTY = 2
"""The empty widget and its layout."""

SETUP = """
import anywidget
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session

class Empty(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { el.textContent = 'empty'; } }"

former = None
session = Session("Wait.", model=ScriptedModel(["Done."]), window=16_000)
%load_ext opencollab_nb
"""
CONTROL = """
if former is not None:
    former.layout.close()
    former.close()
former = Empty()
former
"""
PANEL = "session"
LEFT = """
import gc
from ipywidgets.widgets.widget import _instances
from opencollab_nb.views.panel import Panel
panels = [one for one in gc.get_objects() if type(one) is Panel and not one.closed]
print(len(_instances), len(panels), len(session._bench.news._subscribers))
"""


class Meter:
    """Counts DOM nodes and listeners of the whole page, after a collection."""

    def __init__(self, page: Any) -> None:
        self.cdp = page.context.new_cdp_session(page)
        self.cdp.send("Performance.enable")

    def read(self) -> tuple[int, int]:
        for _ in range(3):
            self.cdp.send("HeapProfiler.collectGarbage")
        metrics = {m["name"]: m["value"] for m in self.cdp.send("Performance.getMetrics")["metrics"]}
        return int(metrics["Nodes"]), int(metrics["JSEventListeners"])


def growth(book: Any, cell: int, marker: str, meter: Meter) -> tuple[float, float]:
    """Nodes and listeners a rerun, over fifty, after a few to warm up."""

    def run(times: int) -> None:
        for _ in range(times):
            book.run(cell)
            book.output(cell).locator(marker).wait_for()

    run(5)
    before = meter.read()
    run(RERUNS)
    after = meter.read()
    return (after[0] - before[0]) / RERUNS, (after[1] - before[1]) / RERUNS


def test_fifty_reruns_of_a_panel_leave_one_live_and_no_more_than_those_of_an_empty_widget(
    notebook: Callable[..., Any], page: Any
) -> None:
    book = notebook(SETUP, CONTROL, PANEL, LEFT)
    book.run(0)
    book.run(2)
    book.run(3)
    widgets, panels, listeners = map(int, book.text(3).split())
    assert (panels, listeners) == (1, 1)
    meter = Meter(page)
    control = growth(book, 1, "text=empty", meter)
    panel = growth(book, 2, ".oc-panel", meter)
    print(f"nodes and listeners a rerun: empty widget {control}, panel {panel}")
    assert panel[0] <= control[0] + MORE_NODES_A_RERUN
    assert panel[1] <= control[1] + MORE_LISTENERS_A_RERUN
    book.run(3)
    left = tuple(map(int, book.text(3).split()))
    assert left == (widgets + EMPTY, 1, 1), "what the kernel holds after a hundred runs"
    assert page.locator(".jp-NotebookPanel:visible .oc-panel").count() == 1
    button = page.locator(".oc-panel").get_by_role("button", name="Step", exact=True)
    button.click()
    page.locator(".oc-steps b", has_text="1").wait_for()
    sheets = page.evaluate("() => [...document.querySelectorAll('style')].map(sheet => sheet.textContent)")
    assert len([text for text in sheets if ".oc-panel" in text]) == 1, (
        "the code and its style come once a page"
    )
