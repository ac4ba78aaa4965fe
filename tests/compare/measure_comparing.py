"""What comparing costs, from the file to the sweep: `python -m tests.compare.measure_comparing [PART...]`.

Parts: import, memory, count, compare, sweep; all of them without one. The files are those of
`../shared/transcripts`. Seconds are of processor time, but for a sweep, which is told by the clock.
"""

from __future__ import annotations

import os
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from opencollab_nb import compare, load, sweep
from opencollab_nb.messages import Messages
from opencollab_nb.shaping import (
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
)
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.exact import count_message, encoding_for

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"
FILES = (
    "claude-code/swebench-glm47flash-sqlglot-4415.jsonl",
    "codex/rollout-2025-09-16T14-12-31-613a9a68-8816-40b2-a2d4-041ade599da6.jsonl",
    "inspect/2025-05-12T20-27-36-04-00_browser.json",
    "openai-chat/tau-bench-gpt-4o-airline-part1.json",
    "pi/before-compaction.jsonl",
    "swe-agent/marshmallow-1867-function_calling_replace_from_source.traj",
    "aider/monochromatic.aider.chat.history.md",
)
PI = "pi/before-compaction.jsonl"
CHAINS: dict[str, Any] = {
    "no shaping": None,
    "default": "default",
    "summarize": "summarize",
    "clear": ToolOutputClearShaper(),
    "snip": OldHistorySnipShaper(),
    "eager": [ToolResultBudgetShaper(), EagerToolOutputClearShaper(), OldHistorySnipShaper()],
}
WINDOW = 100_000
COUNTED_TOKENS = 135_000
"""Estimated; more than 100,000 by a tokenizer."""
SWEPT = ("pi/before-compaction.jsonl", "claude-code/swebench-glm47flash-sqlglot-4415.jsonl")
SWEPT_WINDOWS = (48_000, 64_000, 80_000, 96_000)
BEST_OF = 3


def seconds(act: Callable[[], Any], best_of: int = BEST_OF) -> float:
    """Processor seconds of one call, the least of several."""
    told = []
    for _ in range(best_of):
        started = time.process_time()
        act()
        told.append(time.process_time() - started)
    return min(told)


def importing() -> Iterator[str]:
    """Megabytes a second of each file."""
    for name in FILES:
        megabytes = (SHARED / name).stat().st_size / 1e6
        took = seconds(lambda name=name: load(SHARED / name))
        yield f"{name}: {megabytes:.2f} MB in {took:.3f} s, {megabytes / took:.0f} MB/s"


def memory() -> Iterator[str]:
    """The most that is held while a file is loaded, as so many times the file."""
    for name in FILES:
        load(SHARED / name)
        tracemalloc.start()
        load(SHARED / name)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        size = (SHARED / name).stat().st_size
        yield f"{name}: {peak / 1e6:.1f} MB, {peak / size:.1f} times the file"


def counting() -> Iterator[str]:
    """A transcript of 100,000 tokens, by the local rule and by a tokenizer."""
    encoder = encoding_for("gpt-4o")
    encoder.count("so that its vocabulary is there")
    text: Messages = []
    tokens = 0
    for message in load(SHARED / PI).stored:
        text.append(message)
        tokens += weigh(message)
        if tokens > COUNTED_TOKENS:
            break
    # Once each: what was counted is remembered.
    exact: list[int] = []
    yield f"{len(text)} messages estimated in {seconds(lambda: sum(map(weigh, text)), 1):.3f} s"
    took = seconds(lambda: exact.extend(count_message(m, encoder) for m in text), 1)
    yield f"counted in {took:.3f} s: {sum(exact):,} tokens of o200k, estimated as {tokens:,}"


def comparing() -> Iterator[str]:
    """Six chains on the Pi file; with facts too."""
    run = load(SHARED / PI)
    for mode in ("sticky", "stateless", ("sticky", "stateless")):
        took = seconds(lambda mode=mode: compare(run, CHAINS, window=WINDOW, mode=mode), 1)
        yield f"6 chains, {mode}, window {WINDOW:,}: {took:.1f} s"
    took = seconds(lambda: compare(run, CHAINS, window=WINDOW, mode="sticky", survival=True), 1)
    yield f"6 chains, sticky, with what survives: {took:.1f} s"


def used() -> float:
    """Processor seconds of this process and of those it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def sweeping() -> Iterator[str]:
    """The same sweep by one process and by two."""
    runs = {name: load(SHARED / name) for name in SWEPT}
    grid = {"shapers": CHAINS, "windows": SWEPT_WINDOWS, "modes": ["sticky", "stateless"]}
    took = {}
    for workers in (1, 2):
        started, before = time.perf_counter(), used()
        frame = sweep(runs, grid, workers=workers, progress=False)
        took[workers] = time.perf_counter() - started
        work = used() - before
        yield f"{len(frame)} cells, {workers} workers: {took[workers]:.0f} s, {work:.0f} s of processors"
    yield f"two are {took[1] / took[2]:.2f} times as fast as one"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "import": importing,
    "memory": memory,
    "count": counting,
    "compare": comparing,
    "sweep": sweeping,
}


def main() -> None:
    """Print the parts asked for, each with how busy the machine was."""
    for part in sys.argv[1:] or PARTS:
        print(f"{part} (load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores)")
        for line in PARTS[part]():
            print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
