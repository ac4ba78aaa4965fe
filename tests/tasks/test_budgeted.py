"""A task with a budget: what the agent does with the tools of the harness, in a real run."""

import json

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.messages import call_arguments, call_name, text_of, tool_calls_of
from opencollab_nb.tasks import load_task
from tests.tasks.parts import part

TASK = part(load_task("orders"), 3)


def calls(session, name):
    return [
        json.loads(call_arguments(call))
        for message in session.transcript.messages
        for call in tool_calls_of(message)
        if call_name(call) == name
    ]


def test_every_milestone_is_reported_on_the_list_and_the_task_gets_done(tmp_path):
    session = TASK.session(profile="ideal", budget=ContextBudget(), path=tmp_path / "run")
    assert session.run() == "done"
    updates = [update for call in calls(session, "todo") for update in call["updates"]]
    assert [u["status"] for u in updates] == ["done"] * 3
    assert all(todo.status == "done" for todo in session.todos)
    report = TASK.judge(session)
    assert (report.done, report.violations) == (1, 0)
    session.close()


def test_a_fact_in_an_offloaded_result_is_read_back_by_its_pointer(tmp_path):
    task = part(load_task("orders_long"), 3)
    session = task.session(profile="ideal", budget=ContextBudget(), path=tmp_path / "run")
    assert session.run() == "done"
    assert calls(session, "read_result")
    results = [text_of(m) for m in session.transcript.messages if m["role"] == "tool"]
    assert not any("[offloaded" in text for text in results), "the transcript holds every byte"
    assert task.judge(session).done == 1
    session.close()
