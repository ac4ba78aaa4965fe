"""What forty runs of one cell leave in the page, beside a widget that shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RERUNS = 40
MORE_NODES_A_RERUN = 15
MORE_LISTENERS_A_RERUN = 3

SETUP = """
import anywidget
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session

class Empty(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { el.textContent = 'empty'; } }"

former = None
session = Session("Wait.", model=ScriptedModel(), window=16_000)
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
    """Nodes and listeners a rerun, over forty, after a few to warm up."""

    def run(times: int) -> None:
        for _ in range(times):
            book.run(cell)
            book.output(cell).locator(marker).wait_for()

    run(5)
    before = meter.read()
    run(RERUNS)
    after = meter.read()
    return (after[0] - before[0]) / RERUNS, (after[1] - before[1]) / RERUNS


def test_reruns_of_a_panel_leave_no_more_than_those_of_an_empty_widget(
    notebook: Callable[..., Any], page: Any
) -> None:
    book = notebook(SETUP, CONTROL, PANEL)
    book.run(0)
    meter = Meter(page)
    control = growth(book, 1, "text=empty", meter)
    panel = growth(book, 2, ".oc-panel", meter)
    print(f"nodes and listeners a rerun: empty widget {control}, panel {panel}")
    assert panel[0] <= control[0] + MORE_NODES_A_RERUN
    assert panel[1] <= control[1] + MORE_LISTENERS_A_RERUN
