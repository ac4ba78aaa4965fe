"""Run notebooks from top to bottom, keep outputs but no widget state: `python notebooks/execute.py`.

Saved widget state would be megabytes of code that no reader of the file can use; the panel's snapshot stays.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
KEPT = ("kernelspec", "language_info")


def execute(path: Path) -> None:
    """Run the notebook in its folder and write it back.

    Raises:
        CellExecutionError: a cell failed; the file is as it was.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        store_widget_state=False,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata = {key: notebook.metadata[key] for key in KEPT if key in notebook.metadata}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(map(str, HERE.glob("*.ipynb"))):
        execute(Path(name))
