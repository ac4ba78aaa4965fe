from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.pressure import Pressure
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.weights import Weights
from tests.build import user


def ten(message: object) -> int:
    return 10


def fill(tokens: int) -> list:
    return [user(str(n)) for n in range(tokens // 10)]


def test_over_compares_with_the_trigger_and_inside_a_round_with_the_target():
    pressure = Pressure.of(16_000, weigh=ten)
    at_trigger, over_trigger, at_target = fill(10_000), fill(10_010), fill(7_500)
    assert (pressure.over(at_trigger), pressure.over(over_trigger)) == (False, True)
    inside = pressure.in_round()
    assert (inside.over(at_trigger), inside.over(at_target)) == (True, False)
    assert (pressure.limit, inside.limit) == (10_000, 7_500)


def test_forced_is_always_over():
    pressure = Pressure.of(16_000, weigh=ten, forced=True)
    assert pressure.forced
    assert pressure.over([])
    assert pressure.in_round().over([])
    assert pressure.limit == pressure.target


def test_tokens_are_overhead_and_weights_and_weight_is_without_overhead():
    pressure = Pressure.of(16_000, weigh=ten, overhead_tokens=300)
    assert (pressure.tokens(fill(50)), pressure.weight(fill(50)), pressure.tokens([])) == (350, 50, 300)


def test_a_pressure_is_a_value():
    pressure = Pressure.of(16_000)
    with pytest.raises(FrozenInstanceError):
        pressure.target = 1
    assert pressure == Pressure.of(16_000) != pressure.in_round()
    assert pressure.in_round() is not pressure
    assert pressure.in_round().in_round() == pressure.in_round()
    assert "weigh" not in repr(pressure)


def test_any_measure_of_a_message_will_do():
    assert Pressure.of(16_000, weigh=ten).weigh({"role": "user"}) == 10
    assert Pressure(16_000, 10_000, 7_500, weigh=ten).tokens(fill(70)) == 70
    weights = Weights(ten)
    assert Pressure.of(16_000, weigh=weights).weigh is weights
    message = user("the local estimate")
    assert Pressure.of().weigh(message) == weigh(message)


def test_a_known_total_is_not_added_up_again():
    counted = []
    pressure = Pressure.of(16_000, weigh=lambda message: counted.append(message) or 1)
    messages = fill(1_000)
    assert pressure.knowing(messages, 77).tokens(messages) == 77
    assert pressure.knowing(messages, 77).in_round().tokens(messages) == 77
    assert counted == []
    assert pressure.knowing(messages, 77).tokens(list(messages)) == len(messages)


@given(st.integers(0, 3_000))
def test_after_a_refusal_at_most_half_of_what_was_refused_is_aimed_at(count):
    messages = [user(str(n)) for n in range(count)]
    pressure = Pressure.of(16_000, weigh=ten).after_refusal(messages)
    assert pressure.forced
    assert 0 < pressure.target <= max(1, 5 * count)
    assert pressure.target <= 7_500


@given(st.lists(st.integers(0, 500)), st.integers(0, 100))
def test_tokens_are_additive(weights, overhead):
    pressure = Pressure.of(16_000, weigh=lambda m: m["content"], overhead_tokens=overhead)
    messages = [user(w) for w in weights]
    assert (
        pressure.tokens(messages) == overhead + sum(weights) == overhead + sum(map(pressure.weigh, messages))
    )
