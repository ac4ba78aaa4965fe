"""The end of a session: a handoff that says so, and a next session that goes on from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.handoff import Handoff
from opencollab_nb.budget.memory import MemoryStore
from opencollab_nb.errors import SessionBusy, UsageProblem
from opencollab_nb.messages import is_pinned, text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.tasks import load_task
from tests.session.build import Tools, a_session, calling, echo, tool_call, working
from tests.session.directed import CONSTRAINTS, GOAL, TODOS, directed, in_full


def done(*numbers: int) -> dict[str, Any]:
    return calling(tool_call("todo", "d", updates=[{"id": f"t{n}", "status": "done"} for n in numbers]))


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ({"budget_tokens": 3_000}, "stopped(budget)"),
        ({"max_steps": 2}, "stopped(step limit)"),
        ({}, "done"),
    ],
)
def test_every_end_of_a_session_with_a_budget_leaves_one_and_says_where(
    tmp_path: Path, settings: dict[str, Any], state: str
) -> None:
    session = directed(tmp_path / "run", [done(1), *working(4)], **settings)
    assert session.run() == state
    assert str(tmp_path / "run" / "handoff.md") in session.detail
    written = session.trace.of("handoff")[-1]
    assert (written["reason"], Path(written["path"]).is_file()) == (state, True)
    handoff = session.handoff
    assert handoff == Handoff.load(tmp_path / "run")
    assert (handoff.goal, handoff.constraints) == (GOAL, CONSTRAINTS)
    assert handoff.finished == ('t1 "login: tests"',)
    assert [todo.text for todo in handoff.open_todos] == list(TODOS[1:])
    assert (handoff.session, handoff.spent_tokens) == (session.id, session.spent_tokens)
    assert (tmp_path / "run" / "handoff.md").read_text().startswith("[Handoff")


def test_a_stop_leaves_one_and_a_pause_none(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(9))
    session.run(2)
    assert session.state == "paused"
    assert session.handoff is None
    session.stop()
    assert session.state == "stopped(by user)"
    assert session.handoff.reason == "stopped(by user)"
    assert "handoff.md" in session.detail


def test_a_spent_budget_leaves_one_in_every_session(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(9), budget_tokens=1_000)
    assert session.run() == "stopped(budget)"
    assert "not a billing cap" in session.detail
    assert "handoff.md" in session.detail
    assert session.handoff.goal == "Fix the bug."
    other = a_session(tmp_path / "other", working(2))
    other.run()
    assert other.handoff is None


def test_one_can_be_asked_for_at_any_time(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(9))
    session.run(2)
    handoff = session.handoff_now()
    assert handoff == session.handoff
    assert session.trace.of("handoff")[-1]["reason"] == "asked for"
    assert session.state == "paused"
    session.close()
    with pytest.raises(UsageProblem, match="closed"):
        session.handoff_now()


def test_a_folder_that_takes_no_handoff_is_told_and_the_end_is_the_same(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", ["done"])
    (tmp_path / "run" / "handoff.md").mkdir()
    assert session.run() == "done"
    assert "handoff" not in session.detail
    assert [(e["where"], e["error"]) for e in session.trace.of("fault")] == [("handoff", "IsADirectoryError")]


def test_the_next_session_goes_on_with_direction_todos_and_settings(tmp_path: Path) -> None:
    first = directed(tmp_path / "one", [done(1, 2), *working(9)], budget_tokens=5_000, window=20_000)
    assert first.run() == "stopped(budget)"
    model = ScriptedModel([done(3), "done"])
    second = Session.continued(first, model=model, path=tmp_path / "two")
    assert (second.task, second.budget_tokens, second.pressure.window) == (first.task, 5_000, 20_000)
    assert second.spent_tokens == 0
    assert f"{first.spent_tokens:,} with the sessions before it" in second._repr_html_()
    assert second.chain_spent_tokens == first.spent_tokens > 5_000
    assert second.budget.to_dict() == first.budget.to_dict()
    assert second.chain == first.chain
    start = second.trace.events[0]
    assert (start["handoff_from"], start["chain_spent_tokens"]) == (first.id, first.spent_tokens)
    opening = second.transcript.messages[2]
    assert is_pinned(opening)
    assert text_of(opening) == first.handoff.to_markdown()
    assert second.anchors.goal == GOAL
    assert second.anchors.texts("constraints") == CONSTRAINTS
    assert second.anchors.texts("milestones") == TODOS[:2]
    assert [(todo.id, todo.status) for todo in second.todos] == [
        *(("t1", "done"), ("t2", "done"), ("t3", "open"), ("t4", "open"))
    ]
    second.run()
    for request in model.requests:
        assert all(text in in_full(request) for text in (GOAL, *CONSTRAINTS, *TODOS[:2]))
    third = Session.continued(tmp_path / "two", model=ScriptedModel(["done"]), workspace=Tools(echo=echo))
    assert third.chain_spent_tokens == first.spent_tokens + second.spent_tokens
    assert [todo.status for todo in third.todos] == ["done", "done", "done", "open"]
    assert third.trace.events[0]["handoff"]["sessions"] == [first.id, second.id]
    assert third.anchors.texts("milestones") == TODOS[:3]
    third.run()
    assert third.handoff.finished == tuple(f't{n} "{TODOS[n - 1]}"' for n in (1, 2, 3))


def test_a_handoff_may_be_given_by_its_path(tmp_path: Path) -> None:
    directed(tmp_path / "one", [done(1), "done"]).run()
    session = Session(
        "Go on.",
        model=ScriptedModel(["done"]),
        handoff=tmp_path / "one" / "handoff.md",
        budget=ContextBudget(),
    )
    assert session.anchors.goal == GOAL
    with pytest.raises(UsageProblem, match="handoff"):
        Session("Go on.", model=ScriptedModel([]), handoff=7)
    with pytest.raises(UsageProblem, match=r"no .*handoff\.json"):
        Session("Go on.", model=ScriptedModel([]), handoff=tmp_path)


def test_a_continued_session_is_resumed_like_any_other(tmp_path: Path) -> None:
    first = directed(tmp_path / "one", [done(1), "done"])
    first.run()
    second = Session.continued(first, model=ScriptedModel(working(5)), path=tmp_path / "two")
    second.run(2)
    expected = second.request().wire
    spent = second.chain_spent_tokens
    second.close()
    again = Session.resume(tmp_path / "two")
    assert again.request().wire == expected
    assert again.chain_spent_tokens == spent
    assert again.handoff_now().sessions == (first.id, second.id)


def test_what_is_at_work_is_not_continued(tmp_path: Path) -> None:
    held: list[Any] = []

    def continuing(arguments: Any, ticket: Any) -> str:
        with pytest.raises(SessionBusy):
            Session.continued(held[0], model=ScriptedModel([]))
        return "refused"

    session = directed(None, [calling(tool_call("act")), "done"], workspace=Tools(act=continuing))
    held.append(session)
    session.run()
    assert "refused" in [text_of(m) for m in session.transcript.messages]


def test_settings_that_are_given_stand_before_the_former_s(tmp_path: Path) -> None:
    first = directed(tmp_path / "one", ["done"], budget_tokens=9_000)
    first.run()
    second = Session.continued(
        first, model=ScriptedModel([]), policy="summarize", budget_tokens=None, window=40_000, name="next"
    )
    assert (second.policy, second.budget_tokens, second.name) == ("summarize", None, "next")
    assert second.pressure.window == 40_000


def test_the_memory_keeps_how_it_ended_under_the_session_s_id(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db")
    session = directed(
        tmp_path / "run", [done(1), "Decision: keep one table, because migrations broke."], memory=store
    )
    session.run()
    kept = {memory.kind: memory for memory in store.all()}
    assert set(kept) >= {"outcome", "decision"}
    assert {memory.source for memory in kept.values()} == {session.id}
    later = a_session(tmp_path / "later", ["done"], memory=store)
    assert "keep one table" in text_of(later.transcript.messages[2])
    assert later.trace.of("injection")[0]["message_id"] == 2


def test_a_memory_that_fails_at_the_end_fails_nothing(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db")
    session = directed(tmp_path / "run", ["done"], memory=store)
    store.close()
    assert session.run() == "done"
    assert [e["where"] for e in session.trace.of("fault")] == ["memory"]


def test_a_workspace_that_closed_with_its_session_is_opened_anew(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("x = 1\n")
    reading = calling(tool_call("file_read", "a", path="a.py"))

    def goes_on(session: Session) -> None:
        session.run()
        assert "x = 1" in text_of(session.transcript.messages[-2])

    first = a_session(tmp_path / "1", ["done"], workspace=tmp_path / "project", budget=ContextBudget())
    first.run()
    second = Session.continued(first.path, model=ScriptedModel([reading, "done"]), workspace=first.workspace)
    goes_on(second)
    third = Session.continued(second, model=ScriptedModel([reading, "done"]), workspace=second.workspace)
    second.close()
    goes_on(third)
    third.close()
    goes_on(Session.resume(third.path, model=ScriptedModel([reading, "done"]), workspace=third.workspace))


@pytest.mark.parametrize("profile", ["ideal", "plain"])
def test_the_task_is_finished_over_three_sessions(tmp_path: Path, profile: str) -> None:
    task = load_task("quickstart")
    session = task.session(
        profile=profile, path=tmp_path / "1", budget=ContextBudget(), budget_tokens=110_000
    )
    states = [session.run()]
    spent = [session.spent_tokens]
    for number in (2, 3):
        more = {} if number == 2 else {"budget_tokens": None}
        session = Session.continued(session, model=session.model, path=tmp_path / str(number), **more)
        states.append(session.run())
        spent.append(session.spent_tokens)
    assert states == ["stopped(budget)", "stopped(budget)", "done"]
    assert task.passed(session.workspace)
    assert session.chain_spent_tokens == sum(spent)
    assert not session.todos.open
    handoff = json.loads((tmp_path / "3" / "handoff.json").read_text())
    assert len(handoff["sessions"]) == 3
    assert len(handoff["finished"]) == len(task.plan.milestones)
