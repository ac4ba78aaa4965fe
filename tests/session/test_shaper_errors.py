"""What a failing shaper of the user does to a run: nothing, or a pause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import UnknownName
from opencollab_nb.session import Session
from opencollab_nb.shaping import OldHistorySnipShaper, ToolResultBudgetShaper
from tests.session.build import a_session, working


def broken(messages: Any, pressure: Any) -> Any:
    raise ValueError("not yet written")


def tight(**settings: Any) -> Session:
    return a_session(replies=working(30, chars=3_000), window=12_000, **settings)


def test_a_run_goes_on_without_the_layer_and_says_so() -> None:
    session = tight(shapers=[broken, OldHistorySnipShaper()])
    assert session.run(20) == "paused"
    assert session.steps == 20
    failed = [e for e in session.trace.of("session.history_compaction") if e["problem"]]
    assert failed
    assert "not yet written (line" in failed[0]["problem"]
    assert any(one.layers[-1].layer == "OldHistorySnipShaper" for one in session.rounds())


def test_it_pauses_instead_where_the_user_wants_that(tmp_path: Path) -> None:
    session = tight(shapers=[broken, OldHistorySnipShaper()], on_shaper_error="pause", path=tmp_path / "run")
    assert session.on_shaper_error == "pause"
    assert session.run(20) == "paused"
    assert session.steps < 20
    assert session.detail.startswith("broken: ValueError: not yet written (line")
    assert session.trace.last("limit")["reason"] == "shaper"
    stopped_at, sent = session.steps, len(session.model.requests)
    assert session.run(1) == "paused"
    assert (session.steps, len(session.model.requests)) == (stopped_at, sent), "nothing was sent"
    assert "broken" in session.step().detail
    session.use(ToolResultBudgetShaper(), OldHistorySnipShaper())
    assert session.run(5) == "paused"
    assert session.detail == ""
    assert session.steps == stopped_at + 5
    session.close()
    again = Session.resume(tmp_path / "run")
    assert again.on_shaper_error == "pause"
    assert again.at(again.steps).request.wire == session.at(session.steps).request.wire


def test_a_request_that_is_looked_at_shows_what_is_left_and_is_not_sent() -> None:
    session = tight(shapers=[broken, OldHistorySnipShaper()], on_shaper_error="pause")
    session.run()
    looked = session.request()
    assert looked.messages
    sent = len(session.model.requests)
    assert session.run() == "paused"
    assert len(session.model.requests) == sent
    assert "broken" in session.detail


def test_a_failing_layer_is_told_again_at_each_attempt_but_its_round_once() -> None:
    session = tight(shapers=[broken, OldHistorySnipShaper()], on_shaper_error="pause")
    session.run()
    session.run()
    session.use(OldHistorySnipShaper())
    session.run(1)
    assert [layer.layer for layer in session.rounds()[-1].layers] == ["OldHistorySnipShaper"]


def test_another_word_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'pause'"):
        tight(on_shaper_error="puase")


def test_a_shaper_that_was_written_in_a_cell_is_asked_for_when_the_run_is_resumed(tmp_path: Path) -> None:
    session = tight(shapers=[lambda messages, pressure: messages], path=tmp_path / "run")
    session.run(2)
    session.close()
    again = Session.resume(tmp_path / "run", model=session.model, workspace=session.workspace)
    with pytest.raises(ValueError, match="<lambda>"):
        again.run()
    again.use("default")
    assert again.run(2) == "paused"
