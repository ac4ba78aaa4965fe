"""A resumed run whose chain has parts that this process does not have: it can be looked at, steps wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import (
    AutoCompactShaper,
    OldHistorySnipShaper,
    ShaperPipeline,
    ToolOutputClearShaper,
)
from tests.session.build import Tools, a_session, echo, working
from tests.session.remote import short_summary


def mine(request: Any) -> str:
    return "short"


def summarized(path: Path, steps: int = 12) -> Session:
    """A closed run that had a function of a cell for a summarizer."""
    chain = [ToolOutputClearShaper(3), AutoCompactShaper(lambda request: "We read.", keep_recent_groups=1)]
    session = a_session(path, working(steps + 8, chars=2_400), shapers=chain, window=8_000)
    session.run(steps)
    assert any(e["summary"] for e in session.trace.of("session.history_compaction"))
    session.close()
    return session


def resumed(path: Path, **given: Any) -> Session:
    given.setdefault("model", ScriptedModel(working(8, chars=2_400)))
    return Session.resume(path, workspace=Tools(echo=echo), **given)


def test_a_layer_that_lacks_only_its_summarizer_is_there_and_named(tmp_path: Path) -> None:
    summarized(tmp_path / "run")
    again = resumed(tmp_path / "run")
    assert again.chain == ShaperPipeline(ToolOutputClearShaper(3), AutoCompactShaper(keep_recent_groups=1))
    told = again.trace.of("notice")[-1]["text"]
    assert "lambda" in told
    assert "use_summarizer(" in told
    with pytest.raises(ValueError, match=r"lambda.*use_summarizer\("):
        again.step()


@pytest.mark.parametrize("later", [False, True])
def test_a_summarizer_given_fills_the_layer(tmp_path: Path, later: bool) -> None:
    summarized(tmp_path / "run")
    again = resumed(tmp_path / "run", **({} if later else {"summarizer": mine}))
    if later:
        again.use_summarizer(mine)
    else:
        assert again.trace.of("notice") == []
    assert again.chain.shapers[-1] == AutoCompactShaper(mine, keep_recent_groups=1)
    again.run(5)
    assert again.state == "paused"
    assert again.trace.last("session.history_compaction")["problem"] is None


def test_a_summarizer_does_not_stand_in_for_a_missing_shaper(tmp_path: Path) -> None:
    chain = [lambda messages, pressure: messages, AutoCompactShaper(lambda request: "s")]
    a_session(tmp_path / "run", shapers=chain).close()
    again = resumed(tmp_path / "run", summarizer=mine)
    with pytest.raises(ValueError, match="lambda"):
        again.step()
    again.use("default")
    assert again.run(1) == "paused"


def test_the_next_request_can_be_looked_at_while_a_summarizer_is_missing(tmp_path: Path) -> None:
    summarized(tmp_path / "run")
    again = resumed(tmp_path / "run")
    seen = again.request().shaped
    assert [m for m in seen if m["meta"].get("covers")], "the summary that was paid for stands in it"
    assert seen[-1] == again.transcript.messages[-1]
    again.use_summarizer(short_summary)
    again.step()
    assert again.steps == 13


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_a_request_without_its_shapers_is_what_the_records_say_and_nothing_new(
    tmp_path: Path, mode: str
) -> None:
    def drop_old(messages: Any, pressure: Any) -> Any:
        return OldHistorySnipShaper(1).shape(messages, pressure)

    session = a_session(
        tmp_path / "run", working(20, chars=2_400), shapers=[drop_old], window=8_000, mode=mode
    )
    session.run(12)
    sent, stored = session.request(12).shaped, session.trace.last("request")["stored"]
    assert len(sent) < stored
    session.close()
    again = resumed(tmp_path / "run")
    written = len(again.trace.events)
    assert again.request().shaped == [*sent, *again.transcript.messages[stored:]]
    assert len(again.trace.events) == written
    with pytest.raises(ValueError, match="drop_old"):
        again.step()


def test_what_is_missing_is_missing_still_after_another_change_and_resume(tmp_path: Path) -> None:
    summarized(tmp_path / "run")
    again = resumed(tmp_path / "run")
    again.use_mode("stateless")
    again.close()
    with pytest.raises(ValueError, match="lambda"):
        resumed(tmp_path / "run").step()


def test_a_branch_of_a_run_without_its_summarizer_lacks_it_too(tmp_path: Path) -> None:
    summarized(tmp_path / "run")
    branch = resumed(tmp_path / "run").fork(path=tmp_path / "branch")
    assert branch.chain.shapers[-1] == AutoCompactShaper(keep_recent_groups=1)
    with pytest.raises(ValueError, match="lambda"):
        branch.step()


@pytest.mark.parametrize("how", ["pin", "restore", "unpin"])
@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_a_request_looked_at_after_a_hand_pin_is_the_same_after_a_resume(
    tmp_path: Path, mode: str, how: str
) -> None:
    session = a_session(tmp_path / "run", working(20, chars=6_000), mode=mode)
    session.run(8)
    session.pin([2, 15])
    session.run(4)
    getattr(session, how)([2] if how == "unpin" else [2, 4])
    seen = session.request().shaped
    session.close()
    again = resumed(tmp_path / "run")
    assert again.request().shaped == seen
    assert again.request().shaped == seen
