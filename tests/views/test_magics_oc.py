"""`%oc VERB`: each verb on a real session, named sessions, stale names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import Session, ToolOutputClearShaper
from opencollab_nb.models.scripted import ScriptedModel
from tests.build import assistant, call
from tests.views.cells import run


@pytest.fixture
def alice(shell: InteractiveShell) -> Iterator[Session]:
    """An agent that reads a file nine times, then says that it is done."""
    replies = [assistant(f"look {i}", call("file_read", {"path": "a.txt"}, f"c{i}")) for i in range(9)]
    shell.user_ns["fake"] = ScriptedModel([*replies, assistant("Done.")], usage="count")
    session = run(shell, "%%agent alice --model fake --max-steps 20\nRead the file.").value
    yield session
    session.close()


def test_step_and_run_go_on_and_say_where_they_stand(shell: InteractiveShell, alice: Session) -> None:
    assert alice.steps == 0
    assert "after step 1" in repr(run(shell, "%oc step").value)
    assert "after step 3" in repr(run(shell, "%oc step 2 # two more").value)
    assert "after step 5 of at most 20" in repr(run(shell, "%oc run 2").value)
    assert repr(run(shell, "%oc run").value).startswith("alice: done after step 10")
    assert alice.state == "done"


def test_steps_end_where_the_session_does(shell: InteractiveShell, alice: Session) -> None:
    ran = run(shell, "%oc step 50")
    assert ran.error is None, ran.err
    assert alice.state == "done"
    assert len(ran.value.steps) == 10


def test_fault_07_a_background_run_comes_back_at_once_and_can_be_awaited(
    shell: InteractiveShell, alice: Session
) -> None:
    handle = run(shell, "r = %oc run 4 --background\nr").value
    asyncio.run(waited(handle))
    assert handle.over
    assert alice.steps == 4


def test_fault_07_a_run_that_waits_works_where_a_loop_is_running(
    shell: InteractiveShell, alice: Session
) -> None:
    async def cell() -> object:
        return run(shell, "%oc run 2")

    assert asyncio.run(cell()).error is None
    assert alice.steps == 2


async def waited(handle: object) -> object:
    return await handle


def test_pause_and_stop_are_orders_to_a_background_run(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc run --background;")
    assert "alice" in repr(run(shell, "%oc pause").value)
    assert "alice" in repr(run(shell, "%oc stop").value)
    assert alice.run_handle.over


@pytest.mark.parametrize("verb", ["context", "shapers", "pressure", "transcript", "agents", "context 1"])
def test_every_view_works_before_during_and_after(shell: InteractiveShell, alice: Session, verb: str) -> None:
    for before in ("", "%oc step 2;", "%oc run;"):
        run(shell, before)
        ran = run(shell, f"%oc {verb}")
        assert ran.error is None, ran.err
        assert len(ran.shown) == 1
        assert "text/html" in ran.shown[0]
        assert ran.out == ""


def test_context_counts_what_is_in_the_next_request(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc step 3;")
    table = run(shell, "%oc context").value
    sent = alice.request().messages
    assert sum(s.message is not None for s in table.sent) == len(sent)
    assert sum(s.original is not None for s in table.sent) == len(alice.transcript.messages)
    assert "no message 999: ids run from" in run(shell, "%oc context 999").problem


def test_use_swaps_the_chain_from_the_next_step_on(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc step;")
    table = run(shell, "%oc use ToolOutputClearShaper(keep_recent=3) OldHistorySnipShaper").value
    assert [row[0] for row in table.rows][:2] == ["ToolOutputClearShaper", "OldHistorySnipShaper"]
    assert "newest 3" in repr(table)
    run(shell, "%oc step;")
    assert alice.chain.shapers[0] == ToolOutputClearShaper(keep_recent=3)
    assert alice.trace.of("swap")


def test_use_takes_a_policy_and_gives_summarize_a_summarizer(shell: InteractiveShell, alice: Session) -> None:
    table = run(shell, "%oc use summarize").value
    assert "AutoCompactShaper" in repr(table)
    assert type(alice.summarizer).__name__ == "ExtractiveSummarizer"
    assert "until a summarizer is set" in repr(run(shell, "%oc summarizer none").value)
    assert "did you mean 'summarize'" in run(shell, "%oc use sumarize").problem


def test_summarizers_are_chosen_by_name(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc use summarize;")
    run(shell, "%oc summarizer model;")
    assert type(alice.summarizer).__name__ == "ModelSummarizer"
    run(shell, "def quote(request):\n    return request.text[:99]")
    run(shell, "%oc summarizer quote")
    assert alice.summarizer is shell.user_ns["quote"]
    assert "did you mean 'extractive'" in run(shell, "%oc summarizer extractiv").problem
    assert run(shell, "%oc summarizer").problem.startswith("who writes the summaries?")
    assert run(shell, "%oc mode").problem == "which mode? %oc mode sticky | stateless"
    assert "writes summaries" in repr(
        run(shell, "%oc use OldHistorySnipShaper\n%oc summarizer extractive").value
    )


def test_pins_show_in_the_context(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc step 2;")
    assert run(shell, "%oc pin 2 3").error is None
    assert run(shell, "%oc unpin 2").error is None
    assert "which messages?" in run(shell, "%oc pin").problem


def test_two_agents_are_told_apart_by_name(shell: InteractiveShell, alice: Session) -> None:
    shell.user_ns["other"] = ScriptedModel(["I am done."])
    bob = run(shell, '%%agent --name "bob two" --model other\nSay something.').value
    run(shell, "%oc step;")
    assert (alice.steps, bob.steps) == (0, 1)
    run(shell, "%oc @alice step;")
    run(shell, '%oc @"bob two" pressure;')
    assert alice.steps == 1
    assert "* bob two" in repr(run(shell, "%oc agents").value)
    assert "did you mean 'alice'" in run(shell, "%oc @alise step").problem
    bob.close()


def test_a_closed_agent_is_said_to_be_closed(shell: InteractiveShell, alice: Session) -> None:
    alice.close()
    problem = run(shell, "%oc step").problem
    assert "agent 'alice' was closed" in problem
    assert str(alice.path) in problem


def test_resume_goes_on_from_the_run_folder(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "%oc step 2;")
    wire = alice.request().wire
    path = alice.path
    alice.close()
    again = run(shell, f"%oc resume '{path}'").value
    assert again.steps == 2
    assert again.request().wire == wire
    assert run(shell, "%oc pressure").error is None
    again.close()


def test_a_shipped_task_is_resumed_and_goes_on(shell: InteractiveShell) -> None:
    session = run(shell, "%agent --task quickstart").value
    run(shell, "%oc step 3;")
    wire, path = session.request().wire, session.path
    session.close()
    again = run(shell, f"%oc resume {path} --task quickstart").value
    assert again.request().wire == wire
    assert run(shell, "%oc step 2").error is None
    assert again.steps == 5
    again.close()


def test_a_resumed_session_without_a_model_says_what_is_missing(
    shell: InteractiveShell, alice: Session
) -> None:
    run(shell, "%oc step;")
    alice.close()
    again = run(shell, f"%oc resume '{alice.path}'").value
    assert "model" in run(shell, "%oc step").problem
    again.close()


def test_a_busy_session_is_a_usage_error(shell: InteractiveShell, alice: Session) -> None:
    import threading

    gate, inside = threading.Event(), threading.Event()

    def slow(request: object) -> object:
        inside.set()
        gate.wait(30)
        return assistant("Done.")

    shell.user_ns["slow"] = ScriptedModel(slow)
    bob = run(shell, "%%agent bob --model slow\ntask").value
    run(shell, "%oc run --background;")
    inside.wait(30)
    try:
        assert "%oc pause, or Pause in the panel, first" in run(shell, "%oc step").problem
    finally:
        gate.set()
        bob.stop()
        bob.close()


def test_a_usage_error_holds_nothing_that_acts_on_a_terminal(shell: InteractiveShell, alice: Session) -> None:
    problem = run(shell, "%oc @alise\x1b\u202e step").problem
    assert r"unknown agent 'alise\x1b\u202e'" in problem


def test_a_bug_keeps_its_traceback(shell: InteractiveShell, alice: Session) -> None:
    run(shell, "class Wrong:\n    def __init__(self): raise RuntimeError('a bug')")
    ran = run(shell, "%oc use Wrong()")
    assert isinstance(ran.error, RuntimeError)


def made_in_python(shell: InteractiveShell, name: str) -> Session:
    replies = [assistant(f"look {i}", call("file_read", {"path": "a.txt"}, f"c{i}")) for i in range(9)]
    shell.user_ns[name] = Session("Read.", model=ScriptedModel(replies, usage="count"))
    return shell.user_ns[name]


def test_a_session_made_in_python_takes_orders_too(shell: InteractiveShell) -> None:
    mine = made_in_python(shell, "mine")
    assert run(shell, "%oc step").error is None
    assert mine.steps == 1
    cell = "%%shaper keep --use\ndef keep(messages, pressure):\n    return messages"
    assert "in force" in repr(run(shell, cell).value)
    assert [shaper.__name__ for shaper in mine.chain.shapers] == ["keep"]
    other = made_in_python(shell, "other")
    assert "%oc @mine, %oc @other" in run(shell, "%oc step").err
    assert run(shell, "%oc @other step 2").error is None
    assert (mine.steps, other.steps) == (1, 2)
    other.close()
    assert run(shell, "%oc step").error is None
    mine.close()
    assert "no agent yet" in run(shell, "%oc step").err


def test_an_agent_goes_before_a_session_in_a_variable(shell: InteractiveShell, alice: Session) -> None:
    mine = made_in_python(shell, "mine")
    run(shell, "%oc step")
    assert (alice.steps, mine.steps) == (1, 0)
    assert "did you mean 'mine'" in run(shell, "%oc @mein step").err
    mine.close()
