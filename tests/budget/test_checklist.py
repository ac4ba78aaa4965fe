"""The checks before a long run: each is answered by what was measured, and can be answered with no."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget import measured
from opencollab_nb.budget.checklist import QUESTIONS, Checklist
from opencollab_nb.budget.checks import NO, NOT_YET, YES
from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.memory import MemoryStore
from opencollab_nb.budget.probe import MARKER, probed
from opencollab_nb.budget.quotas import Quotas
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.tasks import load_task
from tests.budget.recorded_runs import a_copy, a_run
from tests.session.build import a_session, working
from tests.session.directed import directed

FIXED, GATE, THRESHOLD, RESTATEMENT, HANDOFF, AUDIT, MEMORY, LONG, EVALUATED, EXHAUSTION = range(10)


def answers(checklist: Checklist) -> list[str]:
    return [check.answer for check in checklist]


@pytest.mark.parametrize("task", ["quickstart", "orders"])
def test_a_managed_run_passes_all_but_what_was_not_measured_yet(task: str) -> None:
    checklist = a_run(task).checklist(measured=[])
    assert answers(checklist) == [YES] * 7 + [NOT_YET] * 2 + [YES]
    assert not checklist
    assert all(check.evidence for check in checklist)
    assert [check.number for check in checklist] == list(range(1, len(QUESTIONS) + 1))


def test_it_changes_nothing_and_is_answered_before_the_first_step(tmp_path: Path) -> None:
    session = load_task("quickstart").session(budget=ContextBudget(), path=tmp_path / "run")
    before = list(session.trace.events)
    checklist = session.checklist(measured=[])
    assert session.trace.events == before
    assert answers(checklist)[AUDIT] == NOT_YET
    assert answers(checklist)[:AUDIT] == [YES] * AUDIT
    session.close()


def test_a_bare_session_fails_where_nothing_is_set(tmp_path: Path) -> None:
    session = Session("Fix it.", model=ScriptedModel(["done"]), path=tmp_path / "run", shapers=[])
    found = answers(session.checklist(measured=[]))
    assert [found[at] for at in (GATE, THRESHOLD, RESTATEMENT, EXHAUSTION)] == [NO] * 4
    evidence = session.checklist(measured=[])[THRESHOLD].evidence
    assert evidence.endswith("; give the window, window= and a goal, register('goal', ...)")
    session.max_steps = 10
    assert answers(session.checklist(measured=[]))[EXHAUSTION] == YES


def test_fixed_costs_over_their_quota_are_named(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(2), system="Be careful. " * 2_000)
    check = session.checklist(measured=[])[FIXED]
    assert check.answer == NO
    assert "the largest: system prompt" in check.evidence
    assert "give a larger share, Quotas(system=...)" in check.evidence
    roomy = Quotas(system=0.8, tool_result=0.1, history=0.05, restate=0.05)
    other = directed(
        tmp_path / "other", working(2), system="Be careful. " * 2_000, budget=ContextBudget(quotas=roomy)
    )
    assert other.checklist(measured=[])[FIXED].answer == YES


def test_the_size_gate_is_tried_with_a_huge_result(tmp_path: Path) -> None:
    wide = directed(tmp_path / "run", working(2), shapers=[])
    check = wide.checklist(measured=[])[GATE]
    assert check.answer == NO
    assert "no layer for it: a result of 1,000,000 characters takes" in check.evidence
    wide.use("no_history_compaction")
    assert wide.checklist(measured=[])[GATE].answer == YES


def test_an_interval_that_is_not_kept_is_seen(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    lines = [json.loads(line) for line in (path / "events.jsonl").read_text().splitlines()]
    lines = [line for line in lines if line["kind"] != "restatement"]
    text = "".join(json.dumps({**line, "n": n}) + "\n" for n, line in enumerate(lines))
    (path / "events.jsonl").write_text(text)
    check = Session.resume(path).checklist(measured=[])[RESTATEMENT]
    assert check.answer == NO


def test_more_memory_than_its_share_is_seen(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db")
    store.remember("Run the tests with pytest -q.", kind="convention", source="x", by="user")
    session = directed(tmp_path / "run", ["done"], memory=store)
    check = session.checklist(measured=[])[HANDOFF]
    assert check.answer == YES
    tokens = session.trace.of("injection")[0]["tokens"]
    assert f"memory put in {tokens} of at most" in check.evidence
    session.trace.of("injection")[0]["tokens"] = 100_000
    assert session.checklist(measured=[])[HANDOFF].answer == NO


def test_an_audit_that_cannot_be_verified_is_a_no(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    session = Session.resume(path)
    (path / "transcript.jsonl").write_bytes(b"")
    check = session.checklist(measured=[])[AUDIT]
    assert check.answer == NO
    assert "are not in transcript.jsonl" in check.evidence


def test_the_probe_of_the_store_measures_and_leaves_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    good, told = probed(Session)
    assert good
    assert told == (
        "probe: a key and an e-mail were taken out; an expired memory is gone; a memory that was deleted "
        "is in no byte of its files; a run that was deleted is in no byte of its files"
    )
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and MARKER.encode() in p.read_bytes()]


def test_a_run_that_is_not_deleted_is_a_no() -> None:
    class Keeping(Session):
        def delete(self) -> list[Path]:  # type: ignore[override]
            self.close()
            return []

    good, told = probed(Keeping)
    assert not good
    assert "a run that was deleted is left in" in told


def test_a_spent_budget_is_answered_with_its_handoff(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(20), budget_tokens=1_500)
    assert session.run() == "stopped(budget)"
    check = session.checklist(measured=[])[EXHAUSTION]
    assert check.answer == YES
    assert str(tmp_path / "run" / "handoff.md") in check.evidence


def test_what_is_on_record_answers_for_its_model_only(tmp_path: Path) -> None:
    place = tmp_path / "measured.jsonl"
    assert measured.load(place) == []
    measured.keep("long task", model="other", passed=True, evidence="381 steps, done", path=place)
    found = a_run().checklist(measured=measured.load(place))
    assert found[LONG].answer == NOT_YET
    assert "there is one with other" in found[LONG].evidence
    measured.keep("long task", model="simulated", passed=True, evidence="381 steps, done", path=place)
    measured.keep(
        "thresholds", model="simulated", passed=False, evidence="the target 0.75 lost 2", path=place
    )
    found = a_run().checklist(measured=measured.load(place))
    assert (found[LONG].answer, found[EVALUATED].answer) == (YES, NO)
    assert found[LONG].evidence.endswith("381 steps, done")
    measured.keep("thresholds", model="simulated", passed=True, evidence="0.6 lost none", path=place)
    found = a_run().checklist(measured=measured.load(place))
    assert answers(found) == [YES] * 10
    assert found, "all ten are answered with yes"


def test_the_standard_record_is_in_the_users_data_folder(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path))
    measured.keep("long task", model="simulated", passed=True, evidence="381 steps")
    assert (tmp_path / "measured.jsonl").is_file()
    assert a_run().checklist()[LONG].answer == YES


def test_only_a_long_run_can_be_put_on_record(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="a long task has at least 300"):
        measured.keep_long_task(a_run(), done=True, path=tmp_path / "m.jsonl")
    with pytest.raises(UnknownName):
        measured.keep("long", model="m", passed=True, evidence="e", path=tmp_path / "m.jsonl")
    with pytest.raises(UsageProblem):
        measured.keep("thresholds", model="m", passed=True, evidence="", path=tmp_path / "m.jsonl")


def test_a_long_run_is_put_on_record_with_its_proof(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(300), window=64_000)
    session.run()
    place = tmp_path / "measured.jsonl"
    record = measured.keep_long_task(session, done=True, path=place)
    assert record["passed"]
    assert "301 steps, done" in record["evidence"]
    assert "Verified: " in record["evidence"]
    assert not measured.keep_long_task(session, done=False, path=place)["passed"]
    assert [r["passed"] for r in measured.load(place)] == [True, False]


def test_it_shows_itself_and_escapes_what_others_wrote(tmp_path: Path) -> None:
    checklist = directed(tmp_path / "run", ["done"], name="<script>").checklist(measured=[])
    assert "<script>" not in checklist._repr_html_()
    assert "&lt;script&gt;" in checklist._repr_html_()
    assert repr(checklist).count("\n") == 2 * len(QUESTIONS)
    assert list(checklist.to_frame()["answer"]) == answers(checklist)
