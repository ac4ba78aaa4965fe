from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import TranscriptError, UsageProblem, WorkflowBudgetExceeded
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.session import ExtraTool
from opencollab_nb.team.agents import AgentCall, AgentResult
from opencollab_nb.team.events import TEAM_EVENTS
from opencollab_nb.team.workflow import Workflow
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.trace import faults_of
from tests.build import assistant, call

SPENT_A_CALL = 1_000


def task_of(request: Request) -> str:
    return next(text_of(m) for m in request.messages if m["role"] == "user")


def worker(request: Request) -> Any:
    """Works as many steps as its task says, then hands back; every call costs the same."""
    steps = int(task_of(request).split()[1])
    done = sum(m["role"] == "assistant" for m in request.messages)
    if done >= steps:
        return f"did {steps}"
    return assistant(f"step {done + 1}", call("tick", "{}", f"c{done}"))


TICK = ExtraTool("tick", "Go on.", lambda _given: "tock")


def workflow(tmp_path: Path, budget_tokens: int | None = None, reply: Any = worker, **given: Any) -> Workflow:
    model = ScriptedModel(reply, usage=lambda _request: Usage(900, 0, 100))
    settings = {"tools": [TICK], "path": tmp_path / "flow", **given}
    return Workflow(model=model, budget_tokens=budget_tokens, **settings)


def test_an_agent_gives_its_answer_what_it_cost_and_how_it_ended(tmp_path: Path) -> None:
    result = workflow(tmp_path).agent("work 2 steps", role="coder")
    assert (result.name, result.outcome, result.text) == ("coder-1", "finished", "did 2")
    assert (result.steps, result.tokens, result.ok) == (3, 3 * SPENT_A_CALL, True)


def test_an_agent_whose_own_tokens_end_gives_what_it_has_and_python_decides(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 50_000)
    result = flow.agent("work 9 steps", tokens=2_500)
    assert (result.outcome, result.tokens) == ("ran out", 3 * SPENT_A_CALL)
    assert result.text == "[unfinished] step 3"
    assert "2,500" in result.detail
    assert flow.agent("work 1 steps").ok


def test_what_was_not_spent_returns_to_the_pool(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 10_000)
    flow.agent("work 1 steps", tokens=9_000)
    assert flow.ledger.unallocated_tokens == 10_000 - 2 * SPENT_A_CALL
    assert flow.agent("work 1 steps", tokens=8_000).ok


def test_reservations_come_before_the_first_start_all_or_none(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 10_000)
    done = flow.agent("work 1 steps")
    calls = [flow.call("work 1 steps", role=role, tokens=5_000) for role in "ab"]
    with pytest.raises(WorkflowBudgetExceeded) as caught:
        flow.parallel(*calls)
    assert flow.spent_tokens == 2 * SPENT_A_CALL
    assert caught.value.partial[0] == done
    assert [result.outcome for result in caught.value.partial[1:]] == ["never acted", "never acted"]
    assert flow.parallel(calls[0])[0].ok


def test_where_the_pool_ends_in_the_course_the_results_so_far_are_kept(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 5_000)
    with pytest.raises(WorkflowBudgetExceeded, match=r"pool|team's") as caught:
        flow.parallel("work 1 steps", "work 99 steps")
    first, second = caught.value.partial
    assert (first.outcome, second.outcome) == ("finished", "ran out")
    assert second.text.startswith("[unfinished] step")
    assert flow.spent_tokens <= 5_000 + 2 * SPENT_A_CALL


def test_agents_run_at_once_and_their_results_stand_in_the_order_of_the_calls(tmp_path: Path) -> None:
    meet = threading.Barrier(3, timeout=60)

    class Waits:
        def reply(self, request: Request) -> str:
            meet.wait()
            return task_of(request)

    results = Workflow(model=Waits(), path=tmp_path / "flow").parallel("a", "b", "c")
    assert [result.text for result in results] == ["a", "b", "c"]


