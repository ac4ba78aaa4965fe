"""All nine laws, for every shaper of the house, together."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ToolOutputClearShaper, check_shaper, default_pipeline
from opencollab_nb.shaping.check import broken_laws, run
from opencollab_nb.shaping.laws import LAWS
from tests.shaping.shapers import NAMES, all_shapers
from tests.shaping.strategies import cases
from tests.shaping.summarizers import first_words

NUMBERS = range(len(NAMES))


@pytest.mark.parametrize("number", NUMBERS, ids=NAMES)
@given(case=cases())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_shaper_keeps_all_laws(number: int, case: tuple[Messages, Pressure]) -> None:
    messages, pressure = case
    assert broken_laws(all_shapers()[number], messages, pressure) == {}


@pytest.mark.parametrize("number", NUMBERS, ids=NAMES)
def test_the_seeded_samples_say_the_same_without_hypothesis(number: int) -> None:
    report = check_shaper(all_shapers()[number], examples=60, seed=number)
    assert report, report


@given(case=cases())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_chain_run_as_one_shaper_ends_under_the_trigger_or_has_nothing_left_to_do(
    case: tuple[Messages, Pressure],
) -> None:
    messages, pressure = case
    chain = default_pipeline("summarize", summarizer=first_words)
    after = run(chain, messages, pressure)
    assert pressure.tokens(after) <= pressure.trigger or run(chain, after, pressure) is after


def test_the_laws_are_nine() -> None:
    assert len(LAWS) == 9


def test_a_report_reads_well() -> None:
    report = check_shaper(ToolOutputClearShaper(), examples=7)
    assert report
    assert repr(report) == "ToolOutputClearShaper: all 9 laws hold (7 transcripts)"
    page = report._repr_html_()
    assert page.endswith("><p>ToolOutputClearShaper: all 9 laws hold (7 transcripts)</p></div>")
    assert page.count("<") == 4


def test_given_transcripts_are_tried_too() -> None:
    fatal: Messages = [{"role": "user", "content": "please"}, {"role": "assistant", "content": "no"}]

    def drops_no(messages: Messages, pressure: Pressure) -> Messages:
        kept = [m for m in messages if m.get("content") != "no"]
        return kept if len(kept) < len(messages) else messages

    assert check_shaper(drops_no, examples=20)
    report = check_shaper(drops_no, examples=0, transcripts=[fatal])
    assert not report
    assert report.examples == 1
