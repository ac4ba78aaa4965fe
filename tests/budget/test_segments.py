"""Segment compaction: each closed stretch between milestones gets a summary of its own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opencollab_nb.budget.anchors import Anchor, anchor_message
from opencollab_nb.budget.segments import SegmentCompactShaper
from opencollab_nb.errors import LayerDeclined
from opencollab_nb.messages import Message, Messages, covers_of, id_of, is_pinned, text_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    AutoCompactShaper,
    Projection,
    ShaperPipeline,
    Summary,
    SummaryRequest,
    check_shaper,
)
from opencollab_nb.shaping.check import broken_laws
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, numbered, system, task
from tests.shaping.strategies import pressures, transcripts
from tests.shaping.summarizers import Counting, first_words

WINDOW = 16_000
ROUND = Pressure.of(WINDOW).in_round()


def milestone(number: int) -> Message:
    return anchor_message(Anchor("milestones", f"part {number}: tests", number))


def work(segments: int, words: int = 1_500, groups: int = 3, still_open: int = 2) -> Messages:
    out = [system(), task()]
    for number in range(segments):
        out += [assistant(f"part {number} " + "word " * words) for _ in range(groups)]
        out.append(milestone(number))
    return numbered([*out, *(assistant("now " + "word " * words) for _ in range(still_open))])


def summaries(messages: Messages) -> list[list[list[int]]]:
    return [covers_of(m) for m in messages if covers_of(m)]


def shaper(summarizer: object = first_words, keep: int = 1) -> SegmentCompactShaper:
    return SegmentCompactShaper(summarizer, keep_recent_groups=keep)  # type: ignore[arg-type]


def test_old_segments_give_way_oldest_first_and_only_as_many_as_needed() -> None:
    messages = work(4, words=800)
    after = shaper().shape(messages, ROUND)
    spans = summaries(after)
    assert spans == [[[2, 4]], [[6, 8]], [[10, 12]]]
    assert not ROUND.over(after)


def test_a_segment_is_what_a_milestone_ends_and_the_open_one_stays() -> None:
    messages = work(2, still_open=6)
    after = shaper().shape(messages, ROUND)
    assert summaries(after) == [[[2, 4]], [[6, 8]]]
    assert [m for m in after if text_of(m).startswith("now")] == messages[-6:]
    assert [m for m in after if is_pinned(m)] == [m for m in messages if is_pinned(m)]


def test_each_summary_is_made_of_its_own_segment_alone() -> None:
    counting = Counting()
    shaper(counting).shape(work(2, still_open=6), ROUND)
    asked = [request.text for request in counting.requests]
    assert len(asked) == 2
    assert "part 0" in asked[0]
    assert "part 1" not in asked[0]
    assert "part 1" in asked[1]
    assert "part 0" not in asked[1]
    assert all(request.former is None for request in counting.requests)
    assert any("part 0: tests" in anchor for anchor in counting.requests[0].anchors)


def test_a_summary_once_made_stays_as_it_is_while_work_goes_on() -> None:
    counting = Counting()
    projection = Projection(ShaperPipeline(shaper(counting)))
    first = projection.project(work(2, still_open=4), Pressure.of(WINDOW)).messages
    more = projection.project(
        work(2, still_open=4) + numbered([milestone(9), *work(3)[2:]], 14), Pressure.of(WINDOW)
    )
    assert [m for m in first if covers_of(m)] == [m for m in more.messages if covers_of(m)][:2]
    assert len(summaries(more.messages)) > 2


def test_an_anchor_that_is_not_pinned_ends_no_segment() -> None:
    messages = [{**m, "meta": {**m["meta"], "priority": 0}} for m in work(3)]
    assert shaper().shape(messages, ROUND) is messages


def test_without_a_summarizer_or_under_the_limit_the_same_object_comes_back() -> None:
    messages = work(4)
    assert SegmentCompactShaper().shape(messages, ROUND) is messages
    assert shaper().shape(messages, Pressure.of(400_000)) is messages


def test_a_refused_segment_is_left_and_the_next_one_is_tried() -> None:
    def fails_on_the_first(request: SummaryRequest) -> str:
        if "part 0" in request.text:
            raise RuntimeError("rate limit")
        return "They worked."

    after = shaper(fails_on_the_first).shape(work(2, still_open=6), ROUND)
    assert summaries(after) == [[[6, 8]]]


def test_where_every_segment_is_refused_the_reason_is_told_once() -> None:
    with pytest.raises(LayerDeclined, match="no text"):
        shaper(lambda request: "").compact(work(3), ROUND)


def test_the_usage_of_all_calls_is_told_together() -> None:
    done = shaper(lambda request: Summary("They worked.", Usage(100, 0, 10))).compact(
        work(2, still_open=6), ROUND
    )
    assert done.summary is not None
    assert done.summary.usage == Usage(200, 0, 20)


def test_one_summary_has_at_most_an_eighth_of_the_target() -> None:
    with pytest.raises(LayerDeclined, match="an eighth of the target"):
        shaper(lambda request: "word " * 1_000).compact(work(2, still_open=6), ROUND)


def test_the_one_behind_it_joins_the_summaries() -> None:
    chain = ShaperPipeline(shaper(), AutoCompactShaper(first_words, keep_recent_groups=1))
    messages = work(60, words=60, groups=8, still_open=30)
    after = chain.shape(messages, Pressure.of(4_000))
    assert len(summaries(after)) == 1


def test_a_session_s_chain_gets_its_summarizer_there_too() -> None:
    chain = ShaperPipeline(SegmentCompactShaper(), AutoCompactShaper()).with_summarizer(first_words)
    assert [s.summarizer for s in chain.shapers] == [first_words, first_words]  # type: ignore[attr-defined]


@st.composite
def with_milestones(draw: st.DrawFn) -> tuple[Messages, Pressure]:
    out: Messages = []
    for number in range(draw(st.integers(1, 4))):
        part = draw(transcripts())
        start = 0 if number == 0 else sum(m["role"] in ("system", "developer") for m in part)
        out += [*part[start:], milestone(number)]
    messages = numbered([*out, *draw(transcripts())[1:]])
    return messages, draw(pressures(messages))


@pytest.mark.parametrize("keep", [1, 4])
@given(case=with_milestones())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_all_laws_hold_where_there_are_segments(keep: int, case: tuple[Messages, Pressure]) -> None:
    messages, pressure = case
    assert broken_laws(shaper(keep=keep), messages, pressure) == {}


def test_all_laws_hold_on_the_seeded_samples() -> None:
    report = check_shaper(shaper(), examples=60, transcripts=[work(4), work(2, still_open=6)])
    assert report, report


def test_nothing_of_a_milestone_is_ever_changed_or_covered() -> None:
    messages = work(5)
    after = shaper().shape(messages, ROUND.after_refusal(messages))
    marks = {id_of(m): m for m in messages if is_pinned(m)}
    assert {id_of(m): m for m in after if id_of(m) in marks} == marks
    assert all(wire(m) == wire(marks[id_of(m)]) for m in after if id_of(m) in marks)
