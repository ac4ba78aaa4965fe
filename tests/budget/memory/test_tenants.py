"""No call of a store reaches what another tenant keeps, nor learns that it is there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from opencollab_nb.budget.memory import Kept, MemoryStore, recall_text

SECRET = "zebra migration plan"


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[MemoryStore, MemoryStore]]:
    with (
        MemoryStore(tmp_path / "m.db", tenant="ann") as ann,
        MemoryStore(tmp_path / "m.db", tenant="ben") as ben,
    ):
        for n in range(3):
            ann.remember(f"{SECRET} {n}", kind="fact", source="run", by="user")
        ben.remember("giraffe", kind="fact", source="run", by="user")
        yield ann, ben


def test_no_way_of_reading_shows_another_tenants_memories(stores: tuple[MemoryStore, MemoryStore]) -> None:
    ann, ben = stores
    shown = [
        repr(ben.recall("zebra")),
        repr(ben.recall(SECRET)),
        *(repr(ben.recall(f"m{n}")) for n in range(10)),
        ben.summaries(10_000, about=SECRET),
        repr(ben.all()),
        repr(ben),
        recall_text(ben, "zebra OR migration"),
        recall_text(ben, '" OR tenant = "ann'),
    ]
    assert not any("migration plan" in text for text in shown)
    assert len(ann.all()) == 3


@pytest.mark.parametrize(
    "how",
    [{"query": "zebra"}, {"source": "run"}, {"older_than": timedelta()}, {"memory": 2}, {"memory": 3}],
    ids=str,
)
def test_no_way_of_forgetting_touches_another_tenants_memories(
    stores: tuple[MemoryStore, MemoryStore], how: dict[str, object]
) -> None:
    ann, ben = stores
    before = ann.all()
    ben.forget(**how)  # type: ignore[arg-type]
    ben.purge()
    assert ann.all() == before
    assert len(ann.recall("zebra")) == 3


def test_numbers_tell_nothing_of_how_much_others_keep(stores: tuple[MemoryStore, MemoryStore]) -> None:
    assert [m.id for m in stores[1].all()] == [1]


def test_a_full_tenant_takes_no_room_from_another(tmp_path: Path) -> None:
    ann = MemoryStore(tmp_path / "m.db", tenant="ann", capacity=3)
    ben = MemoryStore(tmp_path / "m.db", tenant="ben", capacity=3)
    for n in range(3):
        ann.remember(f"a {n}", kind="fact", source="s")
    for n in range(9):
        assert isinstance(ben.remember(f"b {n}", kind="fact", source="s"), Kept)
    assert len(ann.all()) == 3
    assert len(ben.all()) == 3


def test_the_order_of_hits_does_not_depend_on_what_others_keep(tmp_path: Path) -> None:
    def order(crowded: bool) -> list[str]:
        path = tmp_path / f"{crowded}.db"
        if crowded:
            other = MemoryStore(path, tenant="ann")
            for n in range(40):
                other.remember(f"mail mail mail {n}", kind="fact", source="s")
        store = MemoryStore(path, tenant="ben")
        for text in ("mail queue", "login queue", "login", "login page", "mail page mail"):
            store.remember(text, kind="fact", source="s")
        return [m.text for m in store.recall("login mail page")]

    assert order(crowded=True) == order(crowded=False)


def test_the_tenant_cannot_be_changed(stores: tuple[MemoryStore, MemoryStore]) -> None:
    with pytest.raises(AttributeError):
        stores[1].tenant = "ann"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["x'; DROP TABLE memories; --", "1", "words_1", "ann ", "ANN", "*", "%"])
def test_a_tenants_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    ann = MemoryStore(tmp_path / "m.db", tenant="ann")
    ann.remember(SECRET, kind="fact", source="s")
    try:
        other = MemoryStore(tmp_path / "m.db", tenant=name)
    except ValueError:
        return
    assert other.all() == other.recall("zebra") == []
    assert len(ann.all()) == 1


def test_every_statement_over_memories_names_the_tenant(stores: tuple[MemoryStore, MemoryStore]) -> None:
    ben = stores[1]
    asked: list[str] = []
    ben._open.set_trace_callback(asked.append)
    ben.remember("zebra", kind="fact", source="s")
    ben.recall("zebra")
    ben.recall("m1")
    ben.summaries(1_000, about="zebra")
    ben.all()
    ben.forget(query="zebra")
    ben.purge()
    ben._open.set_trace_callback(None)
    over = [
        s for s in asked if " memories" in s and not s.lstrip().startswith(("--", "INSERT INTO memories"))
    ]
    assert len(over) > 8
    assert all("'ben'" in s or "of_" in s for s in over if "tenant" in s or "SELECT" in s), over
    assert isinstance(ben._open, sqlite3.Connection)
