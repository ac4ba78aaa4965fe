"""The tools of the harness: when they are offered, and what they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.memory import MemoryStore
from opencollab_nb.budget.offload import OffloadShaper
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import ToolResultBudgetShaper, default_pipeline, name_of
from tests.session.build import Tools, a_session, calling, echo, tool_call, working
from tests.session.directed import TODOS, directed
from tests.session.remote import short_summary


def offered(session: Session, step: int | None = None) -> list[str]:
    return [tool["function"]["name"] for tool in session.request(step).tools]


def results(session: Session, name: str) -> list[str]:
    ids = [event["message_id"] for event in session.trace.of("tool") if event["name"] == name]
    return [text_of(session.transcript.messages[i]) for i in ids]


def test_each_is_offered_with_what_it_is_for(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db")
    plain = a_session(tmp_path / "plain")
    assert offered(plain) == ["echo"]
    assert offered(a_session(tmp_path / "a", shapers=[OffloadShaper()])) == ["echo", "read_result"]
    assert offered(a_session(tmp_path / "b", memory=store)) == ["echo", "recall"]
    budget = ContextBudget()
    assert offered(a_session(tmp_path / "c", budget=budget)) == ["echo", "read_result", "todo"]
    whole = a_session(tmp_path / "d", budget=budget, memory=store)
    assert offered(whole) == ["echo", "read_result", "todo", "recall"]
    assert whole.trace.events[0]["tools"] == offered(whole)
    without = ContextBudget(moves={"compact", "restate"})
    assert offered(a_session(tmp_path / "e", budget=without, memory=store)) == ["echo", "todo"]


@pytest.mark.parametrize(
    ("moves", "summarizer", "layers"),
    [
        ({"offload", "compact"}, None, ["OffloadShaper", *map(name_of, default_pipeline().shapers)]),
        ({"compact"}, None, [*map(name_of, default_pipeline().shapers)]),
        ({"compact"}, short_summary, [*map(name_of, default_pipeline("summarize").shapers)]),
        ({"offload", "restate"}, None, ["OffloadShaper", "ToolResultBudgetShaper"]),
        (set(), None, ["ToolResultBudgetShaper"]),
    ],
)
def test_the_moves_choose_the_chain_where_none_is_given(
    moves: Any, summarizer: Any, layers: list[str]
) -> None:
    budget = ContextBudget(moves=moves)
    session = a_session(None, budget=budget, summarizer=summarizer)
    assert [name_of(shaper) for shaper in session.chain.shapers] == layers
    assert a_session(None, budget=budget, policy="default").policy == "default"
    given = a_session(None, budget=budget, shapers=[ToolResultBudgetShaper(900)])
    assert given.chain.shapers == (ToolResultBudgetShaper(900),)


def test_fixed_costs_over_their_quota_are_told_at_the_start() -> None:
    long = a_session(None, budget=ContextBudget(), system="Mind every rule. " * 900)
    (notice,) = [e["text"] for e in long.trace.of("notice")]
    assert "over their quota of 1,600" in notice
    assert "system prompt" in notice
    assert not a_session(None, budget=ContextBudget(), window=128_000).trace.of("notice")


def test_a_swap_that_offloads_offers_read_result_and_the_past_keeps_its_tools(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(6))
    session.run(2)
    before = session.pressure.overhead_tokens
    session.use(OffloadShaper(), ToolResultBudgetShaper())
    assert session.pressure.overhead_tokens > before
    session.run(2)
    session.use("default")
    assert session.pressure.overhead_tokens == before
    session.run(2)
    assert [offered(session, step) for step in (2, 3, 5)] == [["echo"], ["echo", "read_result"], ["echo"]]
    assert [len(session.at(step).request.tools) for step in (2, 3, 5)] == [1, 2, 1]
    for step, request in enumerate(session.model.requests, 1):
        assert session.request(step).tools == request.tools
    session.close()
    again = Session.resume(tmp_path / "run", workspace=Tools(echo=echo))
    assert again.pressure.overhead_tokens == before
    assert [offered(again, step) for step in (2, 3, 5)] == [["echo"], ["echo", "read_result"], ["echo"]]


def test_the_schemas_stay_the_same_during_a_run(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(8))
    session.run()
    assert len({str(request.tools) for request in session.model.requests}) == 1


def test_a_workspace_s_own_tool_of_that_name_is_the_one_that_is_asked() -> None:
    own = Tools(todo=lambda arguments, ticket: "mine")
    session = a_session(
        None, [calling(tool_call("todo", "a")), "done"], workspace=own, budget=ContextBudget()
    )
    session.run()
    assert results(session, "todo") == ["mine"]
    assert offered(session, 1) == ["todo", "read_result"]


def test_without_a_workspace_they_work_too() -> None:
    reply = calling(tool_call("todo", "a", add=["look around"]))
    session = Session("Go.", model=ScriptedModel([reply, "done"]), budget=ContextBudget())
    session.run()
    assert [todo.by for todo in session.todos] == ["agent"]
    assert results(session, "todo") == ['Open (1): t1 "look around"']


def test_a_long_result_is_read_back_from_the_transcript() -> None:
    log = "".join(f"line {n}: all is well\n" for n in range(600)) + "ERROR: the disk is full\n"
    replies = [
        calling(tool_call("log", "a")),
        *working(1, end=None),
        calling(tool_call("read_result", "b", id=3, pattern="ERROR")),
        calling(tool_call("read_result", "c", id=3, offset=10, limit=2)),
        calling(tool_call("read_result", "d", id=99)),
        "done",
    ]
    session = a_session(
        None, replies, workspace=Tools(log=lambda a, t: log, echo=echo), budget=ContextBudget(), window=64_000
    )
    session.run()
    shown = next(m for m in session.request(3).messages if m["role"] == "tool")["content"]
    assert shown.startswith("[offloaded: result 3, 601 lines")
    assert len(shown.encode()) <= 2_048
    assert next(m for m in session.request(2).messages if m["role"] == "tool")["content"] == log, (
        "it is read once"
    )
    found = results(session, "read_result")
    assert "ERROR: the disk is full" in found[0]
    assert [line.split("\t")[1] for line in found[1].splitlines()[:2]] == [
        "line 9: all is well",
        "line 10: all is well",
    ]
    assert found[2].startswith("Error: there is no tool result 99")


def test_reading_the_same_again_and_again_is_told_once() -> None:
    again = [calling(tool_call("read_result", f"r{n}", id=3)) for n in range(8)]
    session = a_session(
        None,
        [calling(tool_call("echo", "a", text="line\n", times=3_000)), *again, "done"],
        shapers=[OffloadShaper()],
    )
    session.run()
    notices = [e["text"] for e in session.trace.of("notice")]
    assert len([text for text in notices if "read again" in text]) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"updates": [{"id": "t9", "status": "done"}]}, "t9"),
        ({"updates": [{"id": "t1", "status": "finished"}]}, "finished"),
        ({"updates": [{"id": "t1", "status": "done"}, {"id": "t1", "status": "open"}]}, "final"),
        ({"updates": ["t1"]}, "t1"),
        ({"updates": "t1 done"}, "list"),
        ({"add": ["fine", "x" * 121]}, "120"),
        ({"add": ["two\nlines"]}, "line"),
        ({"finish": True}, "finish"),
    ],
)
def test_a_change_that_cannot_be_made_is_an_error_and_changes_nothing(arguments: Any, says: str) -> None:
    session = directed(None, [calling(tool_call("todo", "a", **arguments)), "done"])
    before = session.todos
    session.run()
    (text,) = results(session, "todo")
    assert text.startswith("Error: ")
    assert says in text
    assert text.endswith("Nothing was changed.")
    assert session.todos == before
    assert len(session.trace.of("todos")) == 1


def test_a_todo_of_the_user_that_is_done_is_a_milestone_and_one_of_the_agent_is_none() -> None:
    replies = [
        calling(tool_call("todo", "a", add=["look around"])),
        calling(tool_call("todo", "b", updates=[{"id": f"t{n}", "status": "done"} for n in (2, 5)])),
        "done",
    ]
    session = directed(None, replies)
    session.run()
    assert session.anchors.texts("milestones") == (TODOS[1],)
    event = session.trace.of("anchor")[-1]
    assert (event["by"], event["todo"], event["step"]) == ("harness", "t2", 2)
    assert [event["by"] for event in session.trace.of("todos")] == ["user", "agent", "agent"]


def test_one_that_the_user_calls_done_is_a_milestone_too_and_once() -> None:
    session = directed(None, ["done"])
    session.update_todos([{"id": "t1", "status": "done"}, "more"])
    session.update_todos([{"id": "t1", "status": "done"}])
    assert session.anchors.texts("milestones") == (TODOS[0],)
    assert len(session.trace.of("todos")) == 2


def test_recall_finds_what_the_start_did_not_hold(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db")
    for n in range(60):
        store.remember(f"Shelf {n} holds part number {n * 7} and is cleaned weekly.", kind="fact", source="x")
    asking = calling(tool_call("recall", "a", query="shelf 3"))
    others = tool_call("recall", "b"), tool_call("recall", "c", query="shelf", k=3)
    session = a_session(None, [asking, calling(*others), "done"], memory=store)
    session.run()
    injected = session.trace.of("injection")[0]
    assert 0 < injected["tokens"] <= 0.05 * 16_000
    assert 0 < len(injected["memories"]) < 60
    found, empty, other = results(session, "recall")
    assert "Shelf 3 " in found
    assert empty.startswith("Error: query")
    assert other == "Error: recall has no argument 'k'. It takes: query, limit."
