"""A deleted run leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.budget.memory import MemoryStore
from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.workspace import Workspace
from tests.session.build import calling, tool_call
from tests.session.directed import directed

MARKER = "marker-7f3a91c2"


def holding_it(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and MARKER.encode() in p.read_bytes()]


def marked(folder: Path, store: MemoryStore | None = None) -> Session:
    """A run whose transcript, events, todos, snapshots, handoff and memory all hold the marker."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    replies = [
        calling(tool_call("file_write", "a", path=f"{MARKER}.txt", content=MARKER)),
        f"Decision: use {MARKER}, because it is there.",
    ]
    session = directed(folder, replies, workspace=workspace, memory=store)
    session.register("decisions", f"Keep {MARKER}.")
    session.update_todos([f"find {MARKER}"])
    session.run()
    return session


def test_the_marker_is_gone_from_every_file_and_from_the_memory(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory" / "memory.db")
    store.remember("Something of another run.", kind="fact", source="another run", by="user")
    session = marked(tmp_path / "run", store)
    assert {path.name for path in holding_it(tmp_path)} >= {
        "transcript.jsonl",
        "events.jsonl",
        "handoff.md",
        "handoff.json",
    }
    assert any(MARKER in memory.text for memory in store.all())
    assert (tmp_path / "run" / "shadow.git").is_dir()
    session.delete()
    assert holding_it(tmp_path) == []
    assert not (tmp_path / "run").exists()
    assert [memory.source for memory in store.all()] == ["another run"]
    with pytest.raises(TranscriptError):
        Session.resume(tmp_path / "run")


def test_a_run_whose_memory_is_not_given_is_deleted_whole_or_not_at_all(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory" / "memory.db")
    marked(tmp_path / "run", store).close()
    without = Session.resume(tmp_path / "run")
    with pytest.raises(UsageProblem, match="memory of default"):
        without.delete()
    assert (tmp_path / "run" / "transcript.jsonl").is_file()
    without.delete(memories=False)
    assert not (tmp_path / "run" / "transcript.jsonl").exists()
    assert any(MARKER in memory.text for memory in store.all())


def test_files_of_the_user_and_their_workspace_stay(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.txt").write_text("mine")
    session = directed(tmp_path / "run", ["done"], workspace=tmp_path / "project")
    (tmp_path / "run" / "notes.txt").write_text("mine too")
    session.run()
    deleted = session.delete()
    assert (tmp_path / "project" / "mine.txt").is_file()
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["notes.txt"]
    assert tmp_path / "run" not in deleted


def test_a_workspace_in_which_the_next_session_works_stays(tmp_path: Path) -> None:
    first = marked(tmp_path / "run")
    second = Session.continued(first, model=ScriptedModel(["done"]), path=tmp_path / "next")
    first.delete()
    assert isinstance(second.workspace, Workspace)
    assert (tmp_path / "run" / "workspace" / f"{MARKER}.txt").is_file()
    assert second.run() == "done"
    second.delete()
    assert holding_it(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_it_stays_for_a_next_session_that_nobody_has_open(tmp_path: Path) -> None:
    first = marked(tmp_path / "run")
    second = Session.continued(first, model=ScriptedModel(["done"]), path=tmp_path / "next")
    branch = first.fork(1, path=tmp_path / "branch", model=ScriptedModel(["done"]))
    workspace = tmp_path / "run" / "workspace"
    second.close()
    branch.close()
    first.delete()
    assert (workspace / f"{MARKER}.txt").is_file()
    branch.delete()
    assert workspace.is_dir(), "a branch has a workspace of its own, and another one's is not its to delete"
    second.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_beside_a_run_that_was_not_deleted_is_never_taken(tmp_path: Path) -> None:
    theirs = tmp_path / "project" / "workspace"
    theirs.mkdir(parents=True)
    session = directed(tmp_path / "run", ["done"], workspace=theirs)
    session.delete()
    assert theirs.is_dir()


def test_a_run_at_work_is_stopped_first_and_a_closed_one_can_be_deleted(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", lambda request: calling(tool_call(text="on")))
    run = session.start()
    while session.steps < 2:
        pass
    session.delete()
    assert run.over
    assert session.closed
    assert not (tmp_path / "run").exists()
    other = directed(tmp_path / "other", ["done"])
    other.close()
    other.delete()
    assert not (tmp_path / "other").exists()
    assert other.delete() == [], "a second time there is nothing left"