def test_one_that_fails_leaves_the_others_and_the_books_right(tmp_path: Path) -> None:
    def reply(request: Request) -> Any:
        return ValueError("a broken wire") if task_of(request).startswith("fail") else worker(request)

    flow = workflow(tmp_path, 20_000, reply=reply)
    failed, fine = flow.parallel(flow.call("fail now", tokens=9_000), "work 2 steps")
    assert (failed.outcome, fine.outcome) == ("failed", "finished")
    assert "a broken wire" in failed.detail
    assert flow.ledger.unallocated_tokens == 20_000 - 3 * SPENT_A_CALL


def test_one_that_cannot_be_started_leaves_the_others(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 20_000)
    odd, fine = flow.parallel(flow.call("work 1 steps", tokens=5_000, window=-1), "work 1 steps")
    assert (odd.outcome, odd.steps, fine.outcome) == ("failed", 0, "finished")
    assert "window" in odd.detail
    assert flow.ledger.books["agent-1"].reserved == 0


def test_a_stop_from_another_thread_ends_all_at_once_and_returns_the_rest(tmp_path: Path) -> None:
    at_work = threading.Event()

    def reply(request: Request) -> Any:
        at_work.set()
        time.sleep(0.01)
        return assistant("on", call("tick", "{}", "c"))

    flow = workflow(tmp_path, reply=reply, budget_tokens=10_000_000)
    threading.Thread(target=lambda: (at_work.wait(60), flow.stop())).start()
    results = flow.parallel(flow.call("a", tokens=5_000_000), "b")
    assert {result.outcome for result in results} <= {"stopped", "never acted"}
    assert flow.ledger.unallocated_tokens == 10_000_000 - flow.spent_tokens
    assert flow.agent("work 1 steps").outcome == "never acted"


def test_a_pipeline_ends_with_the_first_that_does_not_finish(tmp_path: Path) -> None:
    flow = workflow(tmp_path)
    results = flow.pipeline(
        "work 1 steps",
        lambda before: AgentCall(f"work 9 {before.text}", tokens=1_500),
        lambda before: "work 1 steps",
    )
    assert [result.outcome for result in results] == ["finished", "ran out"]


def test_a_check_is_told_to_the_next_attempt(tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        return "longer answer" if "too short" in task_of(request) else "short"

    flow = workflow(tmp_path, reply=reply)
    result, problem = flow.verify("answer", lambda r: len(r.text) > 9 or "it is too short", attempts=3)
    assert (result.text, problem, len(flow.results)) == ("longer answer", "", 2)


def test_an_attempt_that_ran_out_is_no_accepted_one(tmp_path: Path) -> None:
    flow = workflow(tmp_path)
    result, problem = flow.verify(flow.call("work 9 steps", tokens=1_500), lambda r: True, attempts=2)
    assert (result.outcome, len(flow.results)) == ("ran out", 2)
    assert problem.startswith("the agent ran out: ")


def test_a_loop_ends_when_it_is_told_or_at_its_limit(tmp_path: Path) -> None:
    flow = workflow(tmp_path)
    make = lambda before: f"work {1 if before is None else before.steps} steps"  # noqa: E731 - one line of a user's
    assert [r.steps for r in flow.loop(make, lambda r: r.steps == 3, at_most=9)] == [2, 3]
    assert len(flow.loop(make, lambda r: False, at_most=2)) == 2


def test_each_role_may_have_a_model_of_its_own(tmp_path: Path) -> None:
    models = {"a": ScriptedModel(["I am a."]), "b": ScriptedModel(["I am b."])}
    flow = Workflow(model=models, path=tmp_path / "flow")
    results = flow.parallel(
        flow.call("who?", role="a"), flow.call("who?", role="b"), flow.call("?", role="c")
    )
    assert [str(result) for result in results] == ["I am a.", "I am b.", ""]
    assert "no model for the role 'c'" in results[2].detail


def test_the_events_tell_the_course(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 9_000)
    flow.agent("work 1 steps", tokens=4_000)
    kinds = [event["kind"] for event in flow.trace.events]
    assert kinds == ["organisation", "grant", "begin", "spend", "spend", "return", "end"]
    assert list(flow.to_frame()["outcome"]) == ["finished"]
    assert [fault for event in flow.trace.events for fault in faults_of(event, TEAM_EVENTS)] == []


def test_a_workflow_has_the_audit_of_a_team_and_is_shown_as_a_table(tmp_path: Path) -> None:
    flow = workflow(tmp_path, 12_000, lambda asked: "<script>" if "say" in task_of(asked) else worker(asked))
    flow.agent("work 1 steps", role="a", tokens=4_000)
    flow.agent("work 9 steps", role="b", tokens=2_500)
    with pytest.raises(WorkflowBudgetExceeded):
        flow.agent("work 1 steps", role="c", tokens=90_000)
    flow.agent("say it")
    audit = flow.audit()
    assert audit.results.outcome.tolist() == ["finished", "ran out", "never acted", "finished"]
    assert audit.cost.used.tolist() == [result.tokens for result in flow.results]
    assert audit.run.used.tolist() == [flow.spent_tokens]
    assert audit.members.task.tolist()[:2] == ["work 1 steps", "work 9 steps"]
    page = flow._repr_html_()
    assert "a-1" in page
    assert "ran out" in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    "odd", [{"budget_tokens": -1}, {"budget_tokens": True}, {"lease": object()}, {"task": "x"}]
)
def test_what_cannot_be_is_refused_by_name(tmp_path: Path, odd: dict[str, Any]) -> None:
    with pytest.raises(UsageProblem, match=next(iter(odd))):
        Workflow(model=ScriptedModel([]), path=tmp_path / "flow", **odd)


