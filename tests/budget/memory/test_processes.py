"""Several processes and threads over one file: nothing is lost, nothing is kept twice."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from opencollab_nb.budget.memory import MemoryStore

EACH = 40

WRITER = """
import sys
from opencollab_nb.budget.memory import MemoryStore
path, name, each, forgets = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "forgets"
store = MemoryStore(path)
print("open", flush=True)
sys.stdin.readline()
for n in range(each):
    kept = store.remember(f"{name} writes number {n}", kind="fact", source=name, by="harness")
    assert kept and kept.new, kept
    store.recall(f"number {n}")
    if forgets and n % 20 == 10:
        extra = store.remember(f"{name} takes back {n}", kind="fact", source="gone", by="harness")
        assert store.forget(extra.memory.id).ids == (extra.memory.id,)
store.close()
"""


def started(path: Path, name: str, forgets: bool) -> subprocess.Popen[str]:
    words = [str(path), name, str(EACH), "forgets" if forgets else "keeps"]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_together(path: Path, names: tuple[str, ...], forgets: bool) -> list[str]:
    writers = [started(path, name, forgets) for name in names]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n", writer.communicate()[1]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=300)
        assert writer.returncode == 0, errors
    with MemoryStore(path) as store:
        memories = store.all()
    assert len({m.id for m in memories}) == len(memories)
    return sorted(m.text for m in memories)


def test_two_processes_that_open_a_new_file_and_write_at_once_lose_nothing(tmp_path: Path) -> None:
    texts = run_together(tmp_path / "m.db", ("a", "b"), forgets=False)
    assert texts == sorted(f"{name} writes number {n}" for name in "ab" for n in range(EACH))


def test_nor_do_those_that_write_the_file_anew_meanwhile(tmp_path: Path) -> None:
    texts = run_together(tmp_path / "m.db", ("a", "b", "c"), forgets=True)
    assert texts == sorted(f"{name} writes number {n}" for name in "abc" for n in range(EACH))


def test_threads_share_one_store(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "m.db")
    problems: list[Exception] = []

    def work(name: int) -> None:
        try:
            for n in range(20):
                assert store.remember(f"thread {name} number {n}", kind="fact", source="s", by="harness")
                assert store.recall(f"{name} {n}")
        except Exception as problem:  # noqa: BLE001 - shown below, in the thread of the test
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert len(store.all()) == 80
