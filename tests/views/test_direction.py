"""What panel and snapshot show of the four moves: fills, direction, marks; and of a past step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.quotas import CATEGORIES
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.direction import ANCHORED, MOST_TEXTS, OFFLOADED, RESTATED, Directed
from opencollab_nb.views.fills import fills_of
from opencollab_nb.views.panel import Panel
from opencollab_nb.views.rows import History
from opencollab_nb.views.snapshot import Snapshot
from tests.views.budgets import HOSTILE, budgeted
from tests.views.wire import Browser, CountingComm


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = budgeted(tmp_path)
    yield made
    made.close()


def state_after(session: Session, steps: int) -> tuple[dict[str, Any], Browser, Panel]:
    session.run(steps)
    panel = Panel(session)
    browser = Browser(panel)
    return browser.ready()["state"], browser, panel


def test_fills_are_the_budget_s_own_figures(session: Session) -> None:
    before = fills_of(session, History())
    assert before[0][0] > 0, "system and head are there before the first request"
    state, *_ = state_after(session, 3)
    filling = session.budget.filling
    assert state["fills"] == [[filling.used[c], filling.quota_tokens[c]] for c in CATEGORIES]
    assert sum(used for used, _ in state["fills"]) == pytest.approx(state["tokens"], abs=4)
    assert state["fills"][1][0] > before[1][0]


def test_fills_are_read_again_only_for_another_request(session: Session) -> None:
    history = History()
    first = fills_of(session, history)
    assert fills_of(session, history) is first
    history.add_row([1, 5, 0, 0, 0, 0, 0, 0])
    assert fills_of(session, history) is not first


def test_a_session_without_a_budget_shows_neither_quotas_nor_direction() -> None:
    plain = Session("Say hello.", model=ScriptedModel(["Hello."]))
    state, browser, panel = state_after(plain, 1)
    assert state["fills"] == []
    assert (state["todos"], state["moves"]) == ({}, {})
    assert not [mark for mark in browser.of("full")[-1]["marks"] if mark[2] > 1]
    assert "quotas" not in Snapshot.of(plain).text()
    panel.close()
    plain.close()


def test_direction_and_todos_are_shown_as_they_are_now(session: Session) -> None:
    state, *_ = state_after(session, 4)
    assert state["direction"]["goal"] == "Find out why the login fails."
    assert state["direction"]["others"] == [["house_style", "Short words."]]
    assert state["direction"]["finished"] == ["read the logs"]
    assert [row[0] for row in state["todos"]["open"]] == ["t2", "t3"]
    assert [row[3] for row in state["todos"]["open"]] == ["user", "agent"]
    assert state["moves"]["restated"][3] == len(session.trace.of("restatement"))
    assert state["moves"]["offloaded"][:2] == [4, 2]


def test_moves_are_marks_and_lines(session: Session) -> None:
    _, browser, panel = state_after(session, 4)
    full = browser.ready()
    kinds = Counter(mark[2] for mark in full["marks"])
    assert kinds[OFFLOADED] == 2
    assert kinds[RESTATED] == len(session.trace.of("restatement")) == 2
    assert kinds[ANCHORED] == 1, "what was registered before the first step has no place on the chart"
    told = [line[1] for line in full["log"]]
    assert any(text.startswith("anchored milestone: read the logs") for text in told)
    assert any(text.startswith("todos (agent): t1") for text in told)
    panel.close()


def test_a_change_sends_only_what_it_changed(session: Session) -> None:
    _, browser, panel = state_after(session, 1)
    session.update_todos(["one more"])
    panel.flush()
    news = browser.of("add")[-1]["state"]
    assert "todos" in news
    assert "direction" not in news
    panel.close()


def test_nothing_hostile_reaches_page_or_terminal_as_it_is(session: Session) -> None:
    state, _, panel = state_after(session, 4)
    sent = json.dumps([state["direction"], state["todos"]], ensure_ascii=False)
    assert "\u202e" not in sent
    assert "\x1b" not in sent
    snapshot = Snapshot.of(session)
    assert "<img" not in snapshot.markup()
    assert "\x1b" not in snapshot.text() + snapshot.markup()
    panel.close()


def test_lists_are_bounded_and_counted() -> None:
    directed = Directed()
    base = {"n": 1, "step": 1, "by": "user"}
    for number in range(40):
        event = {**base, "kind": "anchor", "kind_of_anchor": "constraints", "text": f"{number} " + "x" * 900}
        directed.take(event)
    many = [{"id": f"t{n}", "text": "y", "status": "open", "by": "user"} for n in range(300)]
    directed.take({**base, "kind": "todos", "todos": many, "change": ""})
    state = directed.state()
    assert len(state["direction"]["constraints"]) == len(state["todos"]["open"]) == MOST_TEXTS
    assert (state["direction"]["constraints_count"], state["todos"]["open_count"]) == (40, 300)
    assert len(json.dumps(state)) < 6_000


def test_a_past_step_shows_what_held_then(session: Session) -> None:
    _, _, panel = state_after(session, 4)
    then = panel._asks.answer("moment", [2]).body
    assert "offloaded" not in then["moves"]
    assert then["direction"]["finished_count"] == 0
    assert [row[0] for row in then["todos"]["open"]] == ["t1", "t2"]
    now = panel._asks.answer("moment", [4]).body
    assert now["direction"]["finished"] == ["read the logs"]
    assert now["fills"] == fills_of(session, History())
    assert then["fills"] != now["fills"]
    panel.close()


def test_a_resumed_run_shows_the_same(session: Session) -> None:
    state, _, panel = state_after(session, 4)
    panel.close()
    session.close()
    again = Session.resume(session.path)
    resumed, _, panel = state_after_resume(again)
    for name in ("fills", "direction", "todos", "moves"):
        assert resumed[name] == state[name], name
    panel.close()
    again.close()


def state_after_resume(session: Session) -> tuple[dict[str, Any], Browser, Panel]:
    panel = Panel(session)
    browser = Browser(panel)
    return browser.ready()["state"], browser, panel


def test_snapshot_tells_fills_and_direction(session: Session) -> None:
    session.run(4)
    text = Snapshot.of(session).text()
    assert "quotas  system and head " in text
    assert "a goal, 1 constraint, 1 finished, 2 open, restated 2×" in text
    assert "2 results offloaded" in text


def test_what_is_over_its_quota_says_so(tmp_path: Path) -> None:
    small = budgeted(tmp_path / "small", window=6_000)
    assert " (over)" in Snapshot.of(small).text()
    small.close()


def test_offloaded_results_have_a_word_of_their_own(session: Session) -> None:
    _, _, panel = state_after(session, 4)
    asks = panel._asks
    rows = [(s.state, n) for n, s in enumerate(map(asks.live.sent, range(len(asks.live))))]
    at = [n for state, n in rows if state == "offloaded"]
    assert len(at) == 2
    body = asks.answer("message", [0, at[0]]).body
    assert body["state"] == "offloaded"
    assert body["why"] == "Offload long results, step 3"
    assert body["sent"].startswith("[offloaded: result ")
    panel.close()


def test_a_result_that_only_looks_offloaded_is_not() -> None:
    from opencollab_nb.views.sent import how

    forged = "[offloaded: result 7, 3 lines, 9 chars; read_result(id=7)]" + "x" * 400
    original = {"role": "tool", "content": forged, "meta": {"id": 7}}
    assert how(original, {**original, "content": "[cleared]"}) == "cleared"
    assert how(original, {**original, "content": forged[:300]}) == "capped"


def test_the_map_says_which_rule_a_message_is_under(session: Session) -> None:
    from opencollab_nb.budget import KEEP_RULES

    _, _, panel = state_after(session, 4)
    asks = panel._asks
    rules = [asks.answer("message", [0, n]).body["rule"] for n in range(len(asks.live))]
    assert rules[0].startswith("system: kept word for word.")
    assert any(KEEP_RULES["constraints"].why in rule for rule in rules)
    assert any(rule.startswith("tool output: may give way to a pointer.") for rule in rules)
    assert any(rule.startswith("house style: kept word for word. The user registered it") for rule in rules)
    panel.close()


def test_offloads_have_cards_that_tell_of_a_restatement_beside_them(session: Session) -> None:
    _, _, panel = state_after(session, 4)
    cards = panel._asks.answer("rounds", [0]).body["cards"]
    assert [card["step"] for card in cards] == [3, 4], "a card for each request with results offloaded"
    assert [card["restated"] for card in cards] == [
        None,
        ["milestone", session.trace.last("restatement")["tokens"]],
    ]
    assert [layer[0] for layer in cards[0]["layers"]] == ["Offload long results", "Cap one result"]
    assert HOSTILE not in json.dumps(cards)
    panel.close()
