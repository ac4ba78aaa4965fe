"""A team's panel and its browser: what is sent, what a click does, the panel of one member."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.team import Team
from opencollab_nb.views.shown import SHOWN, put_up
from opencollab_nb.views.team_panel import TeamPanel
from tests.team.build import a_team, look, model, reply, seats, send, spawn, wait
from tests.views.wire import Browser, CountingComm, wait_for

MOST_BYTES_A_STEP, MOST_BYTES_OF_A_FULL = 1_500, 60_000


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """Two seats: one asks, one does; a third is never asked."""
    a = model([reply(send("b", "Do it.")), reply(wait()), "All done."])
    b = model([reply(look(), text="Looking."), reply(look()), "Did it."])
    made = a_team(tmp_path / "t", {"a": a, "b": b, "c": model([])}, seats("a", "b", "c"))
    yield made
    made.close()


@pytest.fixture
def browser(team: Team) -> Iterator[Browser]:
    panel = TeamPanel(team)
    yield Browser(panel)
    panel.close()


def steps_of(browser: Browser) -> list[int]:
    """The lane of each step, as the page puts them together."""
    comm, lanes = browser.panel.widget.comm, []
    for (_, data), buffers in zip(comm.published, comm.buffers, strict=True):
        content = data.get("content", {})
        if content.get("kind") == "full":
            lanes = [0] * content["first"]
        if buffers:
            assert content["first"] == len(lanes)
            lanes += [
                int.from_bytes(buffers[0][at : at + 2], "little") for at in range(0, len(buffers[0]), 6)
            ]
    return lanes


def rows_of(browser: Browser, name: str) -> dict[str, Any]:
    """Lanes or figures, as the page puts them together."""
    merged: dict[str, Any] = {}
    for message in browser.messages:
        merged.update(message.get(name, {}))
    return merged


def test_nothing_is_sent_before_the_browser_is_ready(team: Team, browser: Browser) -> None:
    team.step()
    browser.panel.flush()
    assert browser.messages == []
    full = browser.ready()
    assert full["state"]["step"] == 1
    assert [lane[0] for lane in full["lanes"].values()] == ["a", "b", "c"]


def test_every_step_comes_once_and_in_order_whether_late_or_live(team: Team, browser: Browser) -> None:
    team.step()
    browser.ready()
    while team.step().member is not None:
        browser.panel.flush()
    live = steps_of(browser)
    made = [("a", "b", "c").index(event["member"]) for event in team.trace.of("step")]
    assert live == made
    late = Browser(TeamPanel(team))
    late.ready()
    assert steps_of(late) == made
    late.panel.close()
    assert [message["seq"] for message in browser.messages] == list(range(1, len(browser.messages) + 1))


def test_late_and_live_show_the_same(team: Team, browser: Browser) -> None:
    browser.ready()
    team.run()
    browser.panel.flush()
    late = Browser(TeamPanel(team))
    full = late.ready()
    again = browser.ready()
    for part in ("letters", "moments", "lanes", "figures", "log", "state"):
        assert full[part] == again[part], part
    late.panel.close()
    assert {outcome for outcome, *_ in full["figures"].values()} == {"finished", "never acted"}


def test_a_message_is_told_when_it_is_sent_and_when_it_has_arrived(team: Team, browser: Browser) -> None:
    browser.ready()
    team.step()
    browser.panel.flush()
    letters = [letter for message in browser.messages for letter in message.get("letters", [])]
    got = [pair for message in browser.messages for pair in message.get("got", [])]
    assert letters[0][:6] == [1, 0, 0, 1, "message", "Do it."]
    assert got == [[1, 0]]
    team.run()
    last = browser.ready()["letters"][-1]
    assert (last[2], last[3], last[4], last[7]) == (1, 0, "result", "finished")
    assert last[6] >= last[1]


def test_the_figures_are_those_of_the_ledger_and_only_changes_are_sent(team: Team, browser: Browser) -> None:
    browser.ready()
    team.run()
    browser.panel.flush()
    frame, figures = team.ledger.to_frame(), rows_of(browser, "figures")
    for at, name in enumerate(frame.index):
        assert figures[str(at)][2:6] == frame.loc[name][["granted", "used", "reserved", "returned"]].tolist()
    assert browser.state()["spent"] == team.ledger.spent_tokens
    for at in ("2",):  # never asked: told once
        assert sum(at in message.get("figures", {}) for message in browser.messages) == 1
    before = len(browser.messages)
    browser.panel.flush()
    assert len(browser.messages) == before


def test_buttons_are_verbs_of_the_team(team: Team, browser: Browser) -> None:
    browser.ready()
    assert browser.click("step")["ok"]
    wait_for(lambda: team.state == "paused")
    assert sum(member.steps for member in team.members.values()) == 1
    assert browser.click("pause")["text"] == "Already at rest."
    assert "from 1 up" in browser.click("run", 0)["text"]
    assert "each member" in browser.click("run", 1)["text"]
    wait_for(lambda: team.run_handle is not None and team.run_handle.over)
    assert browser.click("run")["ok"]
    wait_for(lambda: team.state == "done" and browser.state()["run"] == "done")
    assert browser.click("stop")["ok"]
    assert "unknown order 'dance'" in browser.click("dance")["text"]


def test_a_step_that_cannot_be_made_is_answered_with_its_reason(team: Team, browser: Browser) -> None:
    browser.ready()
    team.close()
    answer = browser.click("step")
    assert not answer["ok"]
    assert "this team is closed" in answer["text"]


def test_a_member_s_own_panel_is_opened_and_closed_with_the_lane(team: Team, browser: Browser) -> None:
    browser.ready()
    team.run()
    answer = browser.click("open", 1)
    member = browser.panel.member
    assert answer["text"] == "b is shown below."
    assert answer["state"]["open"] == [1, member.widget.model_id]
    assert member.session is team.members["b"].session
    own = Browser(member)
    assert own.ready()["state"]["step"] == team.members["b"].steps
    assert browser.click("open", 0)["ok"]
    assert member.closed
    assert browser.click("open", None)["state"]["open"] is None
    assert browser.panel.member is None


@pytest.mark.parametrize(
    ("at", "says"), [(2, "c was given nothing to do yet"), (9, "0 to 2"), ("b", "place")]
)
def test_what_cannot_be_opened_says_why_and_what_was_open_stays(
    team: Team, browser: Browser, at: Any, says: str
) -> None:
    browser.ready()
    browser.click("open", 0)
    answer = browser.click("open", at)
    assert not answer["ok"]
    assert says in answer["text"]
    assert not browser.panel.member.closed


def test_the_moment_an_allowance_ran_out_is_marked_on_its_lane(tmp_path: Path) -> None:
    a = model([reply(look())] * 9, cost=4_000)
    team = a_team(tmp_path / "t", {"a": a}, seats("a", tokens=10_000))
    browser = Browser(TeamPanel(team))
    browser.ready()
    team.run()
    browser.panel.flush()
    moments = [moment for message in browser.messages for moment in message.get("moments", [])]
    assert [(tick, lane, kind) for tick, lane, kind, *_ in moments] == [(3, 0, "out"), (3, 0, "end")]
    assert "12,000 of 10,000 tokens of a's allowance spent" in moments[0][3]
    assert rows_of(browser, "figures")["0"][0] == "ran out"
    browser.panel.close()
    team.close()


def test_a_spawned_member_gets_a_lane_while_the_panel_is_open(tmp_path: Path) -> None:
    lead = model([reply(spawn("Write it.")), reply(wait()), "All done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model(["Written."])})
    browser = Browser(TeamPanel(team))
    assert list(browser.ready()["lanes"]) == ["0"]
    team.run()
    browser.panel.flush()
    assert rows_of(browser, "lanes")["1"][:3] == ["agent", "agent", 0]
    moments = [moment for message in browser.messages for moment in message.get("moments", [])]
    assert [0, 1, "spawn", "Write it.", 0] in moments
    assert rows_of(browser, "figures")["1"][5] > 0  # what it left over was returned
    browser.panel.close()
    team.close()


def test_hostile_names_of_tools_and_messages_come_as_text(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>\x1b[31m\u202e" + chr(0xD83E)
    a = model([reply(send("b", evil), text=evil), evil])
    team = a_team(tmp_path / "t", {"a": a, "b": model([evil])}, seats("a", "b"))
    browser = Browser(TeamPanel(team))
    team.run()
    told = json.dumps(browser.ready(), ensure_ascii=False)
    assert "<img src=x" in told  # the page sets it as text
    assert not {"\x1b", "\u202e", chr(0xD83E)} & set(told)
    browser.panel.close()
    team.close()


def test_a_step_costs_the_browser_little_however_long_the_run(tmp_path: Path) -> None:
    names = [f"seat{number}" for number in range(6)]
    voices = {name: model([reply(look(), text="Looking on.")] * 25 + ["Done."]) for name in names[1:]}
    begins = reply(*(send(name, "Begin.") for name in names[1:]))
    voices[names[0]] = model([begins] + [reply(look())] * 25 + ["Done."])
    team = a_team(tmp_path / "t", voices, seats(*names))
    browser = Browser(TeamPanel(team))
    browser.ready()
    team.run(20)
    at, before = [browser.bytes], len(browser.messages)
    team.subscribe(lambda event: browser.panel.flush() if event["kind"] == "step" else None)
    for _ in range(2):
        team.run(50)
        at.append(browser.bytes)
    quarters = [(b - a) / 50 for a, b in pairwise(at)]
    print("bytes a step:", quarters)
    assert len(browser.messages) - before >= 100
    assert max(quarters) <= MOST_BYTES_A_STEP
    assert quarters[1] <= 1.2 * quarters[0]
    assert len(json.dumps(browser.ready())) <= MOST_BYTES_OF_A_FULL
    assert len(json.dumps(browser.panel.widget.get_state(), default=str)) < 5_000
    browser.panel.close()
    team.close()


def test_a_closed_panel_lets_go_of_team_member_and_cell(team: Team, browser: Browser) -> None:
    panel = put_up(object(), lambda: browser.panel)
    browser.ready()
    browser.click("open", 0)
    member = panel.member
    panel.close()
    panel.close()
    assert member.closed
    assert panel.widget.comm is None
    assert panel not in SHOWN.values()
    team.run()
    assert panel.flush() is False
    assert not team.trace.of("fault")
