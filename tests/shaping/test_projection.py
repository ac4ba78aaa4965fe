"""The sticky view: what a round decided stays, and everything since is appended unchanged."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import Messages, covers_of, each, ids_of, text_of, tool_calls_of, wire
from opencollab_nb.pressure import ContextPressure, Pressure
from opencollab_nb.shaping import (
    OldHistorySnipShaper,
    Projected,
    Projection,
    ShaperPipeline,
    ToolResultBudgetShaper,
    default_pipeline,
    prefix_kept,
)
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, call, numbered, result, system, task, user
from tests.shaping.generate import session, talk
from tests.shaping.summarizers import Counting

HEAD = numbered([system(), task()])
PRESSURE = Pressure.of(16_000)


def wires(messages: Messages) -> list[dict[str, Any]]:
    return [wire(m) for m in messages]


def feed(
    projection: Projection, messages: Messages, pressure: Pressure = PRESSURE, start: int = 2
) -> list[Projected]:
    """Project after every message that a request may follow, from the first `start` ones on."""
    ends = [n for n in range(start, len(messages) + 1) if not tool_calls_of(messages[n - 1])]
    return [projection.project(messages[:n], pressure) for n in ends]


def test_while_there_is_no_round_the_last_request_is_the_beginning_of_the_next() -> None:
    projection, pressure = Projection(default_pipeline()), Pressure.of(32_000)
    before: Messages = []
    rounds = 0
    for messages in session(300):
        got = projection.project(messages, pressure)
        if got.changed:
            rounds += 1
        else:
            assert wires(got.messages[: len(before)]) == wires(before)
        assert got.tokens == pressure.tokens(got.messages) <= pressure.trigger
        before = got.messages
    assert 3 < rounds < 60


def test_a_round_leaves_the_view_at_the_target() -> None:
    projection, pressure = Projection(default_pipeline()), Pressure.of(32_000)
    rounds = [got for messages in session(300) if (got := projection.project(messages, pressure)).changed]
    assert rounds
    assert all(got.tokens <= pressure.target for got in rounds)


def test_a_second_crossing_updates_the_summary_and_never_nests_it() -> None:
    summarizer = Counting()
    projection = Projection(default_pipeline(summarizer=summarizer))
    views = feed(projection, [*HEAD, *talk(400)])
    assert summarizer.calls >= 3
    assert summarizer.requests[0].former is None
    for number, request in enumerate(summarizer.requests[1:], 1):
        assert (request.former or "").startswith(f"summary {number}:")
        assert not any(map(covers_of, request.messages))
    for got in views:
        summaries = [m for m in got.messages if covers_of(m)]
        assert len(summaries) <= 1
        kept = {*ids_of(got.messages), *(i for m in summaries for i in each(covers_of(m)))}
        assert kept == set(range(max(kept) + 1))


def test_a_swap_projects_the_whole_transcript_afresh() -> None:
    summarizer = Counting()
    projection = Projection(default_pipeline(summarizer=summarizer))
    messages = [*HEAD, *talk(200)]
    feed(projection, messages)
    assert any(covers_of(m) for m in projection.project(messages, PRESSURE).messages)
    projection.use(ShaperPipeline(ToolResultBudgetShaper()))
    assert wires(projection.project(messages, PRESSURE).messages) == wires(messages)


def test_a_new_summarizer_goes_on_from_the_view_as_it_is() -> None:
    projection = Projection(default_pipeline(summarizer=Counting()))
    messages = [*HEAD, *talk(200)]
    before = feed(projection, messages)[-1]
    projection.use(default_pipeline(summarizer=Counting()), afresh=False)
    assert projection.project(messages, PRESSURE).messages is before.messages


def test_calibration_up_opens_a_round_and_down_does_nothing() -> None:
    projection, context = Projection(default_pipeline()), ContextPressure(32_000)
    for messages in session(200):
        got = projection.project(messages, context.snapshot())
        if got.changed and len(messages) > 40:
            break
    before = wires(got.messages)
    context.observe(got.messages, Usage(input_tokens=int(got.tokens * 0.8)))
    got = projection.project(messages, context.snapshot())
    assert not got.changed
    assert wires(got.messages) == before
    more = Usage(input_tokens=int(context.snapshot().trigger * 1.2))
    assert "not used" in (context.observe(got.messages, more) or ""), "so much waits for a second report"
    context.observe(got.messages, more)
    got = projection.project(messages, context.snapshot())
    assert got.changed
    assert got.tokens <= context.snapshot().target


def test_a_smaller_window_runs_all_layers_once_and_a_larger_one_brings_nothing_back() -> None:
    projection = Projection(default_pipeline())
    *_, messages = session(60)
    projection.project(messages, Pressure.of(200_000))
    small = Pressure.of(8_192)
    got = projection.project(messages, small)
    assert got.changed
    assert got.tokens <= small.target
    again = projection.project(messages, Pressure.of(200_000))
    assert not again.changed
    assert wires(again.messages) == wires(got.messages)
    projection.use(default_pipeline())
    assert len(projection.project(messages, Pressure.of(200_000)).messages) == len(messages)


def test_results_are_capped_anew_for_a_smaller_window() -> None:
    projection = Projection(default_pipeline("no_history_compaction"))
    messages = numbered([task(), assistant(None, call()), result("word " * 3_000)])
    whole = projection.project(messages, Pressure.of(200_000))
    small = projection.project(messages, Pressure.of(8_000))
    assert len(text_of(small.messages[2])) < len(text_of(whole.messages[2])) == 15_000


def test_a_round_that_fails_is_not_repeated_at_every_step() -> None:
    calls = []

    def failing(request: object) -> str:
        calls.append(request)
        raise RuntimeError("rate limit")

    projection = Projection(default_pipeline("summarize", summarizer=failing))
    views = feed(projection, [*HEAD, *talk(400)])
    assert any("rate limit" in (report.problem or "") for got in views for report in got.reports)
    over = sum(got.tokens > PRESSURE.trigger for got in views)
    assert over > 50
    assert len(calls) < over / 8


def test_each_failed_round_doubles_the_growth_that_the_next_one_needs() -> None:
    def failing(request: object) -> str:
        raise RuntimeError("rate limit")

    projection = Projection(default_pipeline("summarize", summarizer=failing))
    sizes = [got.tokens for got in feed(projection, [*HEAD, *talk(400)]) if got.reports]
    gaps = [later - early for early, later in pairwise(sizes)]
    quarter = (PRESSURE.trigger - PRESSURE.target) // 4
    assert all(gap >= quarter * 2**number for number, gap in enumerate(gaps))


def test_use_lets_a_failed_round_be_tried_again_at_once() -> None:
    def failing(request: object) -> str:
        raise RuntimeError("rate limit")

    projection = Projection(default_pipeline("summarize", summarizer=failing))
    messages = [*HEAD, *talk(120)]
    assert feed(projection, messages)[-1].tokens > PRESSURE.trigger
    projection.use(default_pipeline("summarize", summarizer=Counting()), afresh=False)
    assert projection.project(messages, PRESSURE).tokens <= PRESSURE.trigger


def test_messages_that_do_not_go_on_from_the_last_ones_are_refused() -> None:
    projection = Projection(default_pipeline())
    *_, messages = session(50)
    projection.project(messages, PRESSURE)
    with pytest.raises(UsageProblem, match="restart"):
        projection.project(messages[:-2], PRESSURE)
    with pytest.raises(ValueError, match="do not go on"):
        projection.project([*messages[:-1], user("other"), user("more")], PRESSURE)
    projection.restart()
    fresh = Projection(default_pipeline()).project(messages[:-2], PRESSURE)
    assert wires(projection.project(messages[:-2], PRESSURE).messages) == wires(fresh.messages)


def test_ids_must_increase_and_missing_ones_are_counted() -> None:
    projection = Projection(default_pipeline())
    plain: Messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert ids_of(projection.project(plain, PRESSURE).messages) == [0, 1]
    with pytest.raises(UsageProblem, match="increase"):
        Projection(default_pipeline()).project([HEAD[1], HEAD[0]], PRESSURE)


def test_stateless_mode_compares_each_layer_with_the_trigger_on_the_whole_transcript() -> None:
    *_, messages = session(120)
    pressure = Pressure.of(32_000)
    chain = ShaperPipeline(OldHistorySnipShaper())
    got = Projection(chain, mode="stateless").project(messages, pressure)
    assert pressure.target < got.tokens <= pressure.trigger
    assert got.record is None
    assert Projection(chain).project(messages, pressure).tokens <= pressure.target


def test_sticky_keeps_more_of_the_cached_prefix_than_stateless() -> None:
    kept = {}
    for mode in ("sticky", "stateless"):
        projection, before, total = Projection(default_pipeline(), mode), [], 0
        for messages in session(150):
            after = projection.project(messages, Pressure.of(32_000)).messages
            total += prefix_kept(before, after)
            before = after
        kept[mode] = total
    assert kept["sticky"] > 1.5 * kept["stateless"]


def test_switching_the_mode_projects_afresh_and_an_unknown_mode_is_refused() -> None:
    projection = Projection(default_pipeline())
    messages = [*HEAD, *talk(20)]
    projection.project(messages, PRESSURE)
    projection.use_mode("stateless")
    assert len(projection.project(messages, PRESSURE).messages) == len(messages)
    with pytest.raises(UnknownName, match="sticky"):
        projection.use_mode("stiky")


def test_a_caller_that_changes_the_list_does_not_change_the_view() -> None:
    projection = Projection(default_pipeline())
    messages = [*HEAD, *talk(4)]
    projection.project(messages, PRESSURE).messages.clear()
    assert len(projection.project([*messages, *talk(1, 6)], PRESSURE).messages) == len(messages) + 1
