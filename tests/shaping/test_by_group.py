"""What a shaper remembers of the last list changes nothing of what it makes of the next one."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    Projection,
    ShaperPipeline,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
    default_pipeline,
    groups,
)
from opencollab_nb.shaping.by_group import ByGroup, common_start
from opencollab_nb.shaping.kept import Kept
from tests.build import assistant, call, numbered, result, task, tool_step, user
from tests.shaping.generate import mixed
from tests.shaping.strategies import transcripts

SHAPERS: tuple[Any, ...] = (
    ToolResultBudgetShaper(400),
    ToolOutputClearShaper(keep_recent=2),
    ToolOutputClearShaper(keep_recent=1, clear_at_least=300),
    EagerToolOutputClearShaper(keep_recent=1),
    OldHistorySnipShaper(keep_recent_groups=1),
)
RATIOS = (1.0, 0.7, 1.31, 0.93)


def anew(shaper: Any) -> Any:
    """The same shaper, which remembers nothing."""
    return replace(shaper)


@settings(max_examples=60, deadline=None)
@given(st.lists(transcripts(), min_size=1, max_size=3), st.data())
def test_a_shaper_used_before_gives_what_a_new_one_gives(lists: list[Messages], data: Any) -> None:
    shapers = [anew(shaper) for shaper in SHAPERS]
    for _ in range(6):
        messages = data.draw(st.sampled_from(lists))
        messages = messages[: data.draw(st.integers(0, len(messages)))]
        pressure = Pressure.of(data.draw(st.sampled_from((1_024, 4_000, 60_000))))
        pressure = replace(pressure, weigh=pressure.weigh.scaled(data.draw(st.sampled_from(RATIOS))))
        pressure = data.draw(st.sampled_from((pressure, pressure.in_round(), replace(pressure, forced=True))))
        for shaper in shapers:
            assert shaper.shape(messages, pressure) == anew(shaper).shape(messages, pressure)


def test_a_list_that_the_caller_goes_on_to_append_to_is_read_to_its_end() -> None:
    known: ByGroup[int] = ByGroup()
    messages = numbered([task(), assistant(None, call("f", call_id="a"))])
    assert [group.open for group in known.of(messages, id).groups] == [False, True]
    messages.append(result("ok", "a", id=2))
    assert known.of(messages, id).groups == list(groups(messages))
    messages.append(result("stray", "b", id=3))
    assert known.of(messages, id).groups == list(groups(messages))
    assert known.of(messages[:1], id).groups == list(groups(messages[:1]))


def test_equal_copies_are_other_messages() -> None:
    known: ByGroup[int] = ByGroup()
    messages = numbered([task(), *tool_step(1), *tool_step(2)])
    known.of(messages, id)
    copies = copy.deepcopy(messages)
    told = known.of(copies, id)
    assert all(a is b for a, b in zip((m for g in told.groups for m in g.messages), copies, strict=True))
    assert common_start(messages, copies) == 0


def test_facts_of_another_key_are_read_anew() -> None:
    known: ByGroup[str] = ByGroup()
    messages = numbered([task(), user("more"), user("and more")])
    assert known.of(messages, lambda group: "old", key=1).facts == ["old"] * 3
    assert known.of(messages, lambda group: "new", key=2).facts == ["new"] * 3
    assert known.of(messages, lambda group: "newest", key=2).facts == ["new", "new", "newest"]


def test_only_the_new_groups_of_a_growing_list_are_read() -> None:
    known: ByGroup[None] = ByGroup()
    seen: list[int] = []
    messages = numbered([task(), *(m for k in range(200) for m in tool_step(k))])
    for end in range(1, len(messages) + 1):
        known.of(messages[:end], lambda group: seen.append(group.start))
    assert len(seen) <= 2 * len(messages), "the last group is read once more each time"


def test_what_is_cut_in_the_same_way_is_the_same_object_and_under_other_limits_another() -> None:
    shaper, long = ToolResultBudgetShaper(400), "line " * 500
    messages = numbered([task(), *tool_step(1, long), *tool_step(2, long)])
    first, second = (shaper.shape(list(messages), Pressure.of(16_000)) for _ in range(2))
    assert first is not second
    assert all(a is b for a, b in zip(first, second, strict=True))
    assert len(shaper.shape(messages, Pressure.of(1_024))[2]["content"]) <= 400
    kept = Kept()
    cut: Any = kept.rewritten([(messages[2], 5)], lambda m, chars: {**m, "content": m["content"][:chars]})
    other: Any = kept.rewritten([(messages[2], 9)], lambda m, chars: {**m, "content": m["content"][:chars]})
    assert (len(cut[0]["content"]), len(other[0]["content"])) == (5, 9)


@pytest.mark.parametrize("window", [2_000, 12_000, 60_000])
@pytest.mark.parametrize("chain", ["default", "eager", "twice"])
def test_stateless_projection_is_what_the_chain_makes_of_the_whole_transcript(
    chain: str, window: int
) -> None:
    eager = ShaperPipeline(ToolResultBudgetShaper(), EagerToolOutputClearShaper())
    twice = ShaperPipeline(ToolOutputClearShaper(1), ToolResultBudgetShaper(900), ToolOutputClearShaper(0))
    pipeline = {"default": default_pipeline(), "eager": eager, "twice": twice}[chain]
    projection, messages = Projection(pipeline, "stateless"), numbered([task(), *mixed(60)])
    plain = Pressure.of(window)
    for end in range(1, len(messages) + 1, 3):
        limits = replace(plain, weigh=plain.weigh.scaled(RATIOS[end % len(RATIOS)]))
        got = projection.project(messages[:end], limits)
        fresh = ShaperPipeline(*map(anew, pipeline.shapers))
        slow = Projection(fresh, "stateless").project(messages[:end], limits)
        assert (got.messages, got.tokens) == (slow.messages, slow.tokens)
        assert [replace(r, seconds=0) for r in got.reports] == [replace(r, seconds=0) for r in slow.reports]
