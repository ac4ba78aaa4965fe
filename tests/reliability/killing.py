"""Runs killed with SIGKILL at seeded random moments; `python -m tests.reliability.killing --kills 200`.

A fork server: this process imports everything once and forks a child for each run, each resume and each
uninterrupted run to compare with. A moment is a number of bytes that the transcript must have reached,
and a delay after that, so it lies inside the run however slow the machine is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opencollab_nb.messages import tool_calls_of
from opencollab_nb.pressure.windows import window_of
from opencollab_nb.tokens.exact import encoding_for
from opencollab_nb.transcript.repair import INTERRUPTED
from tests.reliability.agent import FORMS, digest, known_as, made, resumed

MOST_DELAY_SECONDS = 0.02
MEMORY = Path("/dev/shm")
SCRATCH = str(MEMORY) if os.access(MEMORY, os.W_OK) else None
"""What is written survives a kill whether or not it reached the disk, so waiting for a disk shows nothing."""


def load_for_children() -> None:
    """What each child would load for itself: tables of windows, a vocabulary."""
    window_of("scripted")
    encoding_for(None).count("once")


def uninterrupted(path: Path, form: str, cut_off: frozenset[str]) -> dict[str, Any]:
    session = made(path, form, cut_off)
    state = session.run()
    rounds = len(session.trace.of("session.history_compaction"))
    size = (path / "run" / "transcript.jsonl").stat().st_size
    return {"state": state, "requests": session.model.requests, "rounds": rounds, "bytes": size}


def gone_on(path: Path, form: str) -> dict[str, Any]:
    """What a resume finds, and what it sends to the end of the run."""
    session = resumed(path, form)
    stored = session.transcript.messages
    committed = session.steps
    calls = {m["meta"]["step"]: tool_calls_of(m) for m in stored if m["role"] == "assistant"}
    found = {
        "committed": committed,
        "replies": sum(m["role"] == "assistant" for m in stored),
        "sent": [digest(session.request(step)) for step in range(1, committed + 1)],
        "notices": [e["text"] for e in session.trace.of("notice")],
        "open_calls": [c["function"]["name"] for c in calls.get(committed + 1, ())],
        "state_found": session.state,
    }
    written = {c["id"] for step, made in calls.items() if step <= committed for c in made}
    found["unmarked"] = sorted(p.name for p in (path / "work").iterdir() if p.stem not in written | {"log"})
    found["state"] = session.run()
    answers = {m["tool_call_id"]: m["content"] for m in session.transcript.messages if m["role"] == "tool"}
    found["cut_off"] = [
        known_as(call["function"]["arguments"])
        for m in session.transcript.messages
        for call in tool_calls_of(m)
        if answers.get(call["id"]) == INTERRUPTED
    ]
    return {**found, "requests": session.model.requests}


def in_a_child(act: Callable[[], dict[str, Any]], answer: Path) -> int:
    """Fork; the child writes what `act` gives, or its traceback, and is gone."""
    child = os.fork()
    if child:
        return child
    try:
        told = act()
    except BaseException:  # noqa: BLE001 - the parent shows it
        told = {"problem": traceback.format_exc()}
    answer.write_text(json.dumps(told))
    os._exit(0)


def told_by(act: Callable[[], dict[str, Any]], answer: Path) -> dict[str, Any]:
    os.waitpid(in_a_child(act, answer), 0)
    told: dict[str, Any] = json.loads(answer.read_text())
    return told


def killed(path: Path, form: str, chance: random.Random, whole_bytes: int) -> None:
    """Begin a run and kill it at a moment of chance."""
    at_bytes, delay = chance.randint(1, whole_bytes), chance.random() * MOST_DELAY_SECONDS
    child = in_a_child(lambda: {"state": made(path, form).run()}, path / "first.json")
    transcript = path / "run" / "transcript.jsonl"
    while not os.waitpid(child, os.WNOHANG)[0]:
        try:
            if transcript.stat().st_size >= at_bytes:
                break
        except FileNotFoundError:
            pass
        time.sleep(0.0005)
    else:
        return
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def faults_of(found: dict[str, Any], whole: dict[str, Any], form: str) -> list[str]:
    """In what a resume differs from the run that was never killed."""
    if "problem" in found:
        return [found["problem"]]
    faults = []
    committed, replies = found["committed"], found["replies"]
    if found["sent"] != whole["requests"][:committed]:
        faults.append("a request sent before the kill is not shown as it was")
    expected = whole["requests"][replies:]
    # A step with interrupted calls is not counted as finished, so one step more may be made.
    spare = 1 if found["cut_off"] else 0
    if found["requests"][: len(expected)] != expected or len(found["requests"]) > len(expected) + spare:
        same = next(
            (n for n, (a, b) in enumerate(zip(found["requests"], expected, strict=False)) if a != b), None
        )
        faults.append(
            f"request {same} of {len(found['requests'])} after the resume, {len(expected)} expected"
        )
    if not spare and found["state"] != whole["state"]:
        faults.append(f"it ended as {found['state']}, not as {whole['state']}")
    texts = "\n".join(found["notices"])
    if form == "folder":
        faults += [f"{name} was changed and is not named" for name in found["unmarked"] if name not in texts]
        if not found["unmarked"] and "changed in the workspace" in texts:
            faults.append(f"said to be changed without reason: {texts}")
    elif found["unmarked"] and "calls so far" not in texts:
        faults.append(f"no call of the unfinished step is named: {found['unmarked']}")
    return faults


def one(seed: int, whole: dict[str, Any], form: str) -> tuple[str, list[str]]:
    """Kill, resume, compare; where the kill struck and what was wrong."""
    with tempfile.TemporaryDirectory(prefix="killed-", dir=SCRATCH) as scratch:
        path = Path(scratch) / "killed"
        path.mkdir()
        killed(path, form, random.Random(seed), whole["bytes"])
        keep = os.environ.get("KEEP_KILLED")
        if keep:
            shutil.copytree(path, Path(keep) / str(seed), dirs_exist_ok=True)
        found = told_by(lambda: gone_on(path, form), path / "second.json")
        if found.get("cut_off"):
            cut_off = frozenset(found["cut_off"])
            other = path / "other"
            whole = told_by(lambda: uninterrupted(other, form, cut_off), path / "whole.json")
        faults = faults_of(found, whole, form)
    if "problem" in found:
        return "no resume", faults
    where = "in its calls" if found["open_calls"] else "before its reply"
    return ("after the end" if found["state_found"] == "done" else where), faults


def wholes(forms: tuple[str, ...] = FORMS) -> dict[str, dict[str, Any]]:
    """The runs that nobody kills."""
    found = {}
    for form in forms:
        with tempfile.TemporaryDirectory(prefix="whole-", dir=SCRATCH) as scratch:
            path = Path(scratch)
            found[form] = told_by(lambda p=path, f=form: uninterrupted(p, f, frozenset()), path / "a.json")
    return found


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--json", action="store_true", help="tell the outcome as JSON")
    given = parser.parse_args(argv)
    begun, where, wrong = time.perf_counter(), Counter[str](), dict[int, list[str]]()
    load_for_children()
    known = wholes()
    for seed in range(given.first, given.first + given.kills):
        form = FORMS[seed % 4 == 3]
        place, faults = one(seed, known[form], form)
        where[f"{form}, {place}"] += 1
        if faults:
            wrong[seed] = faults
    told = {
        "kills": given.kills,
        "where": dict(where),
        "wrong": wrong,
        "runs": {form: [len(w["requests"]), w["rounds"], w["state"]] for form, w in known.items()},
        "seconds": round(time.perf_counter() - begun, 1),
    }
    print(json.dumps(told, indent=None if given.json else 2))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
