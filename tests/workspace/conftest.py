"""A workspace with a small real project in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opencollab_nb.workspace import Workspace

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "tests/test_cart.py": (
        "from shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
    ),
    "notes.txt": "first\nsecond\nthird\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def repository(folder: Path) -> Path:
    run_git(folder, "init -q -b main .")
    run_git(folder, "add -A")
    run_git(folder, "-c user.name=a -c user.email=a@b commit -qm start")
    return folder


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., Workspace]]:
    """Opens workspaces that are closed when the test ends."""
    made: list[Workspace] = []

    def open_workspace(root: Path = folder, **settings: object) -> Workspace:
        made.append(Workspace(root, **settings))  # type: ignore[arg-type]
        return made[-1]

    yield open_workspace
    for workspace in made:
        workspace.close()


@pytest.fixture
def workspace(opened: Callable[..., Workspace]) -> Workspace:
    return opened()


@pytest.fixture
def shell(opened: Callable[..., Workspace]) -> Workspace:
    return opened(shell="allow", time_limit_seconds=30)


def run_git(folder: Path, arguments: str) -> None:
    subprocess.run(["git", *arguments.split()], cwd=folder, check=True, capture_output=True)
