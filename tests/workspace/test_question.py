"""shell="ask": each command waits for the user."""

from __future__ import annotations

import threading

import pytest

from opencollab_nb.errors import StepCancelled, UsageProblem
from opencollab_nb.workspace import Workspace

from .processes import Cancelled, within


@pytest.fixture
def asking(opened):
    return opened(shell="ask")


def calling(workspace: Workspace, name: str, **arguments: str) -> tuple[threading.Thread, list[str]]:
    """A call that waits for its answer."""
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(workspace.call(name, arguments)), daemon=True)
    thread.start()
    assert within(20, lambda: workspace.question is not None)
    return thread, answers


def answered(workspace: Workspace, allowed: bool, name: str, **arguments: str) -> tuple[str | None, str]:
    """The question put, and the call's answer after the user's."""
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(workspace.call(name, arguments)), daemon=True)
    thread.start()
    assert within(20, lambda: workspace.question is not None)
    question = workspace.question
    workspace.answer(allowed)
    thread.join(30)
    return question, answers[0]


def test_an_allowed_command_runs(asking):
    assert answered(asking, True, "bash", command="echo yes") == ("echo yes", "yes\n")
    question, answer = answered(asking, True, "run_tests", path="tests")
    assert question == "pytest tests"
    assert answer.endswith("1 passed")


def test_a_denied_command_does_not_run(asking, folder):
    _, answer = answered(asking, False, "bash", command="touch ran")
    assert answer.startswith("Error: the user denied this command")
    assert not (folder / "ran").exists()


def test_an_answer_is_for_one_question_only(asking):
    answered(asking, True, "bash", command="echo one")
    assert answered(asking, False, "bash", command="echo two")[1].startswith("Error: the user denied")


def test_another_command_runs_in_its_place_and_the_agent_is_told(asking, folder):
    thread, answers = calling(asking, "bash", command="touch ran; echo one")
    asking.answer(True, "echo two", number=asking.question_number)
    thread.join(30)
    assert answers == ["[the user ran this instead: echo two]\ntwo\n"]
    assert not (folder / "ran").exists()


def test_an_answer_to_a_question_that_is_no_more_reaches_no_other(asking, folder):
    thread, _ = calling(asking, "bash", command="echo one")
    first = asking.question_number
    asking.answer(False)
    thread.join(30)
    thread, answers = calling(asking, "bash", command="touch ran")
    with pytest.raises(UsageProblem, match="no longer waits"):
        asking.answer(True, number=first)
    asking.answer(False, number=asking.question_number)
    thread.join(30)
    assert answers[0].startswith("Error: the user denied")
    assert not (folder / "ran").exists()


def test_only_a_command_of_bash_can_be_changed_and_to_no_empty_one(asking):
    thread, answers = calling(asking, "run_tests", path="tests")
    assert not asking.question_editable
    with pytest.raises(UsageProblem, match="only a command of bash"):
        asking.answer(True, "echo two")
    asking.answer(True)
    thread.join(30)
    assert answers[0].endswith("1 passed")
    thread, answers = calling(asking, "bash", command="echo one")
    assert asking.question_editable
    with pytest.raises(UsageProblem, match="is empty"):
        asking.answer(True, " \n")
    asking.answer(False, "echo two")
    thread.join(30)
    assert answers[0].startswith("Error: the user denied")


def test_a_question_that_nobody_hears_is_said_on_the_terminal(asking, capfd):
    answered(asking, False, "bash", command="rm -rf \x1b[2J build")
    said = capfd.readouterr().err
    assert "session.answer(True)" in said
    assert "\x1b" not in said
    asking.on_question.append(lambda command: None)
    answered(asking, False, "bash", command="ls")
    assert capfd.readouterr().err == ""


def test_other_tools_do_not_ask(asking):
    assert asking.call("grep", {"pattern": "first"}) == "notes.txt:1:first"
    assert asking.question is None


def test_listeners_hear_the_question_and_its_end(asking):
    heard: list[str | None] = []
    asking.on_question.append(heard.append)
    answered(asking, False, "bash", command="ls")
    assert heard == ["ls", None]


def test_cancelling_ends_the_wait_and_the_question(asking):
    cancelled = Cancelled(
        lambda ticket: asking.call("bash", {"command": "touch ran"}, ticket=ticket),
        lambda: asking.question is not None,
    )
    assert isinstance(cancelled.raised, StepCancelled)
    assert cancelled.seconds < 1
    assert asking.question is None
    assert answered(asking, True, "bash", command="ls ran 2>/dev/null")[1].startswith("Error: exit status")


def test_an_answer_to_nothing_is_refused(asking):
    with pytest.raises(UsageProblem, match="no command is waiting"):
        asking.answer(True)


def test_closing_the_workspace_ends_the_wait(asking):
    answers: list[str] = []
    thread = threading.Thread(
        target=lambda: answers.append(asking.call("bash", {"command": "ls"})), daemon=True
    )
    thread.start()
    assert within(20, lambda: asking.question is not None)
    asking.close()
    thread.join(10)
    assert answers == ["Error: this workspace is closed; open a new one."]


def test_the_choice_can_be_changed(asking):
    asking.shell = "allow"
    assert asking.call("bash", {"command": "echo free"}) == "free\n"
    asking.shell = "off"
    assert asking.call("bash", {"command": "echo free"}).startswith("Error: bash is off")
