"""The quickstart as it lies in the repository: outputs kept, nothing that makes it large or stale."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MOST_BYTES = 250_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_fault_17_a_committed_notebook_is_small_and_keeps_no_widget_state(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.stat().st_size <= MOST_BYTES
    assert "widgets" not in notebook.metadata
    assert "_esm" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_committed_notebook_was_run_from_top_to_bottom(path: Path) -> None:
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1))
    assert not [o for c in cells for o in c.outputs if o.output_type == "error"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_fault_01_every_output_can_be_read_without_a_kernel(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        kinds = [set(o.get("data", {})) for o in cell.get("outputs", ())]
        for number, kind in enumerate(kinds):
            if "application/vnd.jupyter.widget-view+json" in kind:
                assert "text/html" in kinds[number - 1]
            if "application/vnd.plotly.v1+json" in kind:
                assert {"text/html", "text/plain"} <= kind


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_committed_notebook_names_no_folder_of_the_machine_it_was_run_on(path: Path) -> None:
    text = json.dumps([c.get("outputs", []) for c in nbformat.read(path, as_version=4).cells])
    assert str(Path.home()) not in text
    assert "/tmp/" not in text


def test_the_quickstart_shows_a_round_of_clearing_a_swap_and_a_finished_task() -> None:
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    outputs = {c.id: json.dumps(c.outputs) for c in notebook.cells if c.cell_type == "code"}
    assert "cleared" in outputs["context"]
    assert "policy summarize" in outputs["swap"]
    assert "AutoCompactShaper" in outputs["trace"]
    assert "True" in outputs["passed"]
    assert "simulated" in outputs["figure"]
