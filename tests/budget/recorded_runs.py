"""Runs of the shipped tasks, made once, for the tests of reports."""

from __future__ import annotations

import shutil
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.session import Session
from opencollab_nb.shaping.summary import Summary, SummaryRequest
from opencollab_nb.tasks import load_task
from opencollab_nb.tokens.usage import Usage

RUNS = [
    ("quickstart", "managed"),
    ("quickstart", "summarized"),
    ("quickstart", "stateless"),
    ("orders", "managed"),
]
"""Task, and the way it is run (see `made`): what holds for a run is tried on each."""
_KEPT = TemporaryDirectory(prefix="recorded-")


def summarizing(request: SummaryRequest) -> Summary:
    """A summarizer that reports what its calls cost."""
    text = f"Found so far: {request.text[:200]}"
    return Summary(text, usage=Usage(len(request.text) // 4, 0, 60), model="small")


@lru_cache(maxsize=8)
def made(task: str, how: str) -> Path:
    ways: dict[str, dict[str, Any]] = {
        "managed": {"budget": ContextBudget()},
        "summarized": {"budget": ContextBudget(restate_every=3), "summarizer": summarizing},
        "stateless": {"budget": ContextBudget(), "mode": "stateless"},
        "plain": {},
        "uncut": {"shapers": [], "window": 200_000},
    }
    path = Path(_KEPT.name) / f"{task}-{how}"
    session = load_task(task).session(path=path, **ways[how])
    session.run()
    session.close()
    return path


def a_run(task: str = "quickstart", how: str = "managed") -> Session:
    """The run, opened without a model; not to be changed."""
    return Session.resume(made(task, how))


def a_copy(folder: Path, task: str = "quickstart", how: str = "managed") -> Path:
    """The files of the run in a folder of their own."""
    path = folder / "copy"
    shutil.copytree(made(task, how), path, ignore=shutil.ignore_patterns("workspace", "shadow.git", "lock"))
    return path
