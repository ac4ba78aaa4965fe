"""The tests that decide: the task's own copies, out of the agent's reach, on a copy of its sources."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opencollab_nb.models.simulated.plan import Alteration, Plan
from opencollab_nb.tasks.repository import newest_commit
from opencollab_nb.workspace.child import Finished, run_child
from opencollab_nb.workspace.contained import Containment, Limits, limited
from opencollab_nb.workspace.environment import Surroundings

TIME_LIMIT_SECONDS = 120.0
OUTPUT_CHARS = 400_000
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "conftest.py", ".git")
OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (?:\[\d+\] )?([^\s:]+)", re.MULTILINE)
RAN_TO_THE_END = (0, 1)
"""pytest's exit status where all passed, or some failed."""
SETTINGS = "[pytest]\npythonpath = .\n"


def accepted(plan: Plan, project: Path, tree: Path) -> dict[str, bool]:
    """For each test file of the plan: do all its tests pass on the sources in `tree`?

    Sources are what the plan calls so; everything else (tests, settings, data) is the task's original.
    A file counts only if exactly as many tests passed as the plan declares, and no other outcome came.
    Where the work is tests, a file must also fail on each altered project: one that checks nothing
    passes everywhere.
    """
    outcomes = outcomes_on(plan, project, tree, list(plan.tests))
    passed = {
        file: bool(outcomes[file]) and outcomes[file] == ["PASSED"] * (count or len(outcomes[file]))
        for file, count in plan.tests.items()
    }
    for alteration in plan.altered:
        candidates = [file for file, good in passed.items() if good]
        if not candidates:
            break
        outcomes = outcomes_on(plan, project, tree, candidates, alteration)
        passed |= {file: "FAILED" in outcomes[file] for file in candidates}
    return passed


def outcomes_on(
    plan: Plan, project: Path, tree: Path, files: list[str], alteration: Alteration | None = None
) -> dict[str, list[str]]:
    """The outcome of every test in these files, on a copy of the project with the sources of `tree`."""
    with scratch() as (folder, surroundings):
        subject = folder / "subject"
        shutil.copytree(project, subject, ignore=LEFT_OUT)
        for source in plan.sources:
            put_in_place(tree / source, subject / source)
        if alteration is not None:
            alter(subject, alteration)
        (folder / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
        env = {**surroundings.env(), "COLUMNS": "400"}
        there = [file for file in files if (subject / file).is_file()]
        before = contents(subject, there)
        if not there:
            return {file: [] for file in files}
        private = surroundings.folder
        finished = run_tests(folder, private, env, there)
        output = finished.output
        if finished.code not in RAN_TO_THE_END:
            # One source can end the whole run, as with a SystemExit; then each file is run by itself.
            output = "\n".join(run_tests(folder, private, env, [file]).output for file in there)
        if contents(subject, there) != before:
            return {file: [] for file in files}  # a source that rewrites the tests has passed none
    outcomes = OUTCOME.findall(output)
    return {file: [o for o, f in outcomes if f == file] for file in files}


def contents(subject: Path, files: list[str]) -> list[bytes | None]:
    """The bytes of these files, None for what is no file any more."""
    paths = [subject / file for file in files]
    return [path.read_bytes() if path.is_file() and not path.is_symlink() else None for path in paths]


def alter(subject: Path, alteration: Alteration) -> None:
    """Make every number that the alteration names one more."""

    def one_more(hit: re.Match[str]) -> str:
        start, end = (place - hit.start() for place in hit.span(1))
        return f"{hit[0][:start]}{int(hit[1]) + 1}{hit[0][end:]}"

    place = subject / alteration.path
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(alteration.match, one_more, text), encoding="utf-8")


def run_tests(folder: Path, private: Path, env: dict[str, str], files: list[str]) -> Finished:
    """One run of pytest in the copy that lies in `folder`, held as the agent's commands are."""
    subject = folder / "subject"
    argv = [
        *(sys.executable, "-B", "-m", "pytest", "-q", "-rA", "--tb=no", "--color=no", "--noconftest"),
        *("--continue-on-collection-errors", "-p", "no:cacheprovider"),
        *("-c", str(folder / "pytest.ini"), f"--rootdir={subject}", f"--basetemp={folder / 'tests'}"),
        *files,
    ]
    argv = limited(argv, Limits.of(TIME_LIMIT_SECONDS))
    return run_child(
        Containment.of(folder).held(argv, private, cwd=subject),
        cwd=subject,
        env=env,
        time_limit_seconds=TIME_LIMIT_SECONDS,
        output_chars=OUTPUT_CHARS,
    )


def put_in_place(source: Path, target: Path) -> None:
    """The agent's version of a source instead of the original; nothing where it has none."""
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    if source.is_symlink():
        return
    if source.is_dir():
        # A link could lead to files of this machine, so it stays a link.
        shutil.copytree(source, target, ignore=LEFT_OUT, symlinks=True)
    elif source.is_file():
        shutil.copyfile(source, target)


@contextmanager
def committed(root: Path) -> Iterator[Path | None]:
    """The files of a repository's newest commit in a folder of their own; None where there is none."""
    with scratch() as (folder, surroundings):
        yield newest_commit(root, folder, surroundings)


@contextmanager
def scratch() -> Iterator[tuple[Path, Surroundings]]:
    """A temporary folder and the environment of a child that works there."""
    with tempfile.TemporaryDirectory(prefix="opencollab-nb-judge-") as name:
        folder = Path(name).resolve()
        surroundings = Surroundings(folder)
        try:
            yield folder, surroundings
        finally:
            surroundings.close()
