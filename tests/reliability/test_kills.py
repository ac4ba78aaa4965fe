"""A few of the 200 kills of `python -m tests.reliability.killing`, which see for how they are made."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.reliability.killing import faults_of

ROOT = Path(__file__).parents[2]
KILLS = 16


def test_a_run_killed_at_any_moment_goes_on_as_if_it_had_not_been() -> None:
    # A process of its own, since it forks: threads of other tests must not be in it.
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.killing", "--kills", str(KILLS), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr[-3_000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["wrong"] == {}
    assert sum(told["where"].values()) == KILLS
    assert sum(n for place, n in told["where"].items() if "in its calls" in place) >= 2, told["where"]
    assert all(rounds > 3 for _, rounds, _ in told["runs"].values()), "no rounds: the run is too easy"


def test_the_comparison_can_fail() -> None:
    found = {
        "committed": 1,
        "replies": 1,
        "sent": ["a"],
        "notices": [],
        "open_calls": [],
        "unmarked": [],
        "state": "done",
        "cut_off": [],
        "requests": ["b"],
    }
    whole = {"requests": ["a", "b"], "state": "done"}
    assert faults_of(found, whole, "folder") == []
    for change in (
        {"sent": ["x"]},
        {"requests": ["x"]},
        {"requests": ["b", "c"]},
        {"state": "stopped(fault)"},
        {"unmarked": ["new.txt"]},
        {"notices": ["changed in the workspace since: a.txt"]},
        {"problem": "Traceback"},
    ):
        assert faults_of({**found, **change}, whole, "folder"), change
