"""A panel and its browser: what is sent, when, and what a click does."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views import shown as panels
from opencollab_nb.views.panel import Panel
from tests.build import call
from tests.views.wire import Browser, CountingComm, wait_for


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session("Say it again and again.", model=ScriptedModel(keep_calling), window=16_000)
    yield made
    made.close()


@pytest.fixture
def browser(session: Session) -> Iterator[Browser]:
    panel = Panel(session)
    yield Browser(panel)
    panel.close()


def keep_calling(request: Any) -> dict[str, Any]:
    return {"content": None, "tool_calls": [call("nothing", {}, f"c{len(request.messages)}")]}


def in_order(messages: list[dict[str, Any]]) -> bool:
    return [message["seq"] for message in messages] == list(range(1, len(messages) + 1))


def test_nothing_is_sent_before_the_browser_is_ready(session: Session, browser: Browser) -> None:
    session.run(3)
    browser.panel.flush()
    assert browser.messages == []
    assert browser.ready()["state"]["step"] == 3


def test_new_steps_are_added_and_nothing_is_sent_twice(session: Session, browser: Browser) -> None:
    browser.ready()
    session.run(2)
    wait_for(lambda: browser.state()["step"] == 2)
    session.run(2)
    wait_for(lambda: browser.state()["step"] == 4 and browser.state()["run"] == "paused")
    rows = [row[0] for message in browser.messages for row in message.get("rows", [])]
    lines = [line[0] for message in browser.messages for line in message.get("log", []) if line[2] >= 0]
    assert sorted(set(rows)) == rows == [1, 2, 3, 4]
    assert lines == [1, 2, 3, 4]
    assert in_order(browser.messages)


def test_a_state_that_has_not_changed_is_not_sent(browser: Browser) -> None:
    browser.ready()
    browser.panel.flush()
    before = len(browser.messages)
    browser.panel.flush()
    assert len(browser.messages) == before


def test_every_click_is_acted_on_once_and_answered_once(session: Session, browser: Browser) -> None:
    browser.ready()
    assert browser.click("step")["ok"]
    wait_for(lambda: session.state == "paused")
    browser.say(kind="do", page=7, number=browser.number, verb="step", argument=None)
    browser.panel.flush()
    assert session.steps == 1
    assert len(browser.of("ack")) == 1


def test_two_pages_count_for_themselves(session: Session, browser: Browser) -> None:
    browser.ready()
    for page in (1, 2):
        browser.say(kind="do", page=page, number=1, verb="pause", argument=None)
    assert [ack["page"] for ack in browser.of("ack")] == [1, 2]


def test_an_order_that_fails_is_answered_with_its_error(session: Session, browser: Browser) -> None:
    browser.ready()
    answer = browser.click("use", "defualt")
    assert not answer["ok"]
    assert "did you mean 'default'" in answer["text"]
    assert not browser.click("dance")["ok"]
    assert not browser.click("run", 2.5)["ok"]


def test_a_user_error_is_told_in_words_alone(browser: Browser) -> None:
    browser.ready()
    answer = browser.click("run", "abc")
    assert answer["text"] == "'to step' takes a whole number, not 'abc'"


def test_the_answer_to_a_click_brings_what_it_changed(session: Session, browser: Browser) -> None:
    browser.ready()
    answer = browser.click("use", "no_history_compaction")
    assert answer["state"]["policy"] == "no_history_compaction"
    assert browser.panel.feed.news() == {}


def test_a_page_that_asks_again_for_one_picture_gets_one(browser: Browser) -> None:
    for ask in (1, 1, 1, 2, 2):
        browser.say(kind="ready", page=7, ask=ask)
    browser.say(kind="ready", page=8, ask=1)
    assert len(browser.of("full")) == 3


def test_the_page_decides_where_its_next_message_is_handled(browser: Browser) -> None:
    browser.panel.widget.comm._reply_subshell_id = None
    browser.ready()
    assert not hasattr(browser.panel.widget.comm, "_reply_subshell_id")


def test_run_to_a_step_stops_there(session: Session, browser: Browser) -> None:
    browser.ready()
    assert browser.click("run", 5)["ok"]
    wait_for(lambda: session.state == "paused")
    assert session.steps == 5
    assert not browser.click("run", 5)["ok"]


def test_summarize_brings_a_summarizer_that_needs_no_model(session: Session, browser: Browser) -> None:
    browser.ready()
    assert browser.click("use", "summarize")["ok"]
    session.step()
    browser.panel.flush()
    state = browser.state()
    assert state["policy"] == "summarize"
    compact = next(layer for layer in state["chain"] if layer[0] == "Compact")
    assert compact[2] == 0
    assert "extractive" in compact[1]
    marks = [mark for message in browser.messages for mark in message.get("marks", [])]
    assert [1, "summarize", 1] in marks


def test_a_chain_made_by_hand_is_custom(session: Session, browser: Browser) -> None:
    session.use(lambda messages, pressure: messages)
    assert browser.ready()["state"]["policy"] == "custom"


def test_two_panels_on_one_session_show_the_same(session: Session, browser: Browser) -> None:
    other = Browser(Panel(session))
    for each in (browser, other):
        each.ready()
    browser.click("step")
    wait_for(lambda: session.state == "paused")
    for each in (browser, other):
        wait_for(lambda each=each: each.state()["run"] == "paused" and each.state()["step"] == 1)
    other.panel.close()


def test_a_panel_made_late_is_built_from_the_trace(session: Session) -> None:
    early = Browser(Panel(session))
    early.ready()
    session.run(4)
    early.panel.flush()
    late = Browser(Panel(session))
    full, again = late.ready(), early.ready()
    for part in ("rows", "marks", "log", "state"):
        assert full[part] == again[part]
    early.panel.close()
    late.panel.close()


def test_a_panel_made_while_a_run_goes_on_follows_it(session: Session) -> None:
    run = session.start(300)
    wait_for(lambda: session.steps > 3)
    browser = Browser(Panel(session))
    browser.ready()
    wait_for(lambda: run.over)
    wait_for(lambda: browser.state()["step"] == 300 and browser.state()["run"] == "paused")
    rows = [row[0] for message in browser.messages for row in message.get("rows", [])]
    assert rows == list(range(1, 301))
    browser.panel.close()


def test_two_sessions_do_not_mix(session: Session, browser: Browser) -> None:
    other = Session("Another.", model=ScriptedModel(keep_calling), window=32_000, name="other")
    second = Browser(Panel(other))
    for each in (browser, second):
        each.ready()
    second.click("run", 4)
    wait_for(lambda: second.state()["step"] == 4)
    browser.panel.flush()
    assert browser.state()["step"] == 0
    assert second.state()["name"] == "other"
    second.panel.close()
    other.close()


def test_a_question_of_the_shell_is_shown_and_answered(tmp_path: Path) -> None:
    bash = {"content": None, "tool_calls": [call("bash", {"command": "echo asked"}, "c1")]}
    session = Session(
        "Ask.", model=ScriptedModel([bash, "Done."]), window=16_000, workspace=tmp_path, shell="ask"
    )
    browser = Browser(Panel(session))
    browser.ready()
    browser.click("run")
    wait_for(lambda: "echo asked" in browser.state()["question"])
    assert browser.click("answer", False)["text"] == "Denied."
    wait_for(lambda: browser.state()["run"] == "done" and not browser.state()["question"])
    browser.panel.close()
    session.close()


def test_a_resumed_session_without_a_model_has_a_panel(session: Session) -> None:
    session.run(3)
    session.close()
    resumed = Session.resume(session.path)
    browser = Browser(Panel(resumed))
    full = browser.ready()
    assert [row[0] for row in full["rows"]] == [1, 2, 3]
    assert full["state"]["model"]
    assert not browser.click("step")["ok"]
    browser.panel.close()
    resumed.close()


def test_a_closed_panel_sends_nothing_and_lets_go(session: Session, browser: Browser) -> None:
    browser.ready()
    layout = browser.panel.widget.layout
    browser.panel.close()
    browser.panel.close()
    assert layout.comm is None
    assert browser.panel.widget.comm is None
    session.step()
    assert browser.panel.flush() is False
    assert not session.trace.of("fault")


@dataclass(frozen=True)
class Unspeakable:
    """A shaper that cannot be named."""

    part: Any

    def shape(self, messages: Any, pressure: Any) -> Any:
        return messages


class Mute:
    def __repr__(self) -> str:
        raise ValueError("I have no name")


def test_the_own_fault_of_a_panel_is_shown_in_it(session: Session, browser: Browser) -> None:
    browser.ready()
    session.use(Unspeakable(Mute()))
    wait_for(lambda: "I have no name" in browser.state()["problem"])
    browser.click("pause")
    assert in_order(browser.messages)


def test_sends_are_made_in_a_copy_of_the_context_of_the_last_message(browser: Browser) -> None:
    parent: contextvars.ContextVar[str] = contextvars.ContextVar("parent", default="none")
    seen: list[str] = []
    browser.panel.widget.comm.publish_msg = lambda *a, **k: seen.append(parent.get())
    context = contextvars.copy_context()
    context.run(parent.set, "the click")
    context.run(browser.say, kind="ready")
    browser.panel.session.step()
    wait_for(lambda: len(seen) > 1)
    assert set(seen) == {"the click"}


def test_panels_without_a_cell_are_kept_in_bounds(session: Session) -> None:
    before = dict(panels.SHOWN)
    made = [Panel(session) for _ in range(panels.MOST_WITHOUT_CELL + 3)]
    for number, panel in enumerate(made):
        panels.SHOWN[f"no cell {number}"] = panel
    panels.close_the_oldest()
    assert [panel.closed for panel in made[:4]] == [True, True, True, False]
    for panel in made:
        panel.close()
    assert before == panels.SHOWN


def test_without_a_kernel_a_session_is_shown_as_its_snapshot(session: Session) -> None:
    bundle = Panel.show_for(session)
    assert set(bundle) == {"text/plain", "text/html"}
