"""Rounds, read from the trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opencollab_nb.errors import Overflow
from opencollab_nb.messages import each
from opencollab_nb.session import Session
from opencollab_nb.shaping import (
    AutoCompactShaper,
    EagerToolOutputClearShaper,
    Summary,
    ToolResultBudgetShaper,
)
from opencollab_nb.tokens.usage import Usage
from tests.session.build import Tools, a_session, calling, echo, tool_call, working


def test_each_crossing_of_the_trigger_is_one_round(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", replies=working(30, chars=3_000), window=12_000)
    session.run()
    found = session.rounds()
    assert len(found) >= 2
    for one in found:
        assert one.opened
        assert one.tokens_before > one.trigger > one.target
        assert one.tokens_after < one.tokens_before
        assert one.from_messages
        assert one.tokens_after <= session.at(one.step).tokens
        assert [r.layer for r in session.at(one.step).reports] == [x.layer for x in one.layers]
    assert [r.step for r in found] == sorted({r.step for r in found})


def test_a_summary_is_told_with_its_author_its_cost_and_its_version(tmp_path: Path) -> None:
    class Mine:
        version = "third try"
        fingerprint = "mine 3"

        def summarize(self, request: Any) -> Summary:
            return Summary("They <b>looked</b>.", Usage(900, 0, 12), model="small")

    session = a_session(
        tmp_path / "run",
        replies=working(20, chars=3_000),
        window=12_000,
        shapers=[AutoCompactShaper(Mine())],
    )
    session.run()
    told = [one.summary for one in session.rounds() if one.summary]
    assert told
    assert (told[0].text, told[0].model, told[0].tokens) == ("They <b>looked</b>.", "small", 12)
    assert told[0].version == "third try"
    assert set(each(told[0].covers)) == {
        i for layer in session.rounds()[0].layers for i in each(layer.covered)
    }
    page = session.rounds()._repr_html_()
    assert "<b>looked" not in page
    assert "small, third try" in page


def test_a_function_has_a_version_that_changes_with_its_code() -> None:
    def versions(summarizer: Any) -> set[str | None]:
        session = a_session(
            replies=working(12, chars=3_000), window=12_000, shapers=[AutoCompactShaper(summarizer)]
        )
        session.run()
        return {one.summary.version for one in session.rounds() if one.summary}

    one, same, other = (
        versions(lambda request: "short"),
        versions(lambda request: "short"),
        versions(lambda request: "brief"),
    )
    assert one == same
    assert len(one) == 1
    assert one != other


def test_a_layer_that_declined_says_why() -> None:
    session = a_session(
        replies=working(12, chars=3_000), window=12_000, shapers=[AutoCompactShaper(lambda request: "")]
    )
    session.run(10)
    first = session.rounds()[0]
    assert "no text" in (first.layers[0].problem or "")
    assert (first.summary, first.tokens_after) == (None, first.tokens_before)


def test_layers_that_need_no_pressure_are_told_when_asked_for() -> None:
    session = a_session(
        replies=[calling(tool_call("bash", f"c{n}", text="line ", times=99)) for n in range(9)],
        workspace=Tools(bash=echo),
        shapers=[ToolResultBudgetShaper(200), EagerToolOutputClearShaper(keep_recent=1)],
    )
    session.run(9)
    assert session.rounds() == []
    assert "No round yet" in session.rounds()._repr_html_()
    assert {x.layer for one in session.rounds(every=True) for x in one.layers} == {
        "ToolResultBudgetShaper",
        "EagerToolOutputClearShaper",
    }


def test_a_round_of_a_request_that_is_only_looked_at_is_there_before_it_is_sent() -> None:
    session = a_session(replies=working(30, chars=3_000), window=12_000)
    while not session.rounds():
        before = session.steps
        session.request()
        if session.rounds():
            break
        session.run(1)
    assert session.rounds()[0].sent is False
    assert session.rounds()[0].step == before + 1
    session.run(1)
    assert [r.sent for r in session.rounds()] == [True]
    assert session.at(before + 1).reports


def test_a_forced_round_says_so() -> None:
    replies = working(6, chars=3_000)
    replies[5] = Overflow("too long", input_tokens=9_000, window=8_000)
    session = a_session(replies=[*replies, *working(3)], window=64_000)
    session.run()
    forced = [one for one in session.rounds() if one.forced]
    assert len(forced) == 1
    assert forced[0].opened
    assert session.at(forced[0].step).forced


def test_a_folder_opened_without_a_model_has_the_same_rounds(tmp_path: Path) -> None:
    compact = AutoCompactShaper(lambda request: "They looked at lines.")
    session = a_session(tmp_path / "run", replies=working(30, chars=3_000), window=12_000, shapers=[compact])
    session.run()
    here = session.rounds()
    session.close()
    assert Session.resume(tmp_path / "run").rounds() == here
    assert any(one.summary for one in here)
