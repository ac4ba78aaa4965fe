"""A shell's question in the panel: shown whole, answered once, by this command or another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.panel import Panel
from tests.build import call
from tests.views.wire import Browser, CountingComm, wait_for


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


def test_a_question_is_shown_whole_and_may_be_answered_by_another_command(tmp_path: Path) -> None:
    long = "echo fine\n" + "# " * 2_000 + "\u202e; touch harm"
    bash = {"content": None, "tool_calls": [call("bash", {"command": long}, "c1")]}
    endless = {"content": None, "tool_calls": [call("bash", {"command": "x" * 50_000}, "c2")]}
    model = ScriptedModel([bash, endless, "Done."])
    session = Session("Ask.", model=model, window=64_000, workspace=tmp_path)
    assert session.workspace.shell == "ask", "of a real model every command is asked for"
    browser = Browser(Panel(session))
    browser.ready()
    browser.click("run")
    wait_for(lambda: "touch harm" in browser.state()["question"])
    state = browser.state()
    assert state["question"].startswith("echo fine\n#")
    assert "\\u202e; touch harm" in state["question"]
    assert state["question_editable"]
    assert state["held_by"] == session.workspace.containment
    number = state["question_number"]
    wrong = {"allow": True, "number": number + 1}
    assert not browser.click("answer", wrong)["ok"]
    instead = {"allow": True, "number": number, "command": "echo instead"}
    assert browser.click("answer", instead)["text"] == "Changed and allowed."
    wait_for(lambda: browser.state()["question"].startswith("xxx"))
    state = browser.state()
    assert "30,000 characters more, which are NOT shown" in state["question"]
    assert not state["question_editable"]
    assert browser.click("answer", {"allow": False, "number": state["question_number"]})["text"] == "Denied."
    wait_for(lambda: browser.state()["run"] == "done")
    results = [m["content"] for m in session.transcript.messages if m["role"] == "tool"]
    assert results[0] == "[the user ran this instead: echo instead]\ninstead\n"
    assert results[1].startswith("Error: the user denied")
    browser.panel.close()
    session.close()
    assert session.workspace.on_question == []
