"""Speed and memory of importing."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from opencollab_nb import load
from opencollab_nb.importers.collection import Transcripts

SAMPLES = (
    "claude-code/swebench-glm47flash-sqlglot-4415.jsonl",
    "openai-chat/tau-bench-gpt-4o-airline-part1.json",
    "pi/before-compaction.jsonl",
    "aider/monochromatic.aider.chat.history.md",
)
CLAUDE, FILES = "claude-code/swebench-haiku-briefcase-2212.jsonl", 4
MEGABYTES_A_SECOND = 10
MEMORY_RATIO = 4


@pytest.mark.parametrize("name", SAMPLES)
def test_importing_takes_at_most_four_times_the_file_in_memory(shared: Path, name: str) -> None:
    path = shared / "transcripts" / name
    load(path)  # so that imports and caches are not counted
    tracemalloc.start()
    try:
        found = load(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found
    assert peak <= MEMORY_RATIO * path.stat().st_size


def test_a_folder_of_sessions_takes_no_more_than_what_it_becomes_and_one_file(
    shared: Path, tmp_path: Path
) -> None:
    sample = (shared / "transcripts" / CLAUDE).read_text()
    for n in range(FILES):
        (tmp_path / f"{n}.jsonl").write_text(sample.replace('"sessionId":"', f'"sessionId":"{n}'))
    tracemalloc.start()
    try:
        found = load(tmp_path)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, Transcripts)
    assert len(found) == FILES
    assert peak - kept <= MEMORY_RATIO * len(sample)


@pytest.mark.parametrize("name", SAMPLES)
def test_importing_reads_ten_megabytes_a_second(shared: Path, name: str) -> None:
    path = shared / "transcripts" / name
    seconds = []
    for _ in range(3):
        before = time.process_time()
        load(path)
        seconds.append(time.process_time() - before)
    # The promise, with a tenfold slack for busy machines.
    assert min(seconds) <= 10 * path.stat().st_size / 1e6 / MEGABYTES_A_SECOND
