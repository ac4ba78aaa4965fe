"""`python -m tests.reliability.beginnings`, which see."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_session_killed_while_it_is_made_is_resumed_with_the_rest_or_begun_anew() -> None:
    # A process of its own, since it forks: threads of other tests must not be in it.
    command = [sys.executable, "-m", "tests.reliability.beginnings"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr[-3_000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["wrong"] == []
    assert told["killed"] - told["begun_anew"] > 10
