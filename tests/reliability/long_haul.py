"""One kernel, one panel, very many steps; `python -m tests.reliability.long_haul --steps 10000`.

Cells run the session in parts; after each, the kernel says what it holds: memory of its own after a
collection (anonymous pages: those of libraries count or not by what else runs), CPU seconds, threads, tasks,
child processes, comms and open files. The other end of the panel's comm is this process, which asks for
everything once and is sent what a page would be.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.views.kernel import WIDGET, Kernel, kernel

ROOT = Path(__file__).parents[2]
WARM_STEPS = 1_000
PART_STEPS = 250

MADE = f"""
%load_ext opencollab_nb
import asyncio, gc, json, os, sys, threading, time
sys.path.insert(0, {str(ROOT)!r})
import psutil
import opencollab_nb, pandas
from opencollab_nb import Session
from tests.reliability.hauling import Hauling, at_work
from tests.session.remote import short_summary
from comm import get_comm_manager

me = psutil.Process()

def own_mb():
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1e3

def held():
    gc.collect()
    return {{
        "own_mb": own_mb(),
        "cpu": time.process_time(),
        "wall": time.perf_counter(),
        "threads": sorted(t.name.partition("_")[0] for t in threading.enumerate()),
        "tasks": len(asyncio.all_tasks()),
        "children": len(me.children(recursive=True)),
        "comms": len(get_comm_manager().comms),
        "files": me.num_fds(),
    }}
"""
# The first session loads what every later one needs: modules, a thread for the panel, the first comms.
FIRST = """
from opencollab_nb.views.shown import SHOWN
first = Session("Haul.", model=Hauling(), workspace=at_work("first"), window=64_000, path="run-first")
"""
CLOSED = """
first.close()
for panel in list(SHOWN.values()):
    panel.close()
del first
"""
SESSION = """
session = Session(
    "Haul.", model=Hauling(), workspace=at_work("work"), window=64_000, policy="summarize",
    summarizer=short_summary, path="run",
)
"""
ENDED = """
session.close()
rounds = len(session.trace.of("session.history_compaction"))
chars = sum(len(str(m["content"])) for m in session.transcript.stored)
steps = session.steps
for panel in list(SHOWN.values()):
    panel.close()
del session, panel
time.sleep(1.0)
"""


def said(cells: Kernel, code: str, seconds: float = 600.0) -> dict[str, Any]:
    """Run a cell that prints JSON last; what it said."""
    number = cells.run(code, seconds=seconds)
    error = cells.error(number)
    assert not error, error
    printed = cells.printed(number).splitlines()
    told: dict[str, Any] = json.loads(printed[-1]) if printed else {}
    # What a page was sent is of no use here, and must not fill this process.
    cells.came.clear()
    return told


def shown(cells: Kernel, name: str) -> None:
    """Show a panel, and ask it for everything as a page does."""
    number = cells.run(f"display({name})", cell=f"panel of {name}")
    assert not cells.error(number), cells.error(number)
    (comm,) = [data[WIDGET]["model_id"] for data in cells.views(number) if WIDGET in data]
    cells.tell(comm, {"kind": "ready", "page": 1, "ask": 1})
    cells.until(lambda: any(m["kind"] == "full" for m in cells.sent(comm)))


def haul(steps: int, home: Path) -> dict[str, Any]:
    """Make so many steps; what was held along the way."""
    with kernel(home) as cells:
        said(cells, MADE)
        said(cells, FIRST)
        shown(cells, "first")
        said(cells, "assert first.run(30) == 'paused'")
        said(cells, CLOSED)
        before = said(cells, "time.sleep(1.0); print(json.dumps(held()))")
        said(cells, SESSION)
        shown(cells, "session")
        parts = [said(cells, "print(json.dumps(held()))") | {"steps": 0}]
        while parts[-1]["steps"] < steps:
            code = f"assert session.run({PART_STEPS}) == 'paused', session\nprint(json.dumps(held()))"
            parts.append(said(cells, code) | {"steps": parts[-1]["steps"] + PART_STEPS})
        after = said(
            cells, ENDED + "print(json.dumps(held() | dict(rounds=rounds, chars=chars, made=steps)))"
        )
    return {"before": before, "parts": parts, "after": after}


def figures(told: dict[str, Any]) -> dict[str, Any]:
    """Growth, step times and what was left behind."""
    parts = told["parts"]
    warm = next(p for p in parts if p["steps"] >= min(WARM_STEPS, parts[-1]["steps"] // 2))
    span = parts[-1]["steps"] - warm["steps"]
    width = min(WARM_STEPS, parts[-1]["steps"] // 3 // PART_STEPS * PART_STEPS)
    first = next(p for p in parts if p["steps"] >= width)
    last = next(p for p in parts if p["steps"] >= parts[-1]["steps"] - width)
    kept = ("tasks", "children", "comms", "files")
    before, after = told["before"], told["after"]
    return {
        "steps": after["made"],
        "rounds": after["rounds"],
        "transcript_mchars": round(after["chars"] / 1e6, 1),
        "own_mb": [round(p["own_mb"], 1) for p in parts],
        "growth_mb": round(parts[-1]["own_mb"] - warm["own_mb"], 1),
        "growth_mb_per_1000": round((parts[-1]["own_mb"] - warm["own_mb"]) * 1000 / max(1, span), 2),
        "first_ms": round((first["wall"] - parts[0]["wall"]) / width * 1000, 2),
        "last_ms": round((parts[-1]["wall"] - last["wall"]) / width * 1000, 2),
        "wall_ratio": round((parts[-1]["wall"] - last["wall"]) / (first["wall"] - parts[0]["wall"]), 3),
        "cpu_ratio": round((parts[-1]["cpu"] - last["cpu"]) / (first["cpu"] - parts[0]["cpu"]), 3),
        "left_behind": {k: after[k] - before[k] for k in kept if after[k] > before[k]}
        | {"threads": sorted(set(after["threads"]) - set(before["threads"]))},
        "grown_on_the_way": {
            k: parts[-1][k] - warm[k]
            for k in ("tasks", "children", "comms", "files")
            if parts[-1][k] > warm[k]
        }
        | {"threads": len(parts[-1]["threads"]) - len(warm["threads"])},
    }


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    given = parser.parse_args(argv)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as home:
        told = figures(haul(given.steps, Path(home)))
    print(json.dumps(told | {"seconds": round(time.perf_counter() - begun)}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
