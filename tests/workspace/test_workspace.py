"""A call is always answered with a text."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.errors import StepCancelled, UnknownName, UsageProblem
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace import Workspace
from opencollab_nb.workspace.schemas import TOOLS

from .test_schemas import JSON


def test_the_root_must_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageProblem, match="does not exist; make the folder first"):
        Workspace(tmp_path / "missing")
    with pytest.raises(UsageProblem, match="is not a folder"):
        Workspace(tmp_path / "file")


def test_settings_are_checked(tmp_path):
    with pytest.raises(UnknownName, match="did you mean 'allow'"):
        Workspace(tmp_path, shell="alow")
    with pytest.raises(UsageProblem, match="time_limit_seconds is 0"):
        Workspace(tmp_path, time_limit_seconds=0)
    with pytest.raises(UsageProblem, match="output_chars is -1"):
        Workspace(tmp_path, output_chars=-1)


def test_an_unknown_tool_is_answered_with_the_nearest(workspace):
    assert workspace.call("read_file", {}).startswith(
        "Error: there is no tool 'read_file'; did you mean 'file_read'?"
    )
    assert workspace.call("", {}).startswith("Error: there is no tool ''. The tools are: file_read, grep")
    assert workspace.call("__init__", {}).startswith("Error: there is no tool '__init__'")


@pytest.mark.parametrize("name", ["bash", "run_tests"])
def test_a_shell_that_is_off_says_how_it_is_turned_on(workspace, name):
    answer = workspace.call(name, {"command": "ls"} if name == "bash" else {})
    assert answer == (
        f"Error: {name} is off in this workspace; the user can turn it on with shell='ask' or shell='allow'."
    )


NAMES = ["path", "offset", "limit", "pattern", "content", "search", "replace", "command"]


@settings(max_examples=150)
@given(
    st.sampled_from([*TOOLS, "other"]),
    st.dictionaries(st.sampled_from(NAMES), JSON) | JSON | st.text(),
)
def test_no_call_raises(tmp_path_factory, name, arguments):
    root = tmp_path_factory.getbasetemp() / "any"
    root.mkdir(exist_ok=True)
    workspace = Workspace(root)
    answer = workspace.call(name, arguments)
    workspace.close()
    assert isinstance(answer, str)
    answer.encode()


def test_a_cancelled_ticket_is_the_one_thing_raised(workspace):
    ticket = Ticket()
    ticket.cancel()
    for name in (*TOOLS, "other"):
        with pytest.raises(StepCancelled):
            workspace.call(name, {}, ticket=ticket)


def test_errors_of_the_system_are_answers(opened, folder):
    workspace = opened(shell="allow")
    shutil.rmtree(folder)
    for name, arguments in (
        ("file_read", {"path": "notes.txt"}),
        ("grep", {"pattern": "a"}),
        ("grep", {"pattern": "(a)"}),
        ("bash", {"command": "ls"}),
        ("git_diff", {}),
        ("run_tests", {}),
        ("file_write", {"path": "a", "content": "b"}),
        ("apply_patch", {"path": "a", "search": "b", "replace": "c"}),
    ):
        answer = workspace.call(name, arguments)
        assert answer.startswith("Error: "), name
        assert str(folder) not in answer
    assert workspace.changes() == []


def test_a_closed_workspace_answers_so(workspace):
    workspace.close()
    workspace.close()
    assert (
        workspace.call("file_read", {"path": "notes.txt"})
        == "Error: this workspace is closed; open a new one."
    )


def test_a_root_that_is_a_link_or_relative_is_resolved(tmp_path, folder, monkeypatch):
    (tmp_path / "link").symlink_to(folder)
    assert Workspace(tmp_path / "link").root == folder.resolve()
    monkeypatch.chdir(tmp_path)
    assert Workspace("project").root == folder.resolve()


def test_it_shows_itself(workspace, folder):
    assert repr(workspace) == f"Workspace({str(folder.resolve())!r}, shell='off')"
