"""A run with a budget is resumed request for request: tails, tools, anchors and todos too."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.memory import MemoryStore
from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.session.build import Tools, a_session, calling, echo, tool_call, working
from tests.session.directed import TODOS, Reporting, directed
from tests.session.remote import short_summary
from tests.session.test_resume import in_another_process

ROOT = Path(__file__).parents[2]


def disturb(session: Session, chance: random.Random, number: int) -> None:
    """Change something that a resume has to know."""
    act = chance.randrange(10)
    if act == 0:
        session.register("constraints", f"Keep rule {number}.")
    elif act == 1:
        session.register(chance.choice(["goal", "milestones", "style"]), f"Words of step {number}.")
    elif act == 2:
        session.update_todos([f"work of step {number}"])
    elif act == 3:
        session.say(f"Mind the {number}.")
    elif act == 4 and number > 6:
        session.use(*chance.choice([("default",), ("summarize",), tuple(session.chain.shapers)]))
    elif act == 5:
        session.use_summarizer(short_summary)
    elif act == 6:
        session.pin(chance.randrange(len(session.transcript)))
    elif act == 7:
        session.request()
        session.update_todos([f"seen at step {number}"])
    elif act == 8:
        session.request()


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
@pytest.mark.parametrize("seed", range(3))
def test_the_next_request_is_that_of_the_first_process(tmp_path: Path, seed: int, mode: str) -> None:
    chance, model = random.Random(seed), Reporting(seed)
    session = directed(tmp_path / "run", model=model, window=14_000, mode=mode)
    copies: list[Path] = []
    for number in range(20):
        disturb(session, chance, number)
        if number % 4 == 3:
            copies.append(tmp_path / f"copy{number}")
            shutil.copytree(tmp_path / "run", copies[-1])
        session.step()
    sent = dict(zip([e["step"] for e in session.trace.of("request")], model.requests, strict=True))
    assert {e["layer"] for e in session.trace.of("session.history_compaction")} >= {"OffloadShaper"}
    assert session.trace.of("restatement")
    harness = {step: own_tools(request.tools) for step, request in sent.items()}
    for number, told in zip(range(3, 20, 4), in_another_process(copies), strict=True):
        assert json.dumps(told["next"]) == json.dumps(sent[number + 1].wire)
        assert own_tools(told["next_tools"]) == harness[number + 1]
        for step, wire in told["sent"].items():
            assert wire == sent[int(step)].wire
            assert own_tools(told["tools"][step]) == harness[int(step)]
    for step, request in sent.items():
        assert session.request(step).wire == session.at(step).request.wire == request.wire
        assert session.request(step).tools == session.at(step).request.tools == request.tools
    (told,) = in_another_process([shutil.copytree(tmp_path / "run", tmp_path / "last")])
    assert told["anchors"] == session.anchors.to_list()
    assert told["todos"] == session.todos.to_list()


def own_tools(tools: Any) -> list[str]:
    """The harness's tools: a workspace is never taken from a run folder."""
    return [tool["function"]["name"] for tool in tools if tool["function"]["name"] != "echo"]


def test_a_resumed_session_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    whole = directed(tmp_path / "whole", model=Reporting(7), window=14_000)
    whole.run(16)
    first = directed(tmp_path / "parts", model=Reporting(7), window=14_000)
    first.run(7)
    first.close()
    second = Session.resume(tmp_path / "parts", model=first.model, workspace=Tools(echo=echo))
    second.run(9)
    assert [r.wire for r in first.model.requests] == [r.wire for r in whole.model.requests]
    assert [r.tools for r in first.model.requests] == [r.tools for r in whole.model.requests]
    assert second.transcript.messages == whole.transcript.messages
    kinds = [(e["kind"], e["step"]) for e in second.trace.events if e["kind"] not in ("state", "notice")]
    assert kinds == [
        (e["kind"], e["step"]) for e in whole.trace.events if e["kind"] not in ("state", "notice")
    ]
    assert second.budget.to_dict() == whole.budget.to_dict()


def test_a_request_that_was_looked_at_before_a_change_is_made_anew_after_a_resume_too(tmp_path: Path) -> None:
    def looked_at(folder: str) -> Session:
        session = directed(tmp_path / folder, working(6, chars=4_000), mode="stateless", window=16_000)
        session.run(4)
        session.request()
        session.update_todos([{"id": "t1", "status": "in_progress"}])
        return session

    whole, first = looked_at("whole"), looked_at("parts")
    first.close()
    again = Session.resume(tmp_path / "parts", model=first.model, workspace=Tools(echo=echo))
    for session in (whole, again):
        session.step()
    assert whole.trace.of("preview")
    volatile = ("n", "at")
    one, other = (
        {k: v for k, v in session.trace.of("request")[-1].items() if k not in volatile}
        for session in (whole, again)
    )
    assert one == other


