"""Sessions killed while they are made; `python -m tests.reliability.beginnings`.

A child makes a session with anchors, todos, a handoff and a memory, and is killed with SIGKILL as it waits
for the disk for the n-th time, for every n there is. What is resumed must send what a whole one sends.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from opencollab_nb import ContextBudget, MemoryStore
from opencollab_nb.budget import Handoff
from opencollab_nb.errors import TranscriptError
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.reliability.killing import SCRATCH, in_a_child, load_for_children, told_by

TASK = "Add tests for the login."
HOLDS_NONE = "before the task was written"


def memory(path: Path) -> MemoryStore:
    return MemoryStore(path / "memory.db", tenant="us")


def making(path: Path) -> Session:
    budget = ContextBudget(total_budget=32_000)
    budget.register("constraints", "No new tables.")
    budget.register("milestones", "login: form")
    budget.register("lessons", "The suite takes a minute.")
    budget.update_todos(["write the tests", "run them"])
    handoff = Handoff("Add a login.", ("Keep the schema.",), finished=('t1 "the form"',))
    return Session(
        TASK,
        model=ScriptedModel(["Done."]),
        budget=budget,
        memory=memory(path),
        handoff=handoff,
        path=path / "run",
    )


def sending(session: Session) -> dict[str, Any]:
    anchors = [[a.kind, a.text, a.number, a.at] for a in session.anchors]
    todos = [todo.line for todo in session.todos]
    return {"anchors": anchors, "todos": todos, "request": session.request().wire, "state": session.run()}


def dying(path: Path, at: int) -> dict[str, Any]:
    """Make it, and be killed at this wait for the disk."""
    waits, wait = 0, os.fsync

    def counted(descriptor: int) -> None:
        nonlocal waits
        waits += 1
        if waits == at:
            os.kill(os.getpid(), signal.SIGKILL)
        wait(descriptor)

    os.fsync = counted
    making(path)
    return {}


def resumed(path: Path) -> dict[str, Any]:
    try:
        session = Session.resume(path / "run", model=ScriptedModel(["Done."]), memory=memory(path))
    except TranscriptError as problem:
        if HOLDS_NONE not in str(problem) and "holds no run" not in str(problem):
            raise
        return {**sending(making(path)), "anew": True}
    return sending(session)


def all_of_them() -> tuple[list[str], int, int]:
    """What was wrong, at how many moments a session was killed, and how many were begun anew."""
    faults: list[str] = []
    killed = anew = 0
    load_for_children()
    with tempfile.TemporaryDirectory(prefix="begun-", dir=SCRATCH) as scratch:
        folder = Path(scratch)
        (folder / "kept").mkdir()
        memory(folder / "kept").remember(
            "The form is in login.py.", kind="decision", source="run 1", by="user"
        )
        whole = told_by(lambda: sending(making(put(folder, "whole"))), folder / "whole.json")
        while True:
            path = put(folder, f"killed at {killed + 1}")
            child = in_a_child(lambda p=path, n=killed + 1: dying(p, n), folder / "first.json")
            if os.WIFEXITED(os.waitpid(child, 0)[1]):
                return faults, killed, anew
            killed += 1
            found = told_by(lambda p=path: resumed(p), folder / "second.json")
            anew += bool(found.pop("anew", False))
            for part in whole:
                if found.get(part) != whole[part]:
                    there, wanted = json.dumps(found.get(part, found)), json.dumps(whole[part])
                    faults.append(f"at wait {killed}, {part}: {there[:3_000]} instead of {wanted[:3_000]}")
            shutil.rmtree(path)


def put(folder: Path, name: str) -> Path:
    """A folder with a copy of the memory."""
    return Path(shutil.copytree(folder / "kept", folder / name))


def main() -> int:
    faults, killed, anew = all_of_them()
    print(json.dumps({"killed": killed, "begun_anew": anew, "wrong": faults}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
