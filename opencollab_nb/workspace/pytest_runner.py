"""run_tests: real pytest on the workspace, in a forked child where the system can, else in a new process."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.child import Finished, Group, Process, watched
from opencollab_nb.workspace.contained import Containment, Limits, limited
from opencollab_nb.workspace.forks import TestServer
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.shell import said
from opencollab_nb.workspace.texts import without_addresses, without_timings

_CONFIGS = (
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pyproject.toml", "[tool.pytest"),
    ("tox.ini", "[pytest]"),
    ("setup.cfg", "[tool:pytest]"),
)
"""Where pytest looks for its settings, and what must stand in it."""
_COUNTED = re.compile(r"\b\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected)\b")
SETTINGS_BYTES = 1 << 20
NO_TESTS = 5
"""pytest's exit status for "no tests collected"."""


def run_tests(
    folder: Folder,
    env: Mapping[str, str],
    path: str | None,
    *,
    server: TestServer | None,
    held_by: Containment,
    private: Path,
    time_limit_seconds: float,
    output_chars: int,
    ticket: Ticket | None,
) -> str:
    """The report of pytest, without seconds and addresses; `Error: …` only if pytest itself could not run.

    Raises:
        ToolProblem: the path leads out.
        StepCancelled: the ticket was cancelled.
    """
    arguments = pytest_arguments(folder, path, Path(env["TMPDIR"]))

    def begin() -> Process:
        limits, run = Limits.of(time_limit_seconds), None
        if server is not None:
            run = server.run(arguments, cwd=folder.root, env=env, limits=limits, ticket=ticket)
        if run is not None:
            return run
        argv = limited([sys.executable, "-m", "pytest", *arguments], limits)
        return Group(held_by.held(argv, private), cwd=folder.root, env=env)

    finished = watched(begin, time_limit_seconds=time_limit_seconds, output_chars=output_chars, ticket=ticket)
    return report(replace(finished, code=held_by.code(finished.code)), path, time_limit_seconds)


def pytest_arguments(folder: Folder, path: str | None, scratch: Path) -> list[str]:
    """What pytest is started with; nothing above the workspace folder configures it.

    Raises:
        ToolProblem: the path leads out.
    """
    file, colons, test = (path or ".").partition("::")
    with folder.place(file):
        inside = "/".join(folder.parts(file)) or "."
    fixed = ["-q", "-p", "no:cacheprovider", "--color=no", "--rootdir=.", "--confcutdir=."]
    # A fixed place for tmp_path: a counted one would show in the results.
    return [
        *fixed,
        "-c",
        settings_file(folder.root, inside),
        f"--basetemp={scratch / 'pytest'}",
        f"./{inside}{colons}{test}",
    ]


def settings_file(root: Path, inside: str) -> str:
    """The settings nearest to the tests, but none from above the workspace."""
    here = root / inside
    for place in (here, *here.parents):
        for name, mark in _CONFIGS:
            file = place / name
            if file.is_file() and mark in _start_of(file):
                return str(file)
        if place == root:
            break
    return "/dev/null"


def _start_of(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(SETTINGS_BYTES).decode("utf-8", "replace")


def report(finished: Finished, path: str | None, time_limit_seconds: float) -> str:
    """The result text of one run."""
    output = without_addresses(without_timings(finished.output)).strip()
    where = path or "the workspace"
    if finished.timed_out or finished.code < 0:
        return said(finished, time_limit_seconds).strip()
    if "No module named pytest" in output:
        return "Error: pytest is not installed beside this Python; install it with `pip install pytest`."
    if _COUNTED.search(output):
        return output
    if finished.code == NO_TESTS:
        return f"Error: pytest found no tests in {where}; name a test file or folder.\n{output}"
    return f"Error: pytest could not run {where} (exit status {finished.code})\n{output}"
