"""A shaper that does not end: the laws are told so, and a summarizer's time is not counted."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline, SummaryRequest, check_shaper
from opencollab_nb.shaping.guarded import TooSlow, within
from opencollab_nb.shaping.held import summarizer_codes
from tests.build import numbered, task, tool_step, user

TALK = numbered([task(), *(m for k in range(6) for m in tool_step(k, "line " * 99))])
TIGHT = Pressure.of(1_024)


def endless(messages: Messages, pressure: Pressure) -> Messages:
    while True:
        time.sleep(0.001)


def test_a_shaper_that_does_not_end_breaks_a_law_and_its_line_is_named() -> None:
    begun = time.monotonic()
    report = check_shaper(endless)
    assert time.monotonic() - begun < 80
    assert not report
    assert list(report.failures) == ["sendable"]
    line = endless.__code__.co_firstlineno
    assert "took over 5 s and was left behind" in repr(report)
    assert any(f"(line {line + k} in endless)" in repr(report) for k in (1, 2))
    assert report.examples == 1
    assert len(report.failures["sendable"].messages) <= 30


def test_in_a_chain_the_layer_is_named() -> None:
    report = check_shaper(ShaperPipeline(endless), examples=1, transcripts=[TALK])
    assert "in endless)" in report.failures["sendable"].why
    assert report.failures["sendable"].why.count("endless") >= 2


def test_one_that_is_slow_on_a_long_transcript_only_is_told_with_a_few_rows() -> None:
    def stops_on_many(messages: Messages, pressure: Pressure) -> Messages:
        while len(messages) > 200:
            time.sleep(0.001)
        return messages

    report = check_shaper(stops_on_many, examples=5, transcripts=[[user("x")] * 900])
    assert "took over 5 s" in report.failures["sendable"].why
    assert 200 < len(report.failures["sendable"].messages) < 900
    assert "more messages" in repr(report)
    assert "more messages" in report._repr_html_()
    assert len(repr(report).splitlines()) < 80


def test_a_failing_one_is_still_told_with_its_line() -> None:
    def raises(messages: Messages, pressure: Pressure) -> Messages:
        raise KeyError("nothing")

    report = check_shaper(raises, examples=3)
    assert f"line {raises.__code__.co_firstlineno + 1} of raises" in report.failures["sendable"].why


def slow_summary(request: SummaryRequest) -> str:
    time.sleep(0.9)
    return "They worked."


@dataclass(frozen=True)
class Compacts:
    """Asks the summarizer that it holds, as a plain function."""

    my_summarizer: Any = slow_summary
    keep: int = 2

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        asked = getattr(self.my_summarizer, "summarize", self.my_summarizer)
        asked(SummaryRequest("text", messages))
        return messages


class Speaks:
    """A summarizer that is an object."""

    def summarize(self, request: SummaryRequest) -> str:
        return slow_summary(request)


class IsCalled:
    """One that is called."""

    def __call__(self, request: SummaryRequest) -> str:
        time.sleep(0.9)
        return "short"


@pytest.mark.parametrize(
    "held", [slow_summary, partial(slow_summary), Speaks(), IsCalled(), lambda request: slow_summary(request)]
)
def test_time_in_a_summarizer_that_a_shaper_holds_is_not_the_shaper_s(held: Any) -> None:
    shaper = Compacts(held)
    codes = summarizer_codes([shaper])
    assert codes
    shaped = within(lambda: shaper.shape(TALK, TIGHT), 0.5, codes)
    assert shaped is TALK
    with pytest.raises(TooSlow):
        within(lambda: shaper.shape(TALK, TIGHT), 0.3)


def test_time_beside_the_summarizer_counts() -> None:
    def dawdles() -> None:
        slow_summary(SummaryRequest("text", []))
        time.sleep(1.5)

    with pytest.raises(TooSlow, match="in dawdles"):
        within(dawdles, 0.5, frozenset([slow_summary.__code__]))


def six_seconds(request: SummaryRequest) -> str:
    time.sleep(6)
    return "They worked."


def test_in_a_chain_a_slow_summarizer_ends_no_shaper() -> None:
    shaper = Compacts(six_seconds)
    _, [report] = ShaperPipeline(shaper).report(list(TALK), TIGHT)
    assert report.problem is None
    assert report.seconds > 5.9


def test_the_summarizers_of_the_whole_chain_are_known_behind_what_books_them() -> None:
    @dataclass
    class Booked:
        summarizer: Any

        def summarize(self, request: SummaryRequest) -> str:
            return str(self.summarizer(request))

    codes = summarizer_codes([Compacts(None), AutoCompactShaper(Booked(slow_summary)), endless])
    assert codes == {Booked.summarize.__code__, slow_summary.__code__}
