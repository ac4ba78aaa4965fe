from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import UsageProblem
from opencollab_nb.pressure import Pressure, history_trigger_target
from opencollab_nb.pressure.limits import reply_limit

windows = st.integers(1_024, 2_000_000)
replies = st.integers(0, 500_000)


@pytest.mark.parametrize(
    ("window", "limits"),
    [
        (None, (120_000, 90_000)),
        (1_024, (640, 480)),
        (8_192, (5_120, 3_840)),
        (16_000, (10_000, 7_500)),
        (128_000, (95_000, 71_250)),
        (200_000, (167_000, 125_250)),
        (1_000_000, (967_000, 725_250)),
    ],
)
def test_well_known_windows(window, limits):
    assert history_trigger_target(window) == limits


@given(windows, replies)
def test_target_is_below_trigger_is_below_window(window, reply):
    trigger, target = history_trigger_target(window, max_output_tokens=reply)
    assert 0 < target < trigger < window


@given(windows, replies, st.integers(1, 2_000))
def test_limits_never_fall_as_the_window_grows(window, reply, more):
    small = history_trigger_target(window, max_output_tokens=reply)
    large = history_trigger_target(window + more, max_output_tokens=reply)
    assert small[0] <= large[0]
    assert small[1] <= large[1]


@given(windows)
def test_limits_are_computed_exactly_and_floored_once(window):
    reserve = min(Fraction(20_000), Fraction(window, 4))
    effective = window - reserve - min(Fraction(13_000), Fraction(window, 8))
    assert history_trigger_target(window) == (floor(effective), floor(effective * Fraction(3, 4)))


@given(windows, replies)
def test_fault_74_the_reserve_covers_the_reply_up_to_half_the_window(window, reply):
    trigger, _ = history_trigger_target(window, max_output_tokens=reply)
    assert trigger + reply_limit(window, reply) < window


@pytest.mark.parametrize("window", [1_023, 0, -5, True, False, 16_000.0, 1e6, "16k", float("nan")])
def test_what_is_no_window_is_refused_by_name(window):
    for refused in (history_trigger_target, Pressure.of):
        with pytest.raises(ValueError, match="window") as problem:
            refused(window)
        assert repr(window) in str(problem.value)
        assert isinstance(problem.value, UsageProblem)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_output_tokens": -1},
        {"max_output_tokens": True},
        {"target_ratio": 0},
        {"target_ratio": 1},
        {"target_ratio": 75},
        {"target_ratio": True},
        {"target_ratio": float("nan")},
        {"target_ratio": "0.75"},
        {"reserve_tokens": -1},
        {"reserve_tokens": 1.5},
        {"buffer_tokens": False},
        {"overhead_tokens": -3},
        {"overhead_tokens": True},
    ],
)
def test_wrong_numbers_are_refused_by_name(wrong):
    (name, value) = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=name) as problem:
        Pressure.of(200_000, **wrong)
    assert repr(value) in str(problem.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"reserve_tokens": 16_000},
        {"reserve_tokens": 10_000, "buffer_tokens": 6_000},
        {"reserve_tokens": 0, "buffer_tokens": 0},
        {"target_ratio": 1e-9},
    ],
)
def test_limits_that_leave_nothing_to_fill_are_refused(wrong):
    with pytest.raises(ValueError, match="0 < target < trigger < window"):
        Pressure.of(16_000, **wrong)


def test_overrides_take_the_place_of_the_computed_numbers():
    pressure = Pressure.of(100_000, reserve_tokens=10_000, buffer_tokens=0, target_ratio=0.5)
    assert (pressure.trigger, pressure.target) == (90_000, 45_000)
    assert Pressure.of(None, target_ratio=0.5).target == 60_000
    assert Pressure.of(100_000, target_ratio=0.7).target == 47_250


def test_whole_numbers_of_other_types_are_taken():
    pressure = Pressure.of(np.int64(16_000))
    assert (type(pressure.window), pressure) == (int, Pressure.of(16_000))
