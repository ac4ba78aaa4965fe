"""Whatever a provider reports, the weights stay within stated bounds, and it is said what is trusted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.pressure import ContextPressure
from opencollab_nb.tokens.usage import Usage
from tests.build import user
from tests.pressure.lies import LIES, run

LEAST, MOST = 0.4, 4.0
"""Of our own measure: the bounds for every report there can be."""
TRUTHS = (0.75, 1.0, 1.5)
# Predicted / true tokens, the worst of three tokenizers and five runs: lied to from the first report on, and
# after 20 honest ones. What is lower than 1 lets a request grow too long, which an overflow then corrects;
# what is higher shortens too early.
BOUNDS = {
    "honest": ((0.99, 1.34), (0.99, 1.01)),
    "missing": ((0.66, 1.34), (0.99, 1.01)),
    "zero": ((0.66, 1.34), (0.99, 1.01)),
    "halved": ((0.49, 1.34), (0.49, 1.01)),
    "doubled": ((0.66, 2.01), (0.99, 2.01)),
    "cumulative": ((0.99, 5.34), (0.99, 2.6)),
    "without_the_cached_part": ((0.99, 1.34), (0.99, 1.01)),
    "loop_at_the_server": ((0.66, 5.34), (0.99, 5.34)),
    "now_and_then_halved": ((0.49, 1.34), (0.49, 1.01)),
    "anything": ((0.26, 5.34), (0.26, 5.34)),
}


@pytest.mark.parametrize("honest_steps", [0, 20])
@pytest.mark.parametrize("name", BOUNDS)
def test_under_a_lie_the_prediction_stays_within_its_bounds(name: str, honest_steps: int) -> None:
    low, high = BOUNDS[name][honest_steps > 0]
    for truth in TRUTHS:
        for seed in range(5):
            told = list(run(LIES[name], truth, honest_steps=honest_steps, seed=seed))
            for ratio, pressure, _ in told[honest_steps:]:
                assert low <= ratio <= high, (truth, seed)
                assert LEAST <= pressure.ratio <= MOST, (truth, seed)


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_what_is_trusted_is_said(name: str) -> None:
    for _, pressure, said in run(LIES[name], 1.0, honest_steps=0, steps=60):
        assert pressure.source == ("calibrated" if pressure.observed else "estimated")
        assert f"by {pressure.observed} reports" in repr(pressure)
        assert said is None or "not used" in said or "stay as they were" in said


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(-10, 10**7)), max_size=40))
def test_no_reports_at_all_take_the_weights_out_of_bounds(reports: list[tuple[int, int]]) -> None:
    pressure = ContextPressure(100_000)
    message = user("word " * 3_000)
    for count, reported in reports:
        pressure.observe([message] * count, Usage(reported))
        # The overhead is a whole number of tokens, so the ratio of the rest may be off by a token's worth.
        assert LEAST * 0.999 <= pressure.ratio <= MOST * 1.001


def test_a_sum_that_grows_with_every_call_never_creeps_in() -> None:
    """Each is little more than the one before, so that none alone looks out of place."""
    pressure, messages = ContextPressure(100_000), [user("word " * 12_000)]
    measured = pressure.snapshot().tokens(messages)
    for tenth in range(10, 200):
        pressure.observe(messages, Usage(measured * tenth // 10))
    assert pressure.ratio <= MOST


def test_a_first_report_of_more_than_any_usual_tokenizer_gives_waits_for_a_second_that_says_the_same() -> (
    None
):
    pressure, messages = ContextPressure(100_000), [user("word " * 12_000)]
    measured = pressure.snapshot().tokens(messages)
    assert "not used" in (pressure.observe(messages, Usage(measured * 3)) or "")
    assert pressure.observe(messages, Usage(measured * 3)) is None
    assert pressure.ratio == pytest.approx(3, rel=0.01)
