"""The bill: its sums are those that were reported, and it ends with what is left to save."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from opencollab_nb.budget.bill import bill
from opencollab_nb.budget.bill_sums import growth, scaled
from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.restate import CALLED_FOR_BY
from opencollab_nb.budget.still_open import WHERE
from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.budget.recorded_runs import a_run
from tests.session.build import calling, tool_call, working
from tests.session.directed import directed

PRICES = {"input": 2.0, "cached": 0.5, "output": 8.0}
RUNS = [
    ("quickstart", "managed"),
    ("quickstart", "summarized"),
    ("quickstart", "stateless"),
    ("quickstart", "plain"),
    ("quickstart", "uncut"),
    ("orders", "managed"),
]


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_its_sums_are_what_the_provider_reported(task: str, how: str) -> None:
    session = a_run(task, how)
    made, usages = session.bill(), session.trace.of("usage")
    assert (
        made.total_tokens
        == session.spent_tokens
        == sum(e["input_tokens"] + e["output_tokens"] for e in usages)
    )
    assert made.cached_tokens == sum(e["cached_input_tokens"] for e in usages)
    assert sum(made.categories.values()) == made.input_tokens
    frame = made.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["step"]) == list(range(1, session.steps + 1))
    assert (frame["cached"] + frame["uncached"] == frame["input"]).all()
    names = ["system", "task", "tool", "assistant", "user", "summary", "restatement"]
    assert (frame[names].sum(axis=1) == frame["input"]).all()
    summarized = frame.get("compacting_input", pd.Series([0])).sum()
    assert frame["input"].sum() + summarized == made.input_tokens


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_what_the_parts_saved_is_the_difference_to_no_management(task: str, how: str) -> None:
    made = a_run(task, how).bill(PRICES)
    assert sum(part.saved_tokens for part in made.parts) == made.unmanaged_tokens - made.input_tokens
    assert made.dollars is not None
    assert made.unmanaged_dollars is not None
    saved = sum(part.dollars or 0 for part in made.parts)
    assert saved == pytest.approx(made.unmanaged_dollars - made.dollars)
    other = made.parts[-1]
    assert other.name == "other"
    assert abs(other.saved_tokens) <= 5, "layers and moves explain all that was not sent"


def test_money_is_that_of_each_kind_of_token() -> None:
    made = a_run().bill(PRICES)
    fresh = made.input_tokens - made.cached_tokens
    expected = (fresh * 2.0 + made.cached_tokens * 0.5 + made.output_tokens * 8.0) / 1_000_000
    assert made.dollars == pytest.approx(expected)
    assert sum(row["dollars"] for row in made.rows) == pytest.approx(expected)
    cheaper = a_run().bill({"input": 2.0, "output": 8.0})
    assert cheaper.dollars == pytest.approx((made.input_tokens * 2.0 + made.output_tokens * 8.0) / 1_000_000)


def test_without_a_chain_nothing_is_saved_and_nothing_costs() -> None:
    made = a_run("quickstart", "uncut").bill(PRICES)
    assert made.unmanaged_tokens == made.input_tokens
    assert made.unmanaged_dollars == pytest.approx(made.dollars)
    assert all(part.saved_tokens == 0 for part in made.parts)


def test_the_whole_transcript_sent_at_each_step_grows_with_the_square_of_the_steps() -> None:
    uncut = a_run("quickstart", "uncut").bill()
    managed = a_run().bill()
    assert uncut.growth is not None
    assert uncut.growth > 1.7
    assert managed.growth is not None
    assert managed.growth < uncut.growth
    assert managed.unmanaged_growth == pytest.approx(uncut.growth, abs=0.3)
    assert sum(uncut.halves) == uncut.input_tokens
    assert uncut.halves[1] > 2 * uncut.halves[0]
    assert "to the power of" in repr(uncut)
    assert managed.too_long_from is not None
    assert "would not have fit the window from step" in repr(managed)


def test_each_move_bears_what_it_put_into_the_requests() -> None:
    made = a_run().bill()
    parts = {part.name: part for part in made.parts}
    assert parts["restate"].saved_tokens < -made.categories["restatement"] < 0, (
        "its tool and anchors cost too"
    )
    assert parts["offload"].saved_tokens < 0, "nothing was long enough here, and its tool was offered"
    assert parts["compact"].saved_tokens > 0
    assert parts["compact"].moved_tokens > 0, "a round moves what the cache held"
    alone = {part.name: part for part in a_run("quickstart", "plain").bill().parts}
    assert alone["restate"].saved_tokens == alone["offload"].saved_tokens == 0


def test_a_long_result_that_is_offloaded_saves_what_its_pointer_does_not_take(tmp_path: Path) -> None:
    session = directed(tmp_path / "run", working(6, chars=60_000), window=400_000)
    session.run()
    parts = {part.name: part for part in session.bill().parts}
    pointers = [e for e in session.trace.of("session.history_compaction") if e["layer"] == "OffloadShaper"]
    assert len(pointers) > 4
    first = pointers[0]["tokens_before"] - pointers[0]["tokens_after"]
    assert parts["offload"].saved_tokens > first * 5
    assert parts["cap"].saved_tokens > 0, "the newest result was capped"


def test_a_step_for_a_tool_of_a_move_is_that_moves_cost(tmp_path: Path) -> None:
    replies = [
        *working(2, chars=20_000, end=None),
        calling(tool_call("read_result", "r1", id=8)),
        *working(2, end=None),
        "All done.",
    ]
    session = directed(tmp_path / "run", replies, window=200_000)
    session.run()
    made = session.bill()
    reading = made.rows[2]
    assert reading["unmanaged_input"] == 0
    offload = next(part for part in made.parts if part.name == "offload")
    assert offload.call_tokens == reading["input"] + reading["output"]


def test_compacting_is_told_with_its_share_and_warned_of(tmp_path: Path) -> None:
    made = a_run("quickstart", "summarized").bill()
    calls = [e for e in a_run("quickstart", "summarized").trace.of("usage") if e["purpose"] == "summary"]
    assert made.compacting_calls == len(calls) > 0
    assert made.compacting_tokens == sum(e["input_tokens"] + e["output_tokens"] for e in calls)
    assert made.categories["compacting"] == sum(e["input_tokens"] for e in calls)
    assert f"Compacting: {len(calls)} of {made.calls} calls" in repr(made)
    assert not any("more than a tenth" in notice for notice in made.notices)
    events = a_run("quickstart", "summarized").trace.events
    dear = [
        {**e, "input_tokens": e["input_tokens"] * 20}
        if e["kind"] == "usage" and e["purpose"] == "summary"
        else e
        for e in events
    ]
    warned = bill(dear, a_run("quickstart", "summarized").transcript.messages)
    assert any("more than a tenth" in notice for notice in warned.notices)
    tight = directed(tmp_path / "run", working(24, chars=6_000), window=8_000)
    tight.run()
    layers = tight.trace.of("session.history_compaction")
    often = {e["step"] for e in layers if e["layer"] in CALLED_FOR_BY}
    assert len(often) == tight.bill().compacting_steps > tight.steps / 5
    assert any("more than one step in five" in notice for notice in tight.bill().notices)


def test_results_that_are_read_again_and_again_are_told(tmp_path: Path) -> None:
    replies = [
        *working(2, chars=20_000, end=None),
        *[calling(tool_call("read_result", "r", id=8))] * 5,
        "done",
    ]
    session = directed(tmp_path / "run", replies, window=200_000)
    session.run()
    told = [notice for notice in session.bill().notices if "was read again" in notice]
    assert told == [
        "Result 8 was read again 4 times after it had been offloaded: raise max_chars of OffloadShaper."
    ]
    gate = session.checklist(measured=[])[1]
    assert told[0] in gate.evidence
    assert any("read again" in event["text"] for event in session.trace.of("notice"))


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_its_last_line_is_the_largest_saving_still_open(task: str, how: str) -> None:
    made = a_run(task, how).bill()
    assert tuple(one.where for one in made.open) == WHERE
    last = repr(made).splitlines()[-1]
    assert last == made.largest_open
    largest = max(made.open, key=lambda one: one.tokens)
    assert last.startswith(f"Largest saving still open: {largest.where}, {largest.tokens:,} tokens")
    places = [last.rindex(where) for where in WHERE]
    assert places == sorted(places), "in the order tool results, history, system prompt"


def test_what_is_open_is_closed_by_managing() -> None:
    uncut, managed = a_run("quickstart", "uncut").bill(), a_run().bill()
    assert uncut.open[0].tokens > 5 * managed.open[0].tokens
    assert uncut.open[1].tokens > 1.5 * managed.open[1].tokens
    assert "OffloadShaper" in uncut.open[0].advice
    assert "keeps all of them" in uncut.open[1].advice


def test_the_total_over_all_sessions_is_shown(tmp_path: Path) -> None:
    first = directed(tmp_path / "1", working(3), budget_tokens=100_000)
    first.run()
    spent = [first.spent_tokens]
    assert "all sessions of this work" not in repr(first.bill())
    for number in (2, 3):
        first = Session.continued(
            first, model=ScriptedModel(working(3), usage="count"), path=tmp_path / str(number)
        )
        first.run()
        spent.append(first.spent_tokens)
        made = first.bill()
        assert made.total_tokens == spent[-1] < made.chain_tokens
        assert made.chain_tokens == first.chain_spent_tokens == sum(spent)
        assert f"all sessions of this work, from handoff to handoff: {sum(spent):,} tokens" in repr(made)


def test_a_session_that_sent_nothing_has_a_bill(tmp_path: Path) -> None:
    made = directed(tmp_path / "run", ["done"], budget=ContextBudget()).bill()
    assert (made.steps, made.total_tokens, made.growth) == (0, 0, None)
    assert repr(made).endswith("No saving is open: nothing was sent again that a move takes away.")
    assert made.to_frame().empty
    assert "<table>" in made._repr_html_()


def test_names_of_others_are_escaped() -> None:
    made = replace(a_run().bill(), model="<script>alert(1)</script>", notices=("<b>",))
    assert "<script>" not in made._repr_html_()
    assert "&lt;script&gt;" in made._repr_html_()
    assert "<p><b>&lt;b&gt;</b></p>" in made._repr_html_()


def test_every_page_says_that_a_simulated_model_is_simulated() -> None:
    made = a_run().bill()
    assert "simulated" in repr(made).splitlines()[0]
    assert "simulated" in made._repr_html_()
    assert "no prices are known" in repr(made)


def test_prices_that_cannot_be_used_are_refused() -> None:
    for wrong in (
        {"input": 1},
        {"input": 1, "output": 2, "cache": 1},
        3,
        "nobody-knows-me",
        {"input": -1, "output": 1},
    ):
        with pytest.raises(UsageProblem):
            a_run().bill(wrong)


def test_growth_and_scaling_are_exact() -> None:
    assert growth([5, 5, 5, 5]) == pytest.approx(1.0)
    assert growth([]) is None
    assert sum(scaled({"system": 1, "tool": 1, "user": 1}, 100).values()) == 100
    assert scaled({"system": 0}, 7) == {"system": 7}
