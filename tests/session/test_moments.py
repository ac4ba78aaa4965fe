"""Any step of the past, from the run folder alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session import Session
from opencollab_nb.shaping import OldHistorySnipShaper, ToolOutputClearShaper, ToolResultBudgetShaper
from tests.session.build import a_session, working


def lively(path: Path, steps: int = 30) -> Session:
    """A run with swaps, pins, modes, previews and something said."""
    session = a_session(path, replies=working(200, chars=3_000), window=12_000)
    chance = random.Random(7)
    for number in range(steps // 3):
        session.run(3)
        if number % 4 == 0:
            session.use(ToolResultBudgetShaper(2_000), ToolOutputClearShaper(keep_recent=2))
        elif number % 4 == 1:
            session.pin(chance.randrange(len(session.transcript)))
            session.use_mode("stateless")
        elif number % 4 == 2:
            session.say("Mind this.")
            session.request()
        else:
            session.unpin(range(len(session.transcript)))
            session.use_mode("sticky")
            session.use("default")
    return session


def test_every_step_shows_what_was_sent_at_it_in_whatever_order_they_are_asked_for(tmp_path: Path) -> None:
    session = lively(tmp_path / "run", 60)
    sent = {k: r.wire for k, r in enumerate(session.model.requests, 1)}
    order = list(sent)
    random.Random(3).shuffle(order)
    for step in (*order, 1, 60):
        then = session.at(step)
        assert then.request.wire == sent[step]
        assert then.step == step
        assert (then.previous.wire if then.previous else None) == sent.get(step - 1)


def test_limits_categories_and_chain_are_those_of_the_step(tmp_path: Path) -> None:
    session = lively(tmp_path / "run")
    session.use(OldHistorySnipShaper())
    session.use_target(0.5)
    session.run(2)
    now, early = session.at(), session.at(2)
    assert now.step == session.steps
    assert (now.chain, now.policy) == (("OldHistorySnipShaper",), None)
    assert now.target == now.trigger // 2
    assert (early.policy, early.mode, len(early.chain)) == ("default", "sticky", 5)
    assert early.target == early.trigger * 3 // 4
    for moment in (now, early):
        assert sum(moment.by_category.values()) == moment.tokens
        assert moment.stored >= len(moment.request.messages)


def test_the_reports_are_those_of_the_layers_that_made_the_request(tmp_path: Path) -> None:
    session = lively(tmp_path / "run", 42)
    told = [r.layer for step in range(1, 43) for r in session.at(step).reports]
    assert told == [e["layer"] for e in session.trace.of("session.history_compaction")]
    for step in range(1, 43):
        reports = session.at(step).reports
        assert not reports or reports[-1].tokens_after <= reports[0].tokens_before


def test_pins_are_those_of_the_step(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(20))
    session.run(3)
    session.pin(2)
    session.run(3)
    session.unpin(2)
    session.run(1)
    assert [session.at(k).pinned for k in (3, 5, 7)] == [frozenset(), frozenset({2, 3}), frozenset()]


def test_a_folder_opened_without_a_model_shows_the_same(tmp_path: Path) -> None:
    session = lively(tmp_path / "run")
    here = {k: session.at(k) for k in range(1, 31)}
    session.close()
    again = Session.resume(tmp_path / "run")
    for step, then in here.items():
        found = again.at(step)
        assert found.request.messages == then.request.messages
        assert (found.tokens, found.reports, found.chain) == (then.tokens, then.reports, then.chain)


def test_a_step_without_a_request_is_named(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run")
    with pytest.raises(UsageProblem, match="none was sent yet"):
        session.at()
    session.run(2)
    with pytest.raises(UsageProblem, match="no request was sent at step 3"):
        session.at(3)


def test_what_a_cut_off_attempt_had_made_is_not_counted(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(30, chars=3_000), window=12_000)
    session.run(2)
    session.max_steps = 40
    session.trace.add(
        "session.history_compaction",
        3,
        layer="Cut",
        trigger=1,
        target=1,
        tokens_before=2,
        tokens_after=1,
        removed=[],
        rewritten=[],
        covered=[],
        summary=None,
        problem=None,
        seconds=0.0,
        forced=False,
    )
    session.run(2)
    assert session.at(3).reports == ()


def test_it_shows_itself_with_every_text_escaped(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run")
    session.run(1)
    assert "<table " in session.at(1)._repr_html_()
    assert "step=1" in repr(session.at(1))
