from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.pressure import ContextPressure, Pressure
from opencollab_nb.request import Request
from opencollab_nb.tokens.estimate import estimate, weigh
from opencollab_nb.tokens.exact import count_message, encoding_for
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, call, result, system, user

TOOLS = [{"type": "function", "function": {"name": "grep", "description": "word " * 300}}] * 10


def talk(words: int, *, parts: int = 10) -> list:
    return [system(), *(user("word " * (words // parts)) for _ in range(parts))]


def test_before_any_report_the_local_estimate_stands():
    pressure, messages = ContextPressure(200_000), talk(20_000)
    assert pressure.snapshot().tokens(messages) == sum(map(weigh, messages)) == Pressure.of().tokens(messages)
    assert (pressure.source, pressure.ratio, pressure.observed) == ("estimated", 1.0, 0)


def test_a_known_encoding_is_counted_and_a_report_makes_it_calibrated():
    pressure, messages = ContextPressure(model="openai/gpt-4o"), talk(20_000)
    encoder = encoding_for("gpt-4o")
    assert pressure.snapshot().tokens(messages) == sum(count_message(m, encoder) for m in messages)
    assert pressure.source == "counted"
    assert pressure.observe(messages, Usage(21_000)) is None
    assert (pressure.source, pressure.snapshot().tokens(messages)) == ("calibrated", 21_000)


def test_an_unknown_model_is_counted_by_o200k_base_and_labelled_estimated():
    pressure = ContextPressure(model="nobody-knows-me")
    assert (pressure.source, pressure.encoder.name) == ("estimated", "o200k_base")


@given(
    st.lists(st.integers(1_500, 30_000), min_size=1, max_size=30),
    st.integers(0, 8),
    st.floats(0.61, 1.59),
)
def test_after_a_report_the_same_request_weighs_exactly_what_was_reported(sizes, tools, ratio):
    pressure = ContextPressure(2_000_000, tools=TOOLS[:tools])
    messages = [user("words and " * (size // 3) + "!" * (size % 7)) for size in sizes]
    reported = round(pressure.snapshot().tokens(messages) * ratio)
    pressure.observe(Request(messages), Usage(reported))
    after = pressure.snapshot()
    assert not pressure.observed or after.tokens(messages) == reported
    assert after.tokens(messages) == after.overhead_tokens + after.weight(messages)
    assert pressure.observed == (reported >= 8_000)


@pytest.mark.parametrize("truth", [0.75, 1.5])
@pytest.mark.parametrize("model", [None, "gpt-4o"])
def test_no_drift_over_200_reports(truth, model):
    """The view grows and is cut back, as by shaping; each prediction is made before its report."""
    pressure = ContextPressure(1_000_000, model=model, tools=TOOLS)
    encoder = encoding_for("gpt-4o")
    measure = (lambda m: count_message(m, encoder)) if model else weigh
    overhead = pressure.overhead_tokens
    dice, messages, worst = random.Random(5), talk(15_000), 0.0
    for step in range(200):
        messages += [
            assistant(None, call(call_id=f"c{step}")),
            result("line of text " * dice.randint(9, 900)),
        ]
        if len(messages) > 120:
            del messages[10:80]
        true_tokens = round(truth * (overhead + sum(map(measure, messages))))
        if step:
            worst = max(worst, abs(pressure.snapshot().tokens(messages) - true_tokens))
        assert pressure.observe(messages, Usage(true_tokens)) is None
        assert pressure.snapshot().tokens(messages) == true_tokens
    assert worst <= 2, "tokens"
    assert pressure.observed == 200
    assert pressure.ratio == pytest.approx(truth, rel=1e-4)


def test_small_reports_do_not_change_the_ratio():
    for window, least in ((200_000, 8_000), (16_000, 5_000)):
        pressure, messages = ContextPressure(window), talk(4_000)
        assert pressure.observe(messages, Usage(least - 1)) is None
        assert (pressure.ratio, pressure.observed, pressure.source) == (1.0, 0, "estimated")
        assert pressure.observe(messages, Usage(least)) is None
        assert (pressure.observed, pressure.source) == (1, "calibrated")


def test_fault_66_tool_schemas_are_part_of_the_overhead():
    pressure = ContextPressure(200_000, tools=TOOLS)
    assert pressure.snapshot().overhead_tokens >= 10 * estimate("word " * 300)
    assert pressure.snapshot().tokens([]) == pressure.overhead_tokens
    before, messages = pressure.overhead_tokens, talk(20_000)
    pressure.observe(messages, Usage(round(pressure.snapshot().tokens(messages) * 1.5)))
    assert pressure.snapshot().tokens([]) == round(before * 1.5)


def test_faults_68_69_the_same_report_twice_changes_nothing_and_a_smaller_view_weighs_less_at_once():
    pressure, messages = ContextPressure(200_000), talk(90_000)
    pressure.observe(messages, Usage(120_000))
    state = pressure.to_dict()
    pressure.observe(messages, Usage(120_000))
    assert pressure.to_dict() == {**state, "observed": 2}
    assert pressure.snapshot().tokens(messages[:2]) < 15_000


def test_a_window_learnt_from_a_refusal_is_kept():
    pressure = ContextPressure(65_000, model="gpt-4o")
    pressure.learn(8_192)
    assert (pressure.window, pressure.window_source) == (8_192, "learnt")
    assert pressure.snapshot().trigger == 5_120
    with pytest.raises(ValueError, match="window 12:"):
        pressure.learn(12)


def test_a_snapshot_stays_what_it_was():
    pressure, messages = ContextPressure(200_000), talk(20_000)
    before = pressure.snapshot()
    total = before.tokens(messages)
    pressure.observe(messages, Usage(2 * total))
    assert before.tokens(messages) == total != pressure.snapshot().tokens(messages)
    assert pressure.snapshot(forced=True) == replace(pressure.snapshot(), forced=True)