@pytest.mark.parametrize("odd", ["", "  ", None, 5])
def test_an_agent_needs_a_task(tmp_path: Path, odd: Any) -> None:
    with pytest.raises(UsageProblem, match="needs a task"):
        workflow(tmp_path).agent(odd)


def test_one_that_failed_shows_why() -> None:
    result = AgentResult("a-1", AgentCall("x"), "failed", detail="ValueError: no model")
    assert repr(result).endswith("ValueError: no model)")


def test_a_result_shows_itself_in_one_line() -> None:
    assert "\n" not in repr(AgentResult("a-1", AgentCall("x"), "finished", "two\nlines"))


def test_a_folder_that_holds_a_run_is_refused_and_its_record_stays_whole(tmp_path: Path) -> None:
    flow = Workflow(model=ScriptedModel(["One."]), path=tmp_path / "w")
    flow.agent("Count.")
    for _ in range(2):
        with pytest.raises(TranscriptError, match="holds the record of a run already"):
            Workflow(model=ScriptedModel([]), path=tmp_path / "w")
        flow.close()
    assert len((tmp_path / "w" / "team.jsonl").read_text().splitlines()) == len(flow.trace.events)


def test_an_agent_s_role_cannot_name_a_folder_elsewhere() -> None:
    with pytest.raises(UsageProblem, match="is no name of a role"):
        AgentCall("Count.", role="../../agent")


def test_an_interrupt_while_agents_are_made_leaves_nothing_reserved(tmp_path: Path) -> None:
    """Before anybody waits for them: the one that is at work is stopped, the other was never begun."""

    def by_role(role: str) -> Any:
        if role == "second":
            raise KeyboardInterrupt
        return ScriptedModel(["One."])

    flow = Workflow(model=by_role, path=tmp_path / "w", budget_tokens=10_000)
    with pytest.raises(KeyboardInterrupt):
        flow.parallel(flow.call("A", role="first", tokens=3_000), flow.call("B", role="second", tokens=3_000))
    assert [result.outcome for result in flow.results] == ["stopped", "never acted"]
    assert flow.ledger.unallocated_tokens == 10_000
    assert flow.agent("Again.", role="third").ok, "the next cell goes on"
