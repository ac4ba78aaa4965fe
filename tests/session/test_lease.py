"""A session that asks for tokens before each call, and tools that it is given from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import ExtraTool, Session
from opencollab_nb.shaping import AutoCompactShaper
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, call


class Lease:
    """Admits until so many tokens were booked; keeps what it was asked and told."""

    def __init__(self, cap_tokens: int) -> None:
        self.cap_tokens, self.spent = cap_tokens, 0
        self.heard: list[tuple[str, int]] = []

    def admit(self, tokens: int = 0) -> str | None:
        self.heard.append(("admit", tokens))
        return "the others need the rest" if self.spent >= self.cap_tokens else None

    def book(self, tokens: int) -> None:
        self.heard.append(("book", tokens))
        self.spent += tokens


def echo(**more: Any) -> ExtraTool:
    arguments: dict[str, Any] = {"text": {"type": "string"}}
    return ExtraTool("echo", "Say it again.", lambda given: given["text"] * 2, arguments, ("text",), **more)


def asking(text: Any = "a", calls: int = 9, **more: Any) -> ScriptedModel:
    lines = [assistant(None, call("echo", {"text": text}, f"c{n}")) for n in range(calls)]
    return ScriptedModel([*lines, "done"], usage=lambda _request: Usage(100, 0, 20), **more)


def test_a_refused_lease_stops_the_session_with_its_reason(tmp_path: Path) -> None:
    lease = Lease(240)
    with_lease = Session("Go.", model=asking(), tools=[echo()], lease=lease, path=tmp_path / "run")
    assert with_lease.run() == "stopped(budget)"
    assert with_lease.detail.startswith("the others need the rest")
    assert (with_lease.steps, with_lease.spent_tokens, lease.spent) == (2, 240, 240)
    lease.cap_tokens = 10_000
    assert with_lease.run() == "done"


def test_the_own_budget_is_looked_at_first(tmp_path: Path) -> None:
    lease = Lease(0)
    session = Session("Go.", model=asking(), lease=lease, budget_tokens=0, path=tmp_path / "run")
    assert session.run() == "stopped(budget)"
    assert session.detail.startswith("0 of 0 budgeted tokens spent")
    assert ("admit", 0) not in lease.heard


def test_the_call_s_estimate_is_kept_before_it_is_made_and_let_go_if_it_never_is(tmp_path: Path) -> None:
    lease = Lease(10_000)
    model = ScriptedModel([RuntimeError("no network"), "hello"])
    session = Session("Go.", model=model, lease=lease, path=tmp_path / "run")
    with pytest.raises(RuntimeError, match="no network"):
        session.step()
    estimate = session.trace.of("request")[-1]["tokens"]
    assert lease.heard[-2:] == [("admit", estimate), ("book", 0)]


def test_a_summary_is_asked_for_and_booked_too(tmp_path: Path) -> None:
    class Paid:
        def summarize(self, _request: Any) -> str:
            return "what was done so far"

    lease = Lease(10**9)
    session = Session(
        "Go.",
        model=asking("word " * 900, calls=12),
        tools=[echo()],
        lease=lease,
        shapers=[AutoCompactShaper(Paid())],
        window=8_000,
        path=tmp_path / "run",
    )
    assert session.run() == "done"
    assert "summary" in {event["purpose"] for event in session.trace.of("usage")}
    assert lease.spent == session.spent_tokens


def test_an_extra_tool_is_offered_answered_and_there_again_after_a_resume(tmp_path: Path) -> None:
    session = Session("Go.", model=asking("ab", calls=2), tools=[echo()], path=tmp_path / "run")
    step = session.step()
    assert step.request is not None
    assert [tool["function"]["name"] for tool in step.request.tools] == ["echo"]
    assert step.results[0]["content"] == "abab"
    session.close()
    again = Session.resume(tmp_path / "run", model=asking("cd", calls=1), tools=[echo()])
    assert again.request(1) == step.request
    assert again.step().results[0]["content"] == "cdcd"
    assert not [event for event in again.trace.of("notice") if "tools" in event["text"]]


def test_a_resume_without_the_extra_tools_says_which_are_missing(tmp_path: Path) -> None:
    Session("Go.", model=asking(), tools=[echo()], path=tmp_path / "run").close()
    again = Session.resume(tmp_path / "run", model=asking())
    assert "made with tools (echo)" in again.trace.of("notice")[-1]["text"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "Error: echo needs 'text'. It takes: text."),
        ({"text": "a", "loud": True}, "Error: echo has no argument 'loud'. It takes: text."),
        ({"text": 5}, "Error: echo takes text as 'text', not int."),
    ],
)
def test_odd_arguments_are_an_error_that_the_agent_reads(arguments: dict[str, Any], said: str) -> None:
    assert echo()(arguments) == said


def test_what_an_extra_tool_raises_is_an_error_that_the_agent_reads(tmp_path: Path) -> None:
    tool = ExtraTool("echo", "Fail.", lambda given: str(1 // 0), {"text": {"type": "string"}})
    session = Session("Go.", model=asking(), tools=[tool], path=tmp_path / "run")
    assert session.step().results[0]["content"].startswith("Error: echo failed: ZeroDivisionError")


@pytest.mark.parametrize("name", ["file_read", "todo"])
def test_an_extra_tool_takes_no_name_of_another_one(name: str, tmp_path: Path) -> None:
    tool = ExtraTool(name, "Another.", lambda given: "")
    with pytest.raises(UsageProblem, match=f"there is a tool '{name}' already"):
        Session("Go.", model=asking(), workspace=tmp_path, tools=[tool], path=tmp_path / "run")
    with pytest.raises(UsageProblem, match="already"):
        Session("Go.", model=asking(), tools=[echo(), echo()], path=tmp_path / "run")


def test_what_is_no_lease_and_no_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="is no lease"):
        Session("Go.", model=asking(), lease=object(), path=tmp_path / "run")
    with pytest.raises(UsageProblem, match="give ExtraTool"):
        Session("Go.", model=asking(), tools=[len], path=tmp_path / "run")


def test_a_branch_goes_without_the_tools_that_act_for_the_run_itself(tmp_path: Path) -> None:
    mine = ExtraTool("mine", "Act for this run.", lambda given: "", branches=False)
    session = Session("Go.", model=asking(), tools=[echo(), mine], path=tmp_path / "run")
    session.step()
    branch = session.fork(path=tmp_path / "branch")
    assert [tool["function"]["name"] for tool in branch.request().tools] == ["echo"]