def test_a_branch_has_the_direction_of_its_step(tmp_path: Path) -> None:
    done = [calling(tool_call("todo", f"c{n}", updates=[{"id": f"t{n}", "status": "done"}])) for n in (1, 2)]
    session = directed(tmp_path / "run", [*done, *working(4)])
    session.run()
    branch = session.fork(1, path=tmp_path / "branch", model=ScriptedModel(["done"]))
    assert [todo.status for todo in branch.todos] == ["done", "open", "open", "open"]
    assert branch.anchors.texts("milestones") == (TODOS[0],)
    assert branch.request().wire == session.request(2).wire
    session.register("decisions", "Said after the end.")
    assert session.fork(path=tmp_path / "last").state == session.state == "done"


@pytest.mark.parametrize("dies_at", ["todos", "anchor"])
def test_a_milestone_is_not_lost_where_the_process_dies_before_it_is_registered(
    tmp_path: Path, dies_at: str
) -> None:
    script = (
        "import os, sys\n"
        "from tests.session.build import *\n"
        "from tests.session.directed import directed\n"
        "call = calling(tool_call('todo', 'a', updates=[{'id': 't1', 'status': 'done'}]))\n"
        "session = directed(sys.argv[1], [call, 'done'])\n"
        "keep = session.trace.add\n"
        "def add(kind, step, **facts):\n"
        "    if kind == 'anchor' and sys.argv[2] == 'anchor': os._exit(9)\n"
        "    event = keep(kind, step, **facts)\n"
        "    if kind == sys.argv[2]: os._exit(9)\n"
        "    return event\n"
        "session.trace.add = add\n"
        "session.run()\n"
    )
    died = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "run"), dies_at],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert died.returncode == 9
    session = Session.resume(tmp_path / "run")
    assert session.anchors.texts("milestones") == (TODOS[0],)
    ids = [e["message_id"] for e in session.trace.of("anchor") if e["kind_of_anchor"] == "milestones"]
    assert [m["content"] for m in session.transcript.messages if m["meta"]["source"] == "anchor"][-1] == (
        f"[Finished milestone] {TODOS[0]}"
    )
    session.close()
    again = Session.resume(tmp_path / "run")
    assert again.anchors.texts("milestones") == (TODOS[0],), "once"
    assert [e["message_id"] for e in again.trace.of("anchor") if e["kind_of_anchor"] == "milestones"] == ids


def test_a_memory_is_never_taken_from_the_file_and_must_be_the_same(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db", tenant="ann", project="shop")
    store.remember("The login tests need a database.", kind="fact", source="before", by="user")
    asking = [calling(tool_call("recall", "c1", query="login")), "done"]
    session = a_session(tmp_path / "run", asking, memory=store)
    assert str(tmp_path / "memory.db") not in (tmp_path / "run" / "events.jsonl").read_text()
    session.close()
    other = MemoryStore(tmp_path / "memory.db", tenant="bob", project="shop")
    with pytest.raises(UsageProblem, match=r"ann/shop.*bob/shop"):
        Session.resume(tmp_path / "run", memory=other)
    without = Session.resume(tmp_path / "run", model=ScriptedModel(asking), workspace=Tools(echo=echo))
    assert any("give memory=" in e["text"] for e in without.trace.of("notice"))
    assert own_tools(without.request().tools) == ["recall"], "requests stay the same"
    without.run(1)
    assert without.transcript.messages[-1]["content"].startswith("Error: no memory")
    without.close()
    with_it = Session.resume(
        tmp_path / "run", model=ScriptedModel(asking), workspace=Tools(echo=echo), memory=store
    )
    with_it.run(1)
    assert "database" in with_it.transcript.messages[-1]["content"]


def test_the_budget_given_to_several_sessions_is_each_session_s_own(tmp_path: Path) -> None:
    budget = ContextBudget(restate_every=3)
    budget.register("constraints", "No new tables.")
    one, other = (a_session(tmp_path / name, budget=budget) for name in ("one", "other"))
    one.register("constraints", "Only one.")
    one.run(2)
    assert other.anchors.texts("constraints") == budget.anchors.texts("constraints") == ("No new tables.",)
    assert one.budget.total_used() == one.trace.of("request")[-1]["tokens"]
    assert budget.total_used() == 0
    assert 0 < other.budget.total_used() < one.budget.total_used(), "the head, which goes with every request"
