from __future__ import annotations

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.pressure import ContextPressure
from opencollab_nb.tokens.usage import Usage
from tests.build import user


def talk(tokens: int) -> list:
    """Messages that weigh about so many tokens by the local estimate."""
    return [user("word " * 600) for _ in range(tokens // 1_004)]


def calibrated(at: int = 50_000) -> ContextPressure:
    pressure = ContextPressure(200_000)
    pressure.observe(talk(at), Usage(at))
    assert pressure.observed == 1
    return pressure


def refused(pressure: ContextPressure, messages: list, usage: Usage | None, why: str) -> None:
    before = pressure.snapshot(), pressure.ratio, pressure.observed
    assert why in pressure.observe(messages, usage)
    assert (pressure.snapshot(), pressure.ratio, pressure.observed) == before


@pytest.mark.parametrize("usage", [None, Usage(), Usage(output_tokens=40), Usage(input_tokens=-1)])
def test_fault_65_a_missing_or_zero_report_leaves_the_estimate(usage):
    refused(ContextPressure(200_000), talk(50_000), usage, "no input tokens")
    refused(calibrated(), talk(50_000), usage, "no input tokens")


@pytest.mark.parametrize("reported", [1, 2_048, 4_096, 16_000])
def test_a_prompt_that_the_server_cut_in_silence_is_noticed(reported):
    refused(ContextPressure(200_000), talk(50_000), Usage(reported), "cut the prompt in silence")
    refused(calibrated(), talk(60_000), Usage(reported), "cut the prompt in silence")


def test_a_server_that_cuts_ever_more_is_noticed_though_each_step_is_small():
    pressure = ContextPressure(200_000)
    for tokens in range(10_000, 60_000, 1_000):
        pressure.observe(talk(tokens), Usage(min(tokens, 16_384)))
    assert pressure.snapshot().tokens(talk(60_000)) > 50_000


def test_fault_63_a_sum_over_several_calls_is_not_used():
    pressure = calibrated(50_000)
    refused(pressure, talk(60_000), Usage(110_000), "a sum over several calls")
    refused(pressure, talk(70_000), Usage(180_000), "a sum over several calls")
    refused(ContextPressure(200_000), talk(10_000), Usage(90_000), "a sum over several calls")
    assert pressure.observe(talk(70_000), Usage(70_000)) is None


def test_a_jump_that_comes_back_the_same_is_believed():
    """Another model behind the same name may count 1.8 times what the first one did."""
    pressure = calibrated(50_000)
    refused(pressure, talk(60_000), Usage(108_000), "a sum over several calls")
    assert pressure.observe(talk(62_000), Usage(111_600)) is None
    assert pressure.ratio == pytest.approx(1.8, rel=0.05)


def test_a_first_report_that_was_too_high_is_corrected_by_the_next():
    pressure = ContextPressure(200_000)
    pressure.observe(talk(50_000), Usage(150_000))
    assert pressure.observe(talk(52_000), Usage(52_000)) is None
    assert pressure.ratio == pytest.approx(1.0, rel=0.05)


def test_small_requests_raise_no_alarm():
    pressure = ContextPressure(200_000)
    assert pressure.observe(talk(2_000), Usage(300)) is None
    assert pressure.observe([], Usage(9_000)) is None
    assert pressure.observed == 0


@pytest.mark.parametrize("reported", [10**9, 100_000])
def test_a_report_that_no_tokenizer_gives_is_never_used_though_it_comes_again(reported: int) -> None:
    pressure = ContextPressure(16_000)
    messages = [user("word " * 12_000)]
    for _ in range(5):
        assert "this report is not used" in (pressure.observe(messages, Usage(reported)) or "")
    assert (pressure.ratio, pressure.source) == (1.0, "estimated")


def test_a_report_may_be_a_mapping_and_another_form_is_refused_by_value() -> None:
    pressure = ContextPressure(200_000)
    messages = [user("word " * 12_000)]
    assert pressure.observe(messages, {"input_tokens": 15_000}) is None
    assert pressure.snapshot().tokens(messages) == 15_000
    with pytest.raises(UsageProblem, match="'many'"):
        pressure.observe(messages, {"input_tokens": "many"})


def test_a_pressure_shows_itself_in_one_line() -> None:
    assert repr(ContextPressure(16_000)) == (
        "ContextPressure(window 16,000 tokens (argument), trigger 10,000, target 7,500, "
        "estimated, ratio 1.000 by 0 reports)"
    )
    assert "window unknown, trigger 120,000" in repr(ContextPressure())
