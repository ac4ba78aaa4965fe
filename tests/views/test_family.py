"""A run and its branches side by side, while they run and from their folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import figures
from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views import names_of
from opencollab_nb.views.branch_view import BranchTable
from opencollab_nb.views.family import family_of
from opencollab_nb.views.panel import Panel
from tests.build import call
from tests.views.cells import run
from tests.views.wire import Browser, CountingComm, wait_for

NAMES = ("at", "role", "name", "step", "chain", "mode", "steps", "state", "tokens", "trigger", "sent", "path")
NAMES += ("line", "open", "last")
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


def chatty(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    return {"content": "words " * 60, "tool_calls": [call("bash", {"command": "x " * 300}, f"c{number}")]}


def made(path: Path | None = None, **given: Any) -> Session:
    return Session("Go on.", model=ScriptedModel(chatty, usage="count"), window=8_000, path=path, **given)


@pytest.fixture
def session() -> Iterator[Session]:
    session = made(name="plain")
    session.run(12)
    yield session
    session.close()


@pytest.fixture
def branch(session: Session) -> Iterator[Session]:
    branch = session.fork(5)
    yield branch
    branch.close()


def row(session: Session, at: int = 0) -> dict[str, Any]:
    return dict(zip(NAMES, family_of(session).rows()[at], strict=True))


def listeners(session: Session) -> int:
    return len(session._bench.news._subscribers)


def sent_by(session: Session) -> int:
    return sum(event["input_tokens"] for event in session.trace.of("usage"))


def test_a_session_without_branches_has_no_family(session: Session) -> None:
    assert family_of(session).rows() == []
    assert family_of(session).step == 0


def test_a_branch_is_followed_as_it_goes_on(session: Session, branch: Session) -> None:
    family_of(session).rows()
    branch.use("no_history_compaction")
    branch.run(3)
    found = row(session)
    assert (found["role"], found["name"], found["step"], found["steps"]) == ("branch", "plain-5", 5, 8)
    assert found["chain"] == "Cap one result"
    assert found["tokens"] == branch.trace.last("request")["tokens"]
    assert found["sent"] == sent_by(branch) == branch.input_tokens_sent
    assert found["open"]
    assert family_of(session).points(0, 6) == [
        [e["step"], e["tokens"]] for e in branch.trace.of("request") if e["step"] > 6
    ]


def test_a_closed_branch_is_read_from_its_folder_and_goes_on_from_there(
    session: Session, branch: Session
) -> None:
    branch.run(2)
    before = row(session)
    branch.close()
    assert {**row(session), "open": 1, "line": before["line"]} == before
    assert row(session)["line"] == f'%oc resume "{branch.path}"'
    again = Session.resume(branch.path, model=ScriptedModel(chatty, usage="count"))
    again.run(2)
    assert (row(session)["steps"], row(session)["open"]) == (9, 1)
    assert family_of(session).points(0, 7) == [
        [e["step"], e["tokens"]] for e in again.trace.of("request")[-2:]
    ]
    again.close()


def test_a_run_that_was_cut_off_elsewhere_is_not_said_to_be_running(
    session: Session, branch: Session
) -> None:
    branch.close()
    with (branch.path / "events.jsonl").open("a") as file:
        file.write(
            json.dumps({"n": 999, "kind": "state", "step": 5, "at": "", "state": "running", "detail": ""})
        )
        file.write('\n{"n": 1000, "kind": "request", "st')
    assert row(session)["state"] == "elsewhere"


def test_a_branch_knows_where_it_comes_from(session: Session, branch: Session) -> None:
    found = row(branch)
    assert (found["role"], found["name"], found["path"]) == ("origin", "plain", str(session.path))
    assert family_of(branch).step == 5


def test_panels_are_told_of_each_step_of_a_branch_by_one_listener(session: Session, branch: Session) -> None:
    panels = [Panel(session) for _ in range(3)]
    browsers = [Browser(panel) for panel in panels]
    for browser in browsers:
        browser.ready()
    branch.step()
    for browser in browsers:
        wait_for(lambda b=browser: b.state()["family"][0][6] == 6)
    assert listeners(branch) == 1
    for panel in panels:
        panel.close()


def test_the_curve_of_a_branch_is_asked_for_from_a_step_on(session: Session, branch: Session) -> None:
    panel = Panel(session)
    browser = Browser(panel)
    browser.ready()
    branch.step()
    browser.say(kind="ask", page=7, number=1, what="relative", numbers=[0, 5])
    (answer,) = browser.of("answer")
    assert answer["body"]["points"] == [[6, branch.trace.last("request")["tokens"]]]
    browser.say(kind="ask", page=7, number=2, what="relative", numbers=[4, 0])
    assert "there is no branch 4" in browser.of("answer")[-1]["text"]
    panel.close()


def test_a_panel_shows_a_branch_and_comes_back(session: Session, branch: Session) -> None:
    panel = Panel(session)
    browser = Browser(panel)
    browser.ready()
    assert "plain-5" in browser.click("show", 0)["text"]
    assert panel.session._bench is branch._bench
    full = browser.of("full")[-1]
    assert (full["state"]["name"], full["state"]["begun"]) == ("plain-5", 5)
    numbers = [message["seq"] for message in browser.messages]
    assert numbers == list(range(1, len(numbers) + 1))
    browser.click("step")
    wait_for(lambda: branch.steps == 6 and branch.state == "paused")
    assert session.steps == 12
    browser.click("show", 0)
    assert browser.of("full")[-1]["state"]["name"] == "plain"
    for wrong in (3, -1, "0", None, True):
        assert not browser.click("show", wrong)["ok"]
    branch.close()
    refused = browser.click("show", 0)
    assert not refused["ok"]
    assert "%oc resume" in refused["text"]
    panel.close()


def test_a_panel_that_went_over_listens_to_one_session_only(session: Session, branch: Session) -> None:
    panel = Panel(session)
    Browser(panel).ready()
    panel.show(branch)
    panel.show(session)
    before = listeners(session)
    for _ in range(5):
        panel.show(branch)
        panel.show(session)
    assert listeners(session) == before
    panel.close()
    assert listeners(session) == before - 1


def test_the_table_and_the_figure_show_all_curves_and_the_trigger(session: Session, branch: Session) -> None:
    branch.use("no_history_compaction")
    branch.run(4)
    table = BranchTable.of(session)
    text = repr(table)
    assert "* plain" in text
    assert "plain-5" in text
    assert "stateless" not in text
    figure = figures.branches_figure(session)
    curves = {t.name: t for t in figure.data if t.mode == "lines"}
    assert list(curves) == ["plain", "plain-5"]
    assert list(curves["plain"].y) == [e["tokens"] for e in session.trace.of("request")]
    assert list(curves["plain-5"].x) == [5, 6, 7, 8, 9]
    assert figure.layout.shapes[0].y0 == session.pressure.snapshot().trigger
    assert f"trigger {session.pressure.snapshot().trigger:,}" in figure.layout.annotations[0].text
    assert "plain-5" in figure._repr_html_()
    seen = BranchTable.of(branch)
    assert [r.name for r in seen.runs] == ["plain", "plain-5"]
    assert seen.own == 1


def test_a_hostile_name_is_shown_as_text() -> None:
    session = made(name=EVIL)
    session.run(3)
    branch = session.fork(2)
    assert "<img" not in BranchTable.of(session)._repr_html_()
    assert all("<img" not in str(t.name) for t in figures.branches_figure(session).data)
    branch.close()
    session.close()


def test_no_request_yet_is_said() -> None:
    session = made()
    with pytest.raises(UsageProblem, match="nothing to draw yet"):
        figures.branches_figure(session)
    assert "no branch yet" in repr(BranchTable.of(session))
    session.close()


def test_magics_list_branches_and_show_a_panel(shell: InteractiveShell, session: Session) -> None:
    names_of(shell).put("two words", session)
    branch = run(shell, "%oc fork 3").value
    assert row(session)["line"] == "%oc @plain-at-3 panel"
    assert row(branch)["line"] == '%oc @"two words" panel'
    assert run(shell, row(branch)["line"]).value is session
    table = run(shell, '%oc @"two words" branches').value
    assert "%oc @plain-at-3 panel" in repr(table)
    figure = run(shell, "%oc branches --figure").value
    assert len(figure.data) >= 2
    names_of(shell).drop("plain-at-3")
    shell.user_ns["mine"] = branch
    assert row(session)["line"] == "mine"
    branch.close()


def test_after_a_cell_panels_look_for_branches(shell: InteractiveShell, session: Session) -> None:
    from opencollab_nb.views.shown import SHOWN

    panel = Panel(session)
    SHOWN["a cell"] = panel
    browser = Browser(panel)
    browser.ready()
    shell.user_ns["session"] = session
    run(shell, "branch = session.fork(4)")
    wait_for(lambda: [r[2] for r in browser.state()["family"]] == ["plain-4"])
    shell.user_ns["branch"].close()
    panel.close()


def test_a_branch_is_there_as_soon_as_it_was_begun_and_followed_within_the_same_cell(
    session: Session,
) -> None:
    browser = Browser(Panel(session))
    browser.ready()
    events = len(session.trace.events)
    branch = session.fork(5)
    wait_for(lambda: [row[2] for row in browser.state()["family"]] == ["plain-5"])
    branch.run(2)
    wait_for(lambda: browser.state()["family"][0][6] == 7)
    assert len(session.trace.events) == events
    browser.panel.close()
    branch.close()
