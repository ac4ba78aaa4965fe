"""Snip: whole old tool groups leave, oldest first."""

from __future__ import annotations

from opencollab_nb.messages import ids_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import OldHistorySnipShaper
from tests.build import assistant, call, numbered, result, system, task, tool_step, user

LONG = "word " * 600
PRESSURE = Pressure.of(16_000)
FORCED = Pressure.of(200_000, forced=True)
STEPS = [m for n in range(14) for m in tool_step(n, LONG)]


def test_the_oldest_groups_leave_until_the_limit_is_kept() -> None:
    messages = numbered([system(), task(), *STEPS])
    shaped = OldHistorySnipShaper().shape(messages, PRESSURE)
    assert PRESSURE.tokens(shaped) <= PRESSURE.trigger < PRESSURE.tokens(shaped) + PRESSURE.weight(STEPS[:2])
    gone = len(messages) - len(shaped)
    assert ids_of(shaped) == [0, 1, *range(2 + gone, 30)]


def test_inside_a_round_the_limit_is_the_target() -> None:
    messages = numbered([system(), task(), *STEPS])
    assert PRESSURE.tokens(OldHistorySnipShaper().shape(messages, PRESSURE.in_round())) <= PRESSURE.target


def test_a_group_leaves_with_the_text_beside_its_calls_and_all_results() -> None:
    calls = [call("bash", {}, f"c{k}") for k in range(3)]
    batch = [assistant("I look around.", *calls), *(result(LONG, f"c{k}") for k in range(3))]
    messages = numbered([system(), task(), *batch, *STEPS[:8]])
    assert ids_of(OldHistorySnipShaper().shape(messages, FORCED)) == [0, 1, *range(6, 14)]


def test_user_and_plain_assistant_text_stay() -> None:
    messages = numbered([task(), *STEPS[:2], user("and this?"), assistant("I see."), *STEPS[2:12]])
    assert ids_of(OldHistorySnipShaper(1).shape(messages, FORCED)) == [0, 3, 4, 13, 14]


def test_pinned_and_open_groups_and_strays_stay() -> None:
    pinned = [assistant(None, call()), result("ok", priority=100)]
    open_group = [assistant(None, call("bash", {}, "x"))]
    messages = numbered([task(), *pinned, *open_group, user("go on"), result("stray", "z"), *STEPS[:4]])
    assert ids_of(OldHistorySnipShaper(1).shape(messages, FORCED)) == [0, 1, 2, 3, 4, 5, 8, 9]


def test_the_newest_groups_stay_as_far_as_they_fit_half_the_target() -> None:
    messages = numbered([system(), task(), *STEPS])
    assert ids_of(OldHistorySnipShaper().shape(messages, FORCED)) == [0, 1, *range(22, 30)]
    small = Pressure.of(6_000, forced=True)
    assert ids_of(OldHistorySnipShaper().shape(messages, small)) == [0, 1, 28, 29]


def test_where_nothing_may_leave_the_same_object_comes_back() -> None:
    messages = numbered([system(), task("x" * 90_000), *STEPS[:2]])
    assert OldHistorySnipShaper().shape(messages, PRESSURE) is messages


def test_calibrated_weights_do_not_leave_a_token_too_many() -> None:
    for ratio in (0.3, 0.77, 1.234):
        pressure = Pressure.of(16_000, weigh=PRESSURE.weigh.scaled(ratio)).in_round()
        messages = numbered(
            [system(), task(), *(m for n in range(400) for m in tool_step(n, "w" * (n % 90)))]
        )
        shaped = OldHistorySnipShaper().shape(messages, pressure)
        assert OldHistorySnipShaper().shape(shaped, pressure) is shaped
