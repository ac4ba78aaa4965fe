"""Branches of a run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import load_task
from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import AutoCompactShaper, OldHistorySnipShaper, ToolOutputClearShaper
from opencollab_nb.trace.schema import faults_of
from opencollab_nb.workspace import Workspace
from tests.session.build import a_session, calling, tool_call, working
from tests.session.test_orders import Gated


def a_run(tmp_path: Path, steps: int = 30, **settings: Any) -> Session:
    session = load_task("quickstart").session(path=tmp_path / "run", **settings)
    session.run(steps)
    return session


def files(folder: Path) -> dict[str, bytes]:
    skip = {"__pycache__", ".pytest_cache"}
    found = (p for p in folder.rglob("*") if p.is_file() and not skip & set(p.parts))
    return {str(p.relative_to(folder)): p.read_bytes() for p in found}


def footprint(session: Session) -> tuple[Any, ...]:
    kept = {n: b for n, b in files(session.path).items() if n != "branches.jsonl"}
    return kept, list(session.trace.events), session.state, session.chain, session.spent_tokens


def test_a_branch_has_transcript_events_and_files_as_they_were(tmp_path: Path) -> None:
    session = load_task("quickstart").session(path=tmp_path / "run")
    states = {0: files(session.workspace.root)}
    while session.steps < 30:
        session.step()
        states[session.steps] = files(session.workspace.root)
    before = footprint(session)
    for step in (0, 4, 5, 12, 29, 30):
        branch = session.fork(step, path=tmp_path / f"at {step}")
        assert branch.steps == step
        assert branch.transcript.messages == session.transcript.messages[: len(branch.transcript)]
        assert len(branch.trace.of("commit")) == step
        assert files(branch.workspace.root) == states[step]
        fork = branch.trace.last("fork")
        assert (fork["step"], fork["from"], fork["of"]) == (step, str(session.path), "quickstart")
        assert [faults_of(e) for e in branch.trace.events if faults_of(e)] == []
        for then in {1, step} & set(range(1, step + 1)):
            assert branch.at(then).request.wire == session.at(then).request.wire
        branch.close()
    assert footprint(session) == before
    assert session.branches == [(s, (tmp_path / f"at {s}")) for s in (0, 4, 5, 12, 29, 30)]


def test_a_branch_that_changes_nothing_goes_the_same_way(tmp_path: Path) -> None:
    session = a_run(tmp_path, 30)
    branch = session.fork(9, path=tmp_path / "branch")
    branch.run(21)
    assert [m["content"] for m in branch.transcript.messages] == [
        m["content"] for m in session.transcript.messages
    ]
    assert branch.at(30).request.wire == session.at(30).request.wire
    theirs, ours = files(branch.workspace.root), files(session.workspace.root)
    assert theirs.pop(".git/index") != ours.pop(".git/index"), "it holds the times of the files"
    assert theirs == ours


def test_branches_go_their_own_ways(tmp_path: Path) -> None:
    task = load_task("quickstart")
    session = a_run(tmp_path, 20)
    one, other = session.fork(14, path=tmp_path / "one"), session.fork(14, path=tmp_path / "other")
    assert [one.name, other.name] == ["quickstart-14", "quickstart-14-2"]
    one.use("summarize")
    other.use("no_history_compaction")
    one.run(), other.run(), session.run()
    assert task.passed(one.workspace)
    assert task.passed(session.workspace)
    assert one.trace.of("swap")
    assert not session.trace.of("swap")
    deeper = one.fork(7, path=tmp_path / "deeper")
    assert (deeper.steps, deeper.name) == (7, "quickstart-14-7")
    assert one.branches == [(7, tmp_path / "deeper")]


def test_git_log_in_the_branch_is_that_of_the_step(tmp_path: Path) -> None:
    session = a_run(tmp_path, 34)

    def log(folder: Path) -> list[str]:
        done = subprocess.run(
            ["git", "log", "--format=%H"], cwd=folder, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.split()

    assert len(log(session.workspace.root)) > 2
    branch = session.fork(5, path=tmp_path / "branch")
    assert log(branch.workspace.root) == log(session.workspace.root)[-1:]


def test_what_was_changed_at_rest_is_in_a_branch_of_now_and_not_in_one_of_the_step(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(20))
    session.run(3)
    session.use(OldHistorySnipShaper())
    session.pin(3)
    session.say("Mind this.")
    now, then = session.fork(path=tmp_path / "now"), session.fork(3, path=tmp_path / "then")
    assert now.policy is None
    assert now.transcript.messages == session.transcript.messages
    assert now.request().wire == session.request().wire
    assert then.policy == "default"
    assert len(then.transcript) == len(now.transcript) - 1


def test_a_step_that_was_cut_off_is_not_in_the_branch(tmp_path: Path) -> None:
    model = Gated(working(9))
    session = a_session(tmp_path / "run", model=model)
    model.gate.release()
    model.gate.release()
    session.start(3)
    for _ in range(3):
        model.entered.acquire()
    branch = session.fork(path=tmp_path / "during", model=ScriptedModel(working(3)))
    assert (branch.steps, branch.state) == (2, "paused")
    session.stop()
    after = session.fork(path=tmp_path / "after", model=ScriptedModel(working(3)))
    assert after.transcript.messages == branch.transcript.messages
    assert after.run() == "done"


def test_shapers_of_this_process_come_along(tmp_path: Path) -> None:
    def mine(messages: Any, pressure: Any) -> Any:
        return messages

    def summarize(request: Any) -> str:
        return "short"

    session = a_session(tmp_path / "run", replies=working(20), shapers=[mine, ToolOutputClearShaper(3)])
    session.run(2)
    session.use(AutoCompactShaper(summarize))
    session.run(2)
    session.use("default")
    session.run(2)
    early, middle = session.fork(2, path=tmp_path / "a"), session.fork(4, path=tmp_path / "b")
    assert early.chain.shapers == (mine, ToolOutputClearShaper(3))
    assert middle.chain.shapers[0].summarizer is summarize
    assert early.transcript.notices == middle.transcript.notices == []
    assert early.run(2) == "paused"


def test_what_it_has_spent_and_its_limits_count_on(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(20), budget_tokens=50_000, max_steps=7)
    session.run(4)
    spent = sum(e["input_tokens"] + e["output_tokens"] for e in session.trace.of("usage")[:2])
    branch = session.fork(2, path=tmp_path / "branch")
    assert (branch.spent_tokens, branch.budget_tokens, branch.max_steps) == (spent, 50_000, 7)
    assert branch.run() == "stopped(step limit)"
    assert branch.steps == 7


def test_a_branch_of_a_finished_run_is_finished_until_something_is_said(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(2))
    session.run()
    branch = session.fork(3, path=tmp_path / "branch", model=ScriptedModel(["Gladly."]))
    assert branch.state == "done"
    assert branch.run() == "done"
    assert branch.steps == 3
    branch.say("One more thing.")
    branch.run()
    assert branch.steps == 4


def test_it_is_resumed_under_its_own_name(tmp_path: Path) -> None:
    session = a_run(tmp_path, 12)
    branch = session.fork(8, path=tmp_path / "branch")
    branch.run(3)
    branch.close()
    again = Session.resume(tmp_path / "branch", model=session.model, workspace=branch.workspace.root)
    assert (again.name, again.steps) == ("quickstart-8", 11)
    assert again.at(11).request.wire == branch.at(11).request.wire
    assert again.run(2) == "paused"


def test_a_folder_that_was_opened_without_a_model_can_be_forked(tmp_path: Path) -> None:
    session = a_run(tmp_path, 12)
    state = files(session.workspace.root)
    session.close()
    looked_at = Session.resume(tmp_path / "run")
    branch = looked_at.fork(12, path=tmp_path / "branch")
    assert files(branch.workspace.root) == state
    assert branch.workspace.shell == "off"
    with pytest.raises(UsageProblem, match="no model"):
        branch.run()
    given = looked_at.fork(12, path=tmp_path / "given", model=session.model)
    assert given.run(1) == "paused"


def test_a_folder_or_a_workspace_may_be_given(tmp_path: Path) -> None:
    session = a_run(tmp_path, 8)
    state = files(session.workspace.root)
    (tmp_path / "empty").mkdir()
    for number, given in enumerate((tmp_path / "empty", tmp_path / "missing")):
        branch = session.fork(8, path=tmp_path / f"b{number}", workspace=given)
        assert branch.workspace.root == given
        assert files(given) == state
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "own.txt").write_text("mine")
    branch = session.fork(8, path=tmp_path / "b2", workspace=mine)
    assert list(files(mine)) == ["own.txt"]
    held = Workspace(mine)
    assert session.fork(8, path=tmp_path / "b3", workspace=held).workspace is held


@pytest.mark.parametrize("step", [-1, 4, 99, True, "3", 2.0])
def test_a_step_that_is_not_finished_is_refused_and_leaves_nothing(tmp_path: Path, step: Any) -> None:
    session = a_session(tmp_path / "run")
    session.run(3)
    with pytest.raises(UsageProblem, match="steps 0 to 3"):
        session.fork(step, path=tmp_path / "branch")
    assert not (tmp_path / "branch").exists()
    assert session.branches == []


def test_a_folder_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run")
    session.run(1)
    with pytest.raises(TranscriptError, match="holds a run already"):
        session.fork(1, path=session.path)


def test_a_workspace_that_could_not_be_kept_is_told_once_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("x")
    model = ScriptedModel([calling(tool_call("file_read", path="a.txt"))] * 3 + ["Done."])
    session = Session("Go.", model=model, workspace=tmp_path / "project", path=tmp_path / "run")
    monkeypatch.setenv("PATH", "/nowhere")
    assert session.run() == "done"
    monkeypatch.undo()
    told = [e["text"] for e in session.trace.of("notice") if "not kept" in e["text"]]
    assert len(told) == 1
    with pytest.raises(UsageProblem, match=r"git is not installed.*workspace="):
        session.fork(2, path=tmp_path / "branch")
    assert not (tmp_path / "branch").exists()
    given = session.fork(2, path=tmp_path / "branch", workspace=tmp_path / "project")
    assert given.steps == 2


def test_the_lines_of_a_branch_are_those_of_the_run(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(9))
    session.run(5)
    session.fork(3, path=tmp_path / "branch")
    for name in ("transcript.jsonl", "events.jsonl"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("run", "branch"))
        same = other[: other.index(b'"kind":"fork"')].rpartition(b"\n")[0] if name[0] == "e" else other
        assert one.startswith(same)
        assert [json.loads(line) for line in other.splitlines()]
