"""What a panel is asked to show: each question has one answer, bounded, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.mapping import ROW
from opencollab_nb.views.panel import Panel
from tests.build import call
from tests.views.wire import Browser, CountingComm, wait_for

MOST_BYTES_OF_AN_ANSWER = 60_000


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


def chatty(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    return {"content": "words " * 60, "tool_calls": [call("bash", {"command": "x " * 300}, f"c{number}")]}


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session("Go on.", model=ScriptedModel(chatty, usage="count"), window=8_000, policy="summarize")
    made.run(30)
    yield made
    made.close()


@pytest.fixture
def browser(session: Session) -> Iterator[Browser]:
    panel = Panel(session)
    browser = Browser(panel)
    browser.ready()
    yield browser
    panel.close()


def ask(browser: Browser, what: str, *numbers: Any) -> dict[str, Any]:
    """One question; returns its one answer."""
    browser.number += 1
    number = browser.number
    browser.say(kind="ask", page=7, number=number, what=what, numbers=list(numbers))
    wait_for(lambda: any(a["number"] == number for a in browser.of("answer")))
    (answer,) = [a for a in browser.of("answer") if a["number"] == number]
    assert len(json.dumps(answer)) <= MOST_BYTES_OF_AN_ANSWER
    return answer


def rows_beside(browser: Browser, kind: str) -> list[bytes]:
    """The bytes beside the newest message of a kind."""
    comm = browser.panel.widget.comm
    pairs = zip(comm.published, comm.buffers, strict=True)
    return [b for (_, data), b in pairs if data.get("content", {}).get("kind") == kind][-1]


def test_a_message_is_shown_as_stored_beside_as_sent(session: Session, browser: Browser) -> None:
    found = [ask(browser, "message", 0, at)["body"] for at in range(12)]
    assert found[0]["state"] == "verbatim"
    assert found[0]["stored"] == found[0]["sent"]
    gone = next(body for body in found if body["gone"])
    assert gone["sent"] == ""
    assert "words" in gone["stored"] or gone["role"] == "tool"
    assert "step" in gone["why"]


def test_a_summary_shows_what_it_stands_for(session: Session, browser: Browser) -> None:
    bodies = [ask(browser, "message", 0, at)["body"] for at in range(6)]
    summary = next(body for body in bodies if body["state"] == "summary")
    assert summary["covers"]
    assert summary["id"] is None
    assert "assistant" in summary["stored"]
    assert "summary of" in summary["sent"]


def test_a_long_text_is_cut_and_says_where_the_rest_is() -> None:
    session = Session("x" * 900_000, model=ScriptedModel(chatty), window=2_000_000)
    session.step()
    browser = Browser(Panel(session))
    browser.ready()
    body = ask(browser, "message", 0, 1)["body"]
    assert len(body["stored"]) < 7_000
    assert "session.transcript.messages[1]" in body["stored"]
    browser.panel.close()
    session.close()


def test_a_moment_holds_the_request_as_it_was(session: Session, browser: Browser) -> None:
    for step in (1, 9, 30):
        answer = ask(browser, "moment", step)
        body = answer["body"]
        sent = session.request(step)
        assert body["sent"] == len(sent.messages)
        assert sum(body["row"][1:]) == body["tokens"] == session.at(step).tokens
        (rows,) = rows_beside(browser, "answer")
        assert len(rows) == ROW.size * body["map"]["cut"][0][2]
    assert not ask(browser, "moment", 99)["ok"]


def test_a_moment_is_there_in_a_folder_opened_without_a_model(session: Session) -> None:
    session.close()
    resumed = Session.resume(session.path)
    browser = Browser(Panel(resumed))
    browser.ready()
    assert ask(browser, "moment", 12)["body"]["step"] == 12
    assert ask(browser, "rounds", 0)["body"]["cards"]
    browser.panel.close()
    resumed.close()


def test_rounds_are_cards_and_only_new_ones_are_asked_for(session: Session, browser: Browser) -> None:
    body = ask(browser, "rounds", 0)["body"]
    assert body["total"] == len(session.rounds())
    card = body["cards"][-1]
    assert card["before"] > card["after"]
    assert card["layers"]
    assert card["ids"]
    assert any(card["summary"] for card in body["cards"])
    later = ask(browser, "rounds", body["total"] - 1)["body"]
    assert [c["number"] for c in later["cards"]] == [body["total"] - 1]


def test_a_what_if_shows_both_requests_and_the_curve_of_the_draft(session: Session, browser: Browser) -> None:
    events = len(session.trace.events)
    assert not ask(browser, "what_if", 0)["ok"]
    browser.click("draft", "begin")
    browser.click("edit", ["policy", "no_history_compaction"])
    body = ask(browser, "what_if", 30)["body"]
    assert body["after"] > body["before"] == session.at(30).tokens
    assert len(rows_beside(browser, "answer")) == 2
    points = ask(browser, "curve")["body"]["points"]
    assert [p[0] for p in points] == list(range(1, 31))
    found = ask(browser, "compared", 3)["body"]
    assert found["would"]
    assert len(session.trace.events) == events, "nothing of the run was touched"


@pytest.mark.parametrize(
    ("what", "numbers"),
    [("dance", []), ("moment", ["1"]), ("moment", []), ("message", [0, 9_999]), ("message", [0, -1])],
    ids=str,
)
def test_a_question_that_means_nothing_is_answered_with_its_error(
    browser: Browser, what: str, numbers: list[Any]
) -> None:
    answer = ask(browser, what, *numbers)
    assert not answer["ok"]
    assert answer["text"]
    assert "body" not in answer


def test_pins_by_ranges_are_ordered_and_shown(session: Session, browser: Browser) -> None:
    assert "Restored" in browser.click("restore", [[4, 5]])["text"]
    browser.panel.flush()
    assert [4, 5] in browser.state()["pins"]
    assert "Unpinned" in browser.click("unpin", [[4, 4]])["text"]
    for wrong in ([[5, 4]], [4], "4", [[0, 10**9]], []):
        assert not browser.click("pin", wrong)["ok"]


def test_a_problem_of_a_shaper_is_told_with_its_layer(session: Session, browser: Browser) -> None:
    def broken(messages: Any, pressure: Any) -> Any:
        raise ValueError("no such luck")

    broken.acts = "always"  # type: ignore[attr-defined]
    session.use(broken)
    session.step()
    browser.panel.flush()
    step, text = browser.state()["problems"]["broken"]
    assert step == 31
    assert "no such luck" in text
