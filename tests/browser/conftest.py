"""One server and one browser for all browser tests; a page for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MOST_WAIT_MS = 30_000
"""For what a page shall show: on a machine with other work five seconds pass before a kernel has answered."""
REQUIRED = os.environ.get("OPENCOLLAB_REQUIRE_BROWSER") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Closed after the last test here: while it lives, an event loop counts as running in this thread."""
    from playwright.sync_api import expect, sync_playwright

    from tests.browser.lab import chromium

    path = chromium()
    if path is None:
        reason = "no browser here; type: apt-get install -y chromium fonts-dejavu-core"
        if REQUIRED:
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=MOST_WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    from tests.browser.lab import lab_server

    with lab_server(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page; what goes wrong in it is a failure of the test."""
    from tests.browser.lab import serious

    page = browser.new_page(viewport={"width": 1400, "height": 1300})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    yield page
    found = serious(errors)
    page.close()
    assert not found, found


@pytest.fixture
def notebook(
    page: Any, lab: tuple[str, Path], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """Opens a notebook of the given cells."""
    from tests.browser.lab import Notebook

    opened: list[Notebook] = []

    def open_notebook(*cells: str) -> Notebook:
        opened.append(Notebook(page, *lab, cells, f"{request.node.name}.ipynb"))
        return opened[-1]

    yield open_notebook
    for book in opened:
        book.close()


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where pictures go: into the documentation only when that is asked for."""
    if os.environ.get("OPENCOLLAB_SCREENSHOTS") != "1":
        return tmp_path
    folder = Path(__file__).parents[2] / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
