"""A disk that refuses: the session stops with a clear error, and nothing is kept in memory only."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import read_lines
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.transcript import Transcript
from tests.session.build import Tools, a_session, echo, working

ROOT = Path(__file__).parents[2]
FULL = """
import json, resource, signal, sys
from tests.session.build import *
session = a_session(sys.argv[1], working(50, chars=3_000))
room = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
state = session.run()
told = {
    "state": state,
    "detail": session.detail,
    "error": type(session.error).__name__,
    "messages": session.transcript.messages,
    "events": session.trace.events,
    "steps": session.steps,
}
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
told["again"] = session.run()
session.close()
print(json.dumps(told))
"""


@pytest.mark.parametrize("room_bytes", [4_000, 9_973, 20_011, 30_000])
def test_a_full_disk_stops_the_run_and_keeps_nothing_in_memory_only(tmp_path: Path, room_bytes: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "run"), str(room_bytes)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2_000:]
    told = json.loads(run.stdout)
    assert told["state"] == "stopped(fault)"
    assert told["error"] == "TranscriptError"
    assert "cannot be written: File too large" in told["detail"]
    stored = Transcript.open(tmp_path / "run" / "transcript.jsonl")
    count = len(told["messages"])
    assert stored.messages[:count] == told["messages"]
    assert read_lines(tmp_path / "run" / "events.jsonl").values[: len(told["events"])] == told["events"]
    # With room again the same session goes on, and the whole run is sound.
    assert told["again"] == "done"
    assert stored.notices == []
    resumed = Session.resume(tmp_path / "run", model=ScriptedModel([]), workspace=Tools(echo=echo))
    assert resumed.state == "done"


def test_a_run_folder_that_cannot_be_made_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TranscriptError, match=r"cannot be written to.*path="):
        a_session(tmp_path / "file" / "run")


def test_a_run_folder_that_vanishes_is_a_fault(tmp_path: Path) -> None:
    import shutil

    session = a_session(tmp_path / "run", working(5))
    session.run(2)
    count = len(session.transcript)
    session.transcript.close()
    shutil.rmtree(tmp_path / "run")
    (tmp_path / "run").write_text("in the way")
    assert session.run() == "stopped(fault)"
    assert isinstance(session.error, TranscriptError)
    assert len(session.transcript) == count
    assert session.steps == 2


def test_a_folder_that_holds_a_run_is_not_written_over(tmp_path: Path) -> None:
    a_session(tmp_path / "run").close()
    with pytest.raises(TranscriptError, match=r"holds a run already.*resume"):
        a_session(tmp_path / "run")
