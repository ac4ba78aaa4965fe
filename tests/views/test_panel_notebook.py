"""A panel in a notebook that is executed, saved and read by programs without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

CELLS = (
    "%load_ext opencollab_nb",
    "%agent --task quickstart",
    "%oc run 3",
    "import time; time.sleep(2)  # a user would look at something now",
)
MOST_BYTES = 120_000


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    folder = tmp_path_factory.mktemp("executed")
    client = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENCOLLAB_NB_HOME", str(folder / "runs"))
        return client.execute()


def test_the_snapshot_and_the_live_half_are_two_outputs(executed: Any) -> None:
    snapshot, live = executed.cells[1].outputs[-2:]
    assert set(snapshot.data) == {"text/plain", "text/html"}
    assert "application/vnd.jupyter.widget-view+json" in live.data
    assert "text/html" not in live.data
    assert live.data["text/plain"].startswith("[live panel")


def test_the_snapshot_tells_of_what_other_cells_did(executed: Any) -> None:
    text = executed.cells[1].outputs[-2].data["text/plain"]
    assert "steps  3" in text
    assert "simulated agent" in text


def test_the_file_is_small_with_the_state_of_widgets_in_it(executed: Any, tmp_path: Path) -> None:
    nbformat.write(executed, tmp_path / "saved.ipynb")
    assert "widgets" in executed.metadata
    assert (tmp_path / "saved.ipynb").stat().st_size < MOST_BYTES


def test_converted_without_widget_state_the_snapshot_is_there(executed: Any) -> None:
    plain = nbformat.from_dict(executed)
    del plain.metadata["widgets"]
    page, _ = HTMLExporter().from_notebook_node(plain)
    assert 'class="oc-snapshot ' in page
    assert "effective tokens" in page
