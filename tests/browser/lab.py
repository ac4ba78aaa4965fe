"""JupyterLab in headless chromium: a server of its own, and notebooks driven through the page."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Locator, Page

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 60
WIDGET = "window.jupyterapp.shell.currentWidget"

SETTINGS = {
    # Otherwise cells outside the window are not in the page.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension/themes": {"theme": "JupyterLab Light", "adaptive-theme": False},
}


def chromium() -> str | None:
    """The path of a browser, None where there is none."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


@contextmanager
def lab_server(root: Path) -> Iterator[tuple[str, Path]]:
    """A server on a free port with folders of its own; gives its address and the notebooks' folder."""
    notebooks = root / "notebooks"
    notebooks.mkdir()
    for name, values in SETTINGS.items():
        path = root / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    port = free_port()
    with (root / "lab.log").open("w") as log:
        process = subprocess.Popen(
            command(port, notebooks), env=environment(root), stdout=log, stderr=subprocess.STDOUT
        )
        try:
            base = f"http://127.0.0.1:{port}"
            await_server(base, process, root / "lab.log")
            yield base, notebooks
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:  # a server may wait for ever for a kernel that is gone
                process.kill()
                process.wait(30)


def command(port: int, notebooks: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"),
        *("--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0", "--IdentityProvider.token="),
        *("--ServerApp.disable_check_xsrf=True", "--LabApp.expose_app_in_browser=True"),
        f"--ServerApp.root_dir={notebooks}",
    ]


def environment(root: Path) -> dict[str, str]:
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "OPENCOLLAB_NB_HOME": "runs",
    }
    path = str(Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", "")
    return {**os.environ, **{name: str(root / folder) for name, folder in folders.items()}, "PATH": path}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def await_server(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{base}/api/status", timeout=1):
                return
        except OSError:
            time.sleep(0.3)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


class Notebook:
    """One notebook open in the page."""

    def __init__(self, page: Page, base: str, folder: Path, cells: Sequence[str], name: str) -> None:
        self.page, self.path = page, folder / name
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, self.path)
        self.open(f"{base}/lab/tree/{name}?reset")

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.await_ready()

    def reload(self) -> None:
        self.page.reload()
        self.await_ready()

    def await_ready(self) -> None:
        """The indicator says idle too early: a cell run before these promises is dropped silently."""
        self.page.wait_for_function(
            f"() => window.jupyterapp && {WIDGET} && {WIDGET}.context && {WIDGET}.content", timeout=60_000
        )
        self.page.evaluate(
            f"""async () => {{
                const w = {WIDGET};
                await w.context.ready; await w.revealed; await w.sessionContext.ready;
                await w.sessionContext.session.kernel.info;
            }}"""
        )

    def cell(self, index: int) -> Locator:
        return self.page.locator(".jp-NotebookPanel:visible .jp-Cell.jp-CodeCell").nth(index)

    def output(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-Cell-outputArea")

    def panel(self, index: int) -> Locator:
        return self.output(index).locator(".oc-panel")

    def start(self, index: int) -> None:
        """Begin to run a cell."""
        self.page.evaluate(
            f"""i => {{
                const book = {WIDGET}.content;
                book.activeCellIndex = i; book.deselectAll();
                window.jupyterapp.commands.execute('notebook:run-cell');
            }}""",
            index,
        )

    def wait(self, index: int, timeout_ms: float = 60_000) -> None:
        """Until the cell has run."""
        self.page.wait_for_function(
            f"i => /\\[\\d+\\]/.test({WIDGET}.content.widgets[i].inputArea.promptNode.textContent)",
            arg=index,
            timeout=timeout_ms,
        )

    def has_run(self, index: int) -> bool:
        """True once the cell has run."""
        prompt: str = self.cell(index).locator(".jp-InputArea-prompt").inner_text()
        return re.fullmatch(r"\[\d+\]:", prompt.strip()) is not None

    def run(self, index: int) -> None:
        self.start(index)
        self.page.wait_for_timeout(100)
        self.wait(index)

    def text(self, index: int) -> str:
        """All text under a cell."""
        return self.output(index).inner_text()

    def command(self, name: str, **arguments: Any) -> None:
        """Run one of JupyterLab's commands and wait for it."""
        self.page.evaluate(
            "async ([n, a]) => { await window.jupyterapp.commands.execute(n, a) }", [name, arguments]
        )

    def begin(self, name: str) -> None:
        """Run one of JupyterLab's commands without waiting: one that runs cells ends with the last."""
        self.page.evaluate("n => { window.jupyterapp.commands.execute(n) }", name)

    def restart_kernel(self) -> None:
        self.page.evaluate(f"async () => {{ await {WIDGET}.sessionContext.restartKernel() }}")

    def close(self) -> None:
        """End the kernel, so that few are alive at a time."""
        self.page.evaluate(f"async () => {{ await {WIDGET}.sessionContext.shutdown() }}")


def serious(errors: Sequence[str]) -> list[str]:
    """Page errors that are not JupyterLab's own habits."""
    habits = re.compile(
        r"favicon|news|extension-?manager|ResizeObserver loop|status of 404|ServiceWorker"
        r"|debugger state|widget model not found",
        re.IGNORECASE,
    )
    return [error for error in errors if not habits.search(error)]
