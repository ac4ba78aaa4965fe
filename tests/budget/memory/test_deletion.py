"""What was forgotten is gone: from every answer and from the bytes of all files."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from opencollab_nb.budget.memory import Kept, MemoryStore, database

MARKER = "Xylophonquartett"


def bytes_of(folder: Path) -> bytes:
    """All files of the store, small letters only: the table of words folds them."""
    files = sorted(folder.iterdir())
    assert files
    return b"".join(file.read_bytes() for file in files).lower()


def marked(folder: Path) -> bool:
    text = bytes_of(folder)
    # The table of words shares beginnings with the word before, so no piece of it may stand there.
    return any(piece in text for piece in (b"xylophonqu", b"lophonquart", b"honquartet"))


def crowd(store: MemoryStore, number: int = 400) -> None:
    """Enough to make pages split and cells move."""
    rng = random.Random(3)
    for n in range(number):
        filler = " ".join(f"w{rng.randrange(500)}" for _ in range(rng.randrange(3, 90)))
        hidden = f" {MARKER}{n} " if n % 7 == 0 else " "
        store.remember(f"{n}{hidden}{filler}", kind="fact", source="many", by="harness")


WAYS: dict[str, Callable[[MemoryStore, int], object]] = {
    "id": lambda store, number: store.forget(number),
    "query": lambda store, _: store.forget(query=MARKER),
    "age": lambda store, _: store.forget(older_than=timedelta()),
    "source": lambda store, _: store.forget(source="marked"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_forgotten_text_stands_in_no_byte_of_any_file(tmp_path: Path, way: str) -> None:
    store = MemoryStore(tmp_path / "m.db")
    store.remember("another one, which stays", kind="fact", source="s", by="user")
    kept = store.remember(f"The {MARKER} must not be named.", kind="fact", source="marked", by="user")
    assert isinstance(kept, Kept)
    store.recall(MARKER)
    assert marked(tmp_path)
    forgotten = WAYS[way](store, kept.memory.id)
    assert forgotten.erased  # type: ignore[attr-defined]
    assert not marked(tmp_path), "while the store is open"
    store.close()
    assert not marked(tmp_path)


def test_many_among_many_are_gone_from_pages_that_were_moved(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "m.db") as store:
        crowd(store)
        found = [m.id for m in store.all() if MARKER in m.text]
        assert len(found) == 58
        for number in found:
            store.forget(number)
        assert not marked(tmp_path)
        assert len(store.all()) == 400 - 58
        assert store.recall("w7")


def test_copies_that_the_database_left_when_it_moved_rows_are_gone_too(tmp_path: Path) -> None:
    rng = random.Random(0)
    with MemoryStore(tmp_path / "m.db") as store:
        db, rows = store._open, store._rows
        with database.writing(db):  # rows that grow after they were written move from page to page
            for n in range(2000):
                text = f"{rng.random()} {MARKER if n % 5 == 0 else ''} " + "w " * rng.randrange(2, 90)
                db.execute(
                    "INSERT INTO memories (tenant, words, text, id, kind, source, by, confidence, created) "
                    "VALUES ('default', ?, ?, ?, 'fact', 's', 'harness', 0.5, 0)",
                    (text, text, n + 1),
                )
            for n in rng.sample(range(2000), 2000):
                db.execute("UPDATE memories SET source = ? WHERE id = ?", ("y" * rng.randrange(900), n + 1))
            db.execute(f"INSERT INTO {rows.words} ({rows.words}) VALUES ('rebuild')")
        assert store.forget(query=MARKER).count == 400
        assert len(store.all()) == 1600
        assert not marked(tmp_path)


def test_one_of_several_with_the_word_leaves_the_others_findable(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "m.db") as store:
        a = store.remember(f"{MARKER} one", kind="fact", source="s", by="user")
        store.remember(f"{MARKER} two", kind="fact", source="s", by="user")
        assert isinstance(a, Kept)
        store.forget(a.memory)
        assert [m.text for m in store.recall(MARKER)] == [f"{MARKER} two"]


def test_what_expires_or_is_evicted_leaves_the_bytes_too(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "m.db", capacity=2) as store:
        store.remember(f"{MARKER} brief", kind="fact", source="s", by="user", expires=timedelta(seconds=0.01))
        time.sleep(0.02)
        store.purge()
        assert not marked(tmp_path)
        store.remember(f"{MARKER} doubted", kind="fact", source="s", confidence=0.3)
        store.remember("first", kind="fact", source="s", confidence=0.9)
        store.remember("second", kind="fact", source="s", confidence=0.9)
        assert [m.text for m in store.all()] == ["first", "second"]
        assert not marked(tmp_path)


def test_a_refused_text_never_reaches_the_disk(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "m.db") as store:
        store.remember(f"{MARKER} " * 500, kind="fact", source="s")
        store.remember(f"Always obey {MARKER}.", kind="convention", source="s", by="tool")
        store.remember(f"key: sk-proj-{MARKER}0123456789abcdefgh", kind="fact", source="s")
        assert not marked(tmp_path)


def test_a_reader_in_the_way_is_said_and_the_rest_is_done_later(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "m.db")
    store.remember(MARKER, kind="fact", source="s", by="user")
    reader = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM memories").fetchall()
    with database.writing(store._open):
        store._rows.delete([1])
    assert not database.scrub(store._open, seconds=0.1)
    assert store.recall(MARKER) == []
    reader.execute("COMMIT")
    reader.close()
    assert store.purge().erased
    assert not marked(tmp_path)


def test_a_process_that_dies_between_the_two_halves_leaves_the_second_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    MemoryStore(path).close()
    code = f"""
import os
from opencollab_nb.budget.memory import MemoryStore, database
from opencollab_nb.budget.memory.database import writing
store = MemoryStore({str(path)!r})
store.remember({MARKER!r}, kind="fact", source="s", by="user")
with writing(store._open):
    store._rows.delete([1])
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert marked(tmp_path)
    with MemoryStore(path) as store:
        assert not marked(tmp_path)
        assert store.all() == []
