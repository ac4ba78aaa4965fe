"""Compact: old groups give way to one summary."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opencollab_nb.errors import LayerDeclined, Overflow
from opencollab_nb.messages import Messages, covers_of, id_of, ids_of, is_pinned
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import AutoCompactShaper, Summary, SummaryRequest
from opencollab_nb.shaping.summary import summary_message
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, call, numbered, result, system, task, user
from tests.shaping.generate import talk
from tests.shaping.summarizers import Counting

PRESSURE = Pressure.of(16_000)
HEAD = numbered([system(), task()])
LONG = [*HEAD, *talk(100)]


def compact(answer: Callable[[SummaryRequest], str | Summary], messages: Messages = LONG) -> Messages:
    return AutoCompactShaper(answer).compact(messages, PRESSURE).messages


def test_without_a_summarizer_or_under_the_limit_the_same_object_comes_back() -> None:
    assert AutoCompactShaper().shape(LONG, PRESSURE) is LONG
    assert AutoCompactShaper(Counting()).shape(LONG, Pressure.of(200_000)) is LONG


def test_old_groups_become_one_summary_between_head_and_protected_tail() -> None:
    after = compact(lambda request: "They talked.")
    assert ids_of(after) == [0, 1, 98, 99, 100, 101]
    summary = after[2]
    assert summary["role"] == "user"
    assert covers_of(summary) == [[2, 97]]
    assert id_of(summary) is None


def test_pinned_messages_stay_where_they_are_and_one_summary_covers_both_sides() -> None:
    pinned = [{**m, "meta": {**m["meta"], "priority": 85}} if m["meta"]["id"] == 40 else m for m in LONG]
    after = compact(lambda request: "They talked.", pinned)
    assert covers_of(after[2]) == [[2, 39], [41, 97]]
    assert id_of(after[3]) == 40
    assert is_pinned(after[3])
    assert len([m for m in after if covers_of(m)]) == 1


def test_a_former_summary_is_handed_on_and_replaced() -> None:
    counting = Counting()
    shaper = AutoCompactShaper(counting)
    more = [*shaper.shape(LONG, PRESSURE), *talk(100, 102)]
    after = shaper.shape(more, PRESSURE)
    assert counting.requests[1].former == "summary 1: " + counting.requests[0].text[:60]
    assert not any(map(covers_of, counting.requests[1].messages))
    assert [covers_of(m) for m in after if covers_of(m)] == [[[2, 197]]]
    assert "summary of 196 earlier messages" in str(after[2]["content"])


def test_if_only_a_former_summary_is_left_the_same_object_comes_back() -> None:
    messages = [*HEAD, summary_message("s", [[2, 89]]), *talk(4, 90)]
    full = Pressure.of(16_000, overhead_tokens=PRESSURE.trigger)
    assert AutoCompactShaper(Counting()).shape(messages, full) is messages


def test_a_former_summary_after_the_systems_is_not_taken_for_the_task() -> None:
    messages = [HEAD[0], summary_message("s", [[1, 89]]), *talk(100, 90)]
    after = compact(lambda request: f"{request.former} and more", messages)
    assert [covers_of(m) for m in after if covers_of(m)] == [[[1, 185]]]


def test_open_groups_are_not_summarized() -> None:
    waiting = assistant(None, call("bash", {}, "x"), meta_step=1)
    messages = numbered([*HEAD, *talk(3), waiting, *talk(90)])
    after = compact(lambda request: "They talked.", messages)
    assert 5 in ids_of(after)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "no text"),
        (Summary("half", finish_reason="length"), "cut off"),
        (Summary("", finish_reason="tool_calls"), "called a tool"),
        ("word " * 3_000, "a quarter of the target"),
        (7, "needed is a str or a Summary"),
    ],
)
def test_an_answer_that_is_no_summary_is_declined(answer: object, why: str) -> None:
    with pytest.raises(LayerDeclined, match=why):
        compact(lambda request: answer)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("answer", ["", Summary("half", finish_reason="length"), "word " * 3_000, 7])
def test_called_by_itself_a_refused_summary_gives_the_same_object(answer: object) -> None:
    shaper = AutoCompactShaper(lambda request: answer)  # type: ignore[arg-type,return-value]
    assert shaper.shape(LONG, PRESSURE) is LONG


def test_a_summary_longer_than_what_it_stands_for_is_declined() -> None:
    few = [*HEAD, *talk(3, count_words=30), user("x" * 40_000, id=5)]
    with pytest.raises(LayerDeclined, match="less than the 3 messages"):
        AutoCompactShaper(lambda request: "word " * 100, keep_recent_groups=1).compact(few, PRESSURE)


def test_a_summarizer_that_raises_declines_with_its_reason() -> None:
    def fails(request: SummaryRequest) -> str:
        raise TimeoutError("no answer in 60 s")

    with pytest.raises(LayerDeclined, match="TimeoutError: no answer in 60 s"):
        compact(fails)


def test_what_a_refused_summary_cost_travels_with_the_refusal() -> None:
    cost = Usage(900, 0, 50)
    with pytest.raises(LayerDeclined) as caught:
        compact(lambda request: Summary("half", cost, "length"))
    assert isinstance(caught.value.summary, Summary)
    assert caught.value.summary.usage == cost


def test_the_request_says_how_long_the_answer_may_be() -> None:
    counting = Counting()
    AutoCompactShaper(counting).shape(LONG, PRESSURE)
    most = counting.requests[0].max_tokens
    assert PRESSURE.target // 8 < most < PRESSURE.target // 4
    exact = Summary("word " * (3 * most // 5))
    after = compact(lambda request: exact)
    assert PRESSURE.weight([after[2]]) <= PRESSURE.target // 4


def test_the_same_segment_is_summarized_once() -> None:
    counting = Counting()
    shaper = AutoCompactShaper(counting)
    first = shaper.compact(LONG, PRESSURE)
    again = shaper.compact(LONG, PRESSURE)
    assert again.messages == first.messages
    assert counting.calls == 1
    assert first.summary is not None
    assert again.summary is None


def test_a_longer_segment_with_a_known_head_updates_that_summary() -> None:
    counting = Counting()
    shaper = AutoCompactShaper(counting)
    shaper.shape(LONG, PRESSURE)
    shaper.shape([*HEAD, *talk(120)], PRESSURE)
    assert (counting.requests[1].former or "").startswith("summary 1:")
    assert len(counting.requests[1].messages) == 20


def test_another_summarizer_does_not_get_the_first_ones_summaries() -> None:
    first, other = Counting(), Counting()
    first.fingerprint, other.fingerprint = "a", "b"  # type: ignore[attr-defined]
    shaper = AutoCompactShaper(first)
    shaper.shape(LONG, PRESSURE)
    object.__setattr__(shaper, "summarizer", other)
    shaper.shape(LONG, PRESSURE)
    assert other.calls == 1


def test_the_summary_used_longest_ago_is_forgotten_first() -> None:
    counting = Counting()
    shaper = AutoCompactShaper(counting, cache_size=2)
    segments = [[*HEAD, *talk(100, seed=seed)] for seed in (1, 2, 3)]
    for segment in (*segments[:2], segments[0], segments[2], segments[0]):
        shaper.shape(segment, PRESSURE)
    assert counting.calls == 3
    shaper.shape(segments[1], PRESSURE)
    assert counting.calls == 4


def test_a_remembered_summary_too_long_for_a_smaller_window_is_written_anew() -> None:
    asked = []

    def fills(request: SummaryRequest) -> str:
        asked.append(request)
        return "x " * request.max_tokens

    shaper = AutoCompactShaper(fills)
    shaper.shape(LONG, PRESSURE)
    shaper.shape(LONG[:-3], Pressure.of(8_000))
    shaper.shape(LONG, Pressure.of(8_000))
    assert asked[-1].max_tokens < asked[0].max_tokens


def test_a_text_over_the_summarizers_window_goes_in_chunks_and_all_usage_is_summed() -> None:
    requests: list[SummaryRequest] = []

    class Small:
        window = 4_000

        def summarize(self, request: SummaryRequest) -> Summary:
            requests.append(request)
            return Summary(f"part {len(requests)}", Usage(1_000, 10, 5, 1), "stop", "tiny")

    done = AutoCompactShaper(Small()).compact(LONG, PRESSURE)
    assert len(requests) > 3
    assert [r.former for r in requests] == [None, *(f"part {n}" for n in range(1, len(requests)))]
    assert [m for r in requests for m in r.messages] == LONG[2:98]
    assert all(PRESSURE.weight([user(r.text)]) <= 2_000 for r in requests)
    assert done.summary == Summary(
        f"part {len(requests)}", Usage(*(len(requests) * n for n in (1_000, 10, 5, 1))), "stop", "tiny"
    )
    assert done.messages[2]["meta"]["model"] == "tiny"


def test_a_summarizer_that_refuses_the_text_as_too_long_gets_smaller_ones() -> None:
    taken: list[SummaryRequest] = []

    def narrow(request: SummaryRequest) -> str:
        if len(request.text) > 9_000:
            raise Overflow("prompt is too long")
        taken.append(request)
        return f"part {len(taken)}"

    compact(narrow)
    assert [m for r in taken for m in r.messages] == LONG[2:98]


def test_a_summarizer_that_refuses_every_text_declines() -> None:
    def refuses(request: SummaryRequest) -> str:
        raise Overflow("prompt is too long")

    with pytest.raises(LayerDeclined, match="refused even short texts: prompt is too long"):
        compact(refuses)


def test_unnumbered_messages_are_covered_by_their_positions() -> None:
    plain: Messages = [{"role": m["role"], "content": m["content"]} for m in LONG]
    assert covers_of(compact(lambda request: "They talked.", plain)[2]) == [[2, 97]]


def test_a_result_of_the_protected_tail_is_not_in_the_text() -> None:
    counting = Counting()
    tail = numbered([assistant(None, call()), result("SECRET")], 102)
    AutoCompactShaper(counting).shape([*LONG, *tail], PRESSURE)
    assert "SECRET" not in counting.requests[0].text
