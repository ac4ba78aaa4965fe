"""Prices: those given, or those that are known of a model."""

from __future__ import annotations

import pytest

from opencollab_nb.budget.prices import Prices, known_prices, prices_of
from opencollab_nb.errors import UsageProblem


def test_prices_of_a_known_model_tell_cached_input_apart() -> None:
    prices = known_prices("gpt-4o")
    assert prices is not None
    assert 0 < prices.cached < prices.input < prices.output
    assert prices.source.startswith("genai-prices, openai/")
    expected = (600_000 * prices.input + 400_000 * prices.cached + 1_000 * prices.output) / 1_000_000
    assert prices.of(1_000_000, 400_000, 1_000) == pytest.approx(expected)
    assert known_prices("openai/gpt-4o") is not None


def test_a_model_with_a_rate_for_long_requests_is_billed_by_it() -> None:
    prices = known_prices("gemini-2.5-pro")
    assert prices is not None
    assert prices.of(400_000, 0, 0) > 400_000 * prices.input / 1_000_000


def test_what_is_not_known_is_none_unless_it_was_asked_for() -> None:
    assert prices_of(None, "simulated") is None
    assert prices_of(None, None) is None
    with pytest.raises(UsageProblem, match="no prices of 'simulated' are known: give another model's name"):
        prices_of("simulated")


def test_given_prices_come_before_those_of_the_model() -> None:
    assert prices_of({"input": 1, "output": 2}, "gpt-4o") == Prices(1, 1, 2)
    own = Prices(1, 0.5, 2)
    assert prices_of(own, "gpt-4o") is own


@pytest.mark.parametrize("wrong", [True, -1, float("nan"), float("inf"), "1", None])
def test_a_price_is_a_number_from_zero_up(wrong: object) -> None:
    with pytest.raises(UsageProblem, match="price 'cached'"):
        Prices(1, wrong, 1)  # type: ignore[arg-type]
