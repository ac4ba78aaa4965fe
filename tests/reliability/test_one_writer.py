"""Disks and folders that refuse, a second process, a clock that goes backwards."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from opencollab_nb.errors import TranscriptError
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.session.build import Tools, a_session, echo, working

ROOT = Path(__file__).parents[2]
HOLDS = """
import sys
from tests.session.build import *
session = a_session(sys.argv[1], working(3))
session.run(1)
print("held", flush=True)
sys.stdin.read()
"""
NOT_ROOT = """
import os, sys
from pathlib import Path
from opencollab_nb.errors import TranscriptError
from opencollab_nb.session import Session
from tests.session.build import *
folder = Path(sys.argv[1])
a_session(folder / "first").run()  # all is imported, also where others may not read this checkout
Session.resume(folder / "first").close()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for act in (lambda: Session.resume(folder / "run"), lambda: a_session(folder / "shut" / "new")):
    try:
        act()
    except TranscriptError as problem:
        print(problem)
"""


@contextmanager
def another_process(folder: Path) -> Iterator[int]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield holder.pid
    finally:
        holder.kill()
        holder.communicate()


def test_a_second_process_is_refused_with_who_holds_the_run_and_leaves_no_trace(tmp_path: Path) -> None:
    with another_process(tmp_path / "run") as pid:
        held = {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir() if p.is_file()}
        with pytest.raises(TranscriptError) as refusal:
            Session.resume(tmp_path / "run")
        text = str(refusal.value)
        assert f"process {pid} on {socket.gethostname()} since 20" in text
        assert "close it there, or work on a copy" in text
        with pytest.raises(TranscriptError, match="holds a run already"):
            a_session(tmp_path / "run")
        assert held == {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir() if p.is_file()}
    again = Session.resume(tmp_path / "run", model=ScriptedModel(["done"]), workspace=Tools(echo=echo))
    assert again.run() == "done"


@pytest.mark.parametrize("said", [b"", b"4711", b"{", b"[1]", b'{"pid": 1}', b"\xff"])
def test_a_holder_that_says_nothing_of_use_is_another_process(tmp_path: Path, said: bytes) -> None:
    with another_process(tmp_path / "run"):
        (tmp_path / "run" / "lock").write_bytes(said)
        with pytest.raises(TranscriptError, match="is open for writing by another process"):
            Session.resume(tmp_path / "run")


def test_what_a_dead_process_said_of_itself_holds_nobody_up(tmp_path: Path) -> None:
    a_session(tmp_path / "run").close()
    told = {"pid": 1, "host": "elsewhere", "since": "2020-01-01T00:00:00+00:00"}
    (tmp_path / "run" / "lock").write_text(json.dumps(told))
    Session.resume(tmp_path / "run").close()
    assert json.loads((tmp_path / "run" / "lock").read_text())["pid"] == os.getpid()


@pytest.mark.parametrize(
    ("mode", "said"),
    [(0o555, "cannot be written to: Permission denied"), (0o000, "cannot be read: Permission denied")],
)
def test_a_folder_that_may_only_be_read_or_not_even_that_is_refused(mode: int, said: str) -> None:
    # Not in pytest's own folder, which other users may not enter.
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        session = a_session(folder / "run")
        session.run()
        session.close()
        (folder / "shut").mkdir()
        folder.chmod(0o755)
        for path in (*(folder / "run").iterdir(), folder / "run", folder / "shut"):
            path.chmod(mode if path.is_dir() else 0o444)
        done = subprocess.run(
            [sys.executable, "-c", NOT_ROOT, scratch],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        for path in (folder / "run", folder / "shut"):
            path.chmod(0o700)
    told = done.stdout.splitlines()
    assert len(told) == 2, done.stderr[-2_000:]
    assert said in told[0]
    assert all("Permission denied" in text for text in told)
    assert "path=" in told[1]


def test_a_clock_that_goes_backwards_changes_no_request(tmp_path: Path) -> None:
    """Nothing is read from the times that events hold: order is their numbers'."""
    whole = a_session(tmp_path / "whole", working(6, chars=9_000))
    whole.run()
    session = a_session(tmp_path / "run", working(6, chars=9_000))
    session.run(4)
    model = session.model
    session.close()
    path = tmp_path / "run" / "events.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for number, event in enumerate(events):
        event["at"] = f"20{99 - number % 60:02}-01-01T00:00:00.000+00:00"
    path.write_text("".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events))
    again = Session.resume(tmp_path / "run", model=model, workspace=Tools(echo=echo))
    assert again.run() == "done"
    assert [r.wire for r in model.requests] == [r.wire for r in whole.model.requests]
    assert again.request(2).wire == whole.request(2).wire
    assert again.at(3) is not None
    assert len(again.trace.to_frame()) == len(again.trace.events)
