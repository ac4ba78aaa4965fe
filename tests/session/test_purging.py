"""Retention: old runs go whole, with what was remembered of them; what is open, or another's, stays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget import ContextBudget, MemoryStore
from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.session.purging import purge

MARKER = "marker-6f1d2c"
MONTH = timedelta(days=30)


def ran(path: Path, **settings: Any) -> Session:
    """A finished run with a marker in it."""
    session = Session(
        f"Say {MARKER}.", model=ScriptedModel([f"{MARKER}."]), path=path, budget=ContextBudget(), **settings
    )
    session.register("constraints", f"Never lose {MARKER}.")
    session.run()
    return session


def aged(path: Path, days: int = 31) -> None:
    then = time.time() - days * 86_400
    for file in path.iterdir():
        os.utime(file, (then, then))


def holding_marker(root: Path) -> list[Path]:
    files = (path for path in root.rglob("*") if path.is_file())
    return [path for path in files if MARKER.encode() in path.read_bytes()]


def test_of_an_old_run_nothing_is_left_and_a_new_one_stays(tmp_path: Path) -> None:
    for name in ("old", "new"):
        ran(tmp_path / name).close()
    aged(tmp_path / "old")
    purged = purge(MONTH, folder=tmp_path)
    assert purged.runs == (tmp_path / "old",)
    assert not purged.kept
    assert {path.parent.name for path in holding_marker(tmp_path)} == {"new"}
    Session.resume(tmp_path / "new").close()


def test_the_workspace_of_an_old_run_stays_while_a_newer_one_goes_on_there(tmp_path: Path) -> None:
    workspace = tmp_path / "old" / "workspace"
    workspace.mkdir(parents=True)
    old = ran(tmp_path / "old", workspace=workspace)
    new = Session.continued(old, model=ScriptedModel(["done"]), path=tmp_path / "new")
    old.close()
    new.close()
    aged(tmp_path / "old")
    purge(MONTH, folder=tmp_path)
    assert workspace.is_dir()
    assert not (tmp_path / "old" / "transcript.jsonl").exists()
    aged(tmp_path / "new")
    purge(MONTH, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_was_remembered_of_it_goes_too(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "memory.db") as store:
        session = ran(tmp_path / "runs" / "old", memory=store)
        assert store.remember(f"The port is {MARKER}.", kind="fact", source=session.id, by="user")
        assert store.remember("The schema stays.", kind="decision", source="another run", by="user")
        session.close()
        aged(session.path)
        purged = purge(MONTH, folder=tmp_path / "runs", memory=store)
        assert purged.memories >= 1
        assert [memory.source for memory in store.all()] == ["another run"]
    assert holding_marker(tmp_path) == []


def test_a_run_whose_memory_is_not_at_hand_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path / "home"))
    with MemoryStore(tmp_path / "memory.db") as store:
        ran(tmp_path / "runs" / "old", memory=store).close()
    aged(tmp_path / "runs" / "old")
    purged = purge(MONTH, folder=tmp_path / "runs")
    assert purged.runs == ()
    assert "give that as memory=" in str(purged.kept)
    Session.resume(tmp_path / "runs" / "old").close()


def test_the_memory_in_the_data_folder_is_found_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path))
    with MemoryStore(tenant="ann", project="shop") as store:
        session = ran(tmp_path / "runs" / "old", memory=store)
        assert store.remember(f"The port is {MARKER}.", kind="fact", source=session.id, by="user")
        session.close()
    aged(session.path)
    assert purge(MONTH).memories >= 1
    assert holding_marker(tmp_path) == []


def test_an_open_run_is_kept(tmp_path: Path) -> None:
    session = ran(tmp_path / "old")
    aged(session.path)
    for dry in (True, False):
        purged = purge(MONTH, folder=tmp_path, dry=dry)
        assert (purged.runs, list(purged.kept or {})) == ((), [session.path])
    session.close()
    assert purge(MONTH, folder=tmp_path).runs == (session.path,)


def test_a_run_that_another_process_has_open_is_kept(tmp_path: Path) -> None:
    ran(tmp_path / "old").close()
    code = (
        "import sys\nfrom pathlib import Path\nfrom opencollab_nb.session import Session\n"
        "session = Session.resume(Path(sys.argv[1]))\nprint('open', flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "old")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        aged(tmp_path / "old")
        purged = purge(MONTH, folder=tmp_path)
        assert purged.runs == ()
        assert "open for writing by process" in str(purged.kept)
        other.communicate("")
    aged(tmp_path / "old")
    assert purge(MONTH, folder=tmp_path).runs == (tmp_path / "old",)


def test_only_runs_are_deleted_and_never_through_a_link(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    for path in (root / "old", tmp_path / "elsewhere"):
        ran(path).close()
    (root / "old" / "notes.txt").write_text("mine")
    (root / "papers").mkdir()
    (root / "papers" / "thesis.txt").write_text("mine")
    (root / "link").symlink_to(tmp_path / "elsewhere")
    for path in (root / "old", tmp_path / "elsewhere", root / "papers"):
        aged(path)
    purged = purge(MONTH, folder=root)
    assert purged.runs == ()
    assert "other files" in str(purged.kept)
    assert sorted(path.name for path in root.rglob("*") if path.is_file()) == ["notes.txt", "thesis.txt"]
    assert (tmp_path / "elsewhere" / "transcript.jsonl").is_file()


def test_a_damaged_run_is_deleted_all_the_same(tmp_path: Path) -> None:
    ran(tmp_path / "old").close()
    (tmp_path / "old" / "events.jsonl").write_bytes(b"\x00\xff not json")
    aged(tmp_path / "old")
    assert purge(MONTH, folder=tmp_path).runs == (tmp_path / "old",)
    assert not (tmp_path / "old").exists()


def test_a_dry_run_deletes_nothing(tmp_path: Path) -> None:
    ran(tmp_path / "old").close()
    aged(tmp_path / "old")
    assert purge(MONTH, folder=tmp_path, dry=True).runs == (tmp_path / "old",)
    Session.resume(tmp_path / "old").close()


def test_an_age_below_zero_is_refused_and_no_folder_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="below zero"):
        purge(timedelta(days=-1), folder=tmp_path)
    with pytest.raises(UsageProblem, match="older_than=30 is no age"):
        purge(30, folder=tmp_path)  # type: ignore[arg-type]
    assert purge(MONTH, folder=tmp_path / "none").runs == ()
