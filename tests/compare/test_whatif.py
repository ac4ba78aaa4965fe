"""What another chain would send, without touching the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import pressure_curve, what_if
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import each, text_of
from opencollab_nb.policy import Policy
from opencollab_nb.pressure import Pressure
from opencollab_nb.session import Session
from opencollab_nb.shaping import (
    AutoCompactShaper,
    OldHistorySnipShaper,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
)
from tests.build import numbered, task, tool_step, user
from tests.compare.runs import footprint, pressed


def test_the_run_is_not_touched(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run")
    before = footprint(session)
    for step in (None, 1, 12, 24):
        what_if(session, "summarize", step=step, mode="stateless")
        what_if(session, ToolOutputClearShaper(keep_recent=1), step=step)
    what_if(session, Policy("default", target_ratio=0.4))
    assert footprint(session) == before


def test_the_chain_in_force_from_the_first_step_on_gives_what_was_sent() -> None:
    session = pressed(steps=5)
    asked = what_if(session, "default", step=5)
    assert asked.after == asked.before == session.at(5).request.shaped
    assert asked.tokens_after == asked.tokens_before == session.at(5).tokens
    assert (asked.lost, asked.changes, asked.diff()) == ([], [], "")


def test_it_is_what_the_next_request_is_after_that_swap() -> None:
    session = pressed()
    asked = what_if(session, ToolResultBudgetShaper(500), OldHistorySnipShaper())
    session.use(ToolResultBudgetShaper(500), OldHistorySnipShaper())
    assert asked.after == session.request().shaped


def test_pins_of_the_step_hold(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run", steps=14)
    session.pin(3)
    session.run(8)
    session.unpin(3)
    session.run(2)

    def held(step: int | None) -> bool:
        asked = what_if(session, ToolOutputClearShaper(keep_recent=0), step=step)
        return 3 not in set(each(asked.lost))

    assert [held(14), held(20), held(None)] == [False, True, False]


def test_what_is_lost_and_what_is_back_is_told_by_id() -> None:
    session = pressed()
    asked = what_if(session, ToolOutputClearShaper(keep_recent=1))
    assert set(each(asked.newly_lost)) <= set(each(asked.lost))
    held = {m["meta"]["id"]: m for m in asked.after}
    for own in each(asked.lost):
        assert text_of(held[own]) != text_of(session.transcript.messages[own])
    assert [c.ids for c in asked.changes] == [[[i, i]] for i in each([*asked.newly_lost, *asked.back])]
    assert "-line 2" in asked.diff()


def test_no_model_is_asked_unless_its_summarizer_is_given() -> None:
    def never(request: Any) -> str:
        raise AssertionError("a summarizer was asked")

    asked: list[Any] = []

    def mine(request: Any) -> str:
        asked.append(request)
        return "They looked at lines."

    session = pressed(shapers=[AutoCompactShaper()], steps=3)
    session.use_summarizer(never)
    for step in (None, 2):
        assert what_if(session, step=step).reports == []
        assert what_if(session, AutoCompactShaper(), step=step).reports == []
    whole = pressed(shapers=[ToolResultBudgetShaper()], steps=9)
    found = what_if(whole, AutoCompactShaper(mine))
    assert len(asked) == 1
    assert found.reports[0].summary is not None
    assert any(m["meta"].get("covers") for m in found.after)
    assert any(change.before is None and "They looked" in (change.after or "") for change in found.changes)


def test_a_list_of_messages_will_do() -> None:
    talk = [task(), *[m for k in range(9) for m in tool_step(k, "line " * 900)], user("go on")]
    tight = Pressure.of(9_000)
    found = what_if(talk, OldHistorySnipShaper(), pressure=tight)
    assert found.tokens_after < found.tokens_before
    assert found.lost
    assert what_if(numbered(talk), OldHistorySnipShaper(), pressure=tight).lost == found.lost
    assert what_if(talk, OldHistorySnipShaper()).lost == []


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda s: what_if(s, "defualt"), "default"),
        (lambda s: what_if(s, step=99), "99"),
        (lambda s: what_if(s, step=0), "0"),
        (lambda s: what_if(s, mode="stcky"), "sticky"),
        (lambda s: what_if([task()]), "chain"),
        (lambda s: what_if("talk", "default"), "talk"),
        (lambda s: what_if([task()], "default", step=3), "session"),
    ],
)
def test_what_cannot_be_used_is_named(call: Any, named: str) -> None:
    with pytest.raises(UsageProblem, match=named):
        call(pressed(steps=2))


def test_a_folder_opened_without_a_model_will_do(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run")
    here = what_if(session, ToolOutputClearShaper(keep_recent=2), step=20)
    session.close()
    again = Session.resume(tmp_path / "run")
    there = what_if(again, ToolOutputClearShaper(keep_recent=2), step=20)
    assert (there.after, there.tokens_after) == (here.after, here.tokens_after)


def test_texts_are_escaped() -> None:
    session = pressed(steps=2)
    session.say("<img src=x onerror=alert(1)>")
    shown = what_if(session, ToolResultBudgetShaper(100), AutoCompactShaper())
    page = shown._repr_html_()
    assert "<img" not in page
    assert "What if ToolResultBudgetShaper" in repr(shown)


def test_a_layer_that_fails_is_told() -> None:
    def broken(messages: Any, pressure: Any) -> Any:
        raise ValueError("<b>no</b>")

    shown = what_if(pressed(steps=9), broken, pressure=Pressure.of(2_000))
    assert "no" in repr(shown)
    assert "<b>no" not in shown._repr_html_()


def test_it_may_be_asked_while_the_run_goes_on(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run", steps=2)
    run = session.start(28)
    asked = 0
    while not run.over or not asked:
        found = what_if(session, ToolOutputClearShaper(keep_recent=1))
        pressure_curve(session, "default")
        asked += 1
        assert found.stored >= 6
    assert session.steps == 30
    assert session.error is None
    again = pressed(tmp_path / "again", steps=30)
    assert [m["content"] for m in session.at(30).request.messages] == [
        m["content"] for m in again.at(30).request.messages
    ]


def test_after_a_swap_the_chain_in_force_is_what_is_compared_with() -> None:
    session = pressed()
    for chain in ("no_history_compaction", "default"):
        session.use(chain)
        asked = what_if(session, chain)
        assert asked.before == asked.after == session.request().shaped
        assert asked.tokens_before == asked.tokens_after
