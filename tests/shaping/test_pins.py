"""Pins: whole groups come back at once, at their place, and no round takes them until they are unpinned."""

from __future__ import annotations

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages, covers_of, each, id_of, ids_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, default_pipeline
from opencollab_nb.shaping.laws import paired
from opencollab_nb.shaping.place import place
from tests.build import assistant, call, numbered, result, system, task
from tests.shaping.generate import session, talk
from tests.shaping.summarizers import Counting
from tests.shaping.test_projection import HEAD, PRESSURE, feed


def covered(messages: Messages) -> list[int]:
    return [i for m in messages for i in each(covers_of(m))]


def compacted(count: int = 200) -> tuple[Projection, Messages, Counting]:
    summarizer = Counting()
    projection = Projection(default_pipeline(summarizer=summarizer))
    messages = [*HEAD, *talk(count)]
    feed(projection, messages)
    return projection, messages, summarizer


def test_a_pinned_message_comes_back_word_for_word_at_its_place_without_a_model_call() -> None:
    projection, messages, summarizer = compacted()
    wanted = covered(projection.project(messages, PRESSURE).messages)[7]
    calls = summarizer.calls
    assert projection.pin(messages, [wanted]) == (wanted,)
    got = projection.project(messages, PRESSURE)
    assert [wire(m) for m in got.messages if id_of(m) == wanted] == [wire(messages[wanted])]
    assert wanted not in covered(got.messages)
    assert [place(m) for m in got.messages] == sorted(place(m) for m in got.messages)
    assert summarizer.calls == calls
    assert got.changed


def test_a_pin_survives_later_rounds_until_it_is_unpinned() -> None:
    projection, messages, _ = compacted()
    wanted = covered(projection.project(messages, PRESSURE).messages)[7]
    projection.pin(messages, [wanted])
    more = [*messages, *talk(200, len(messages))]
    got = feed(projection, more, start=len(messages))[-1]
    assert wanted in ids_of(got.messages)
    assert max(covered(got.messages)) > len(messages)
    assert projection.pinned == {wanted}
    assert projection.unpin([wanted]) == (wanted,)
    last = feed(projection, [*more, *talk(200, len(more))], start=len(more))[-1]
    assert wanted not in ids_of(last.messages)


def test_a_pin_takes_in_the_whole_group() -> None:
    projection = Projection(default_pipeline())
    for messages in session(120):
        got = projection.project(messages, PRESSURE)
    gone = next(m for m in messages if m["role"] == "tool" and id_of(m) not in ids_of(got.messages))
    own = id_of(gone)
    assert own is not None
    assert projection.pin(messages, [own]) == (own - 1, own)
    got = projection.project(messages, PRESSURE)
    assert {own - 1, own} <= set(ids_of(got.messages))
    assert paired(messages, got.messages) is None
    assert wire(next(m for m in got.messages if id_of(m) == own)) == wire(gone)


def test_a_pinned_result_is_whole_again_even_over_the_cap() -> None:
    projection = Projection(default_pipeline())
    messages = numbered([system(), task(), assistant(None, call()), result("word " * 6_000), *talk(1)])
    capped = projection.project(messages, Pressure.of(200_000)).messages[3]
    assert wire(capped) != wire(messages[3])
    projection.pin(messages, [3])
    assert wire(projection.project(messages, Pressure.of(200_000)).messages[3]) == wire(messages[3])


def test_pins_hold_after_a_swap_and_in_a_forced_pass() -> None:
    projection, messages, _ = compacted()
    projection.pin(messages, [30])
    projection.use(default_pipeline(summarizer=Counting()))
    got = projection.project(messages, PRESSURE)
    assert 30 in ids_of(got.messages)
    assert 30 in ids_of(projection.project(messages, PRESSURE.after_refusal(got.messages)).messages)


def test_a_pin_before_the_first_request_holds() -> None:
    projection = Projection(default_pipeline(summarizer=Counting()))
    messages = [*HEAD, *talk(200)]
    projection.pin(messages, [50])
    assert 50 in ids_of(projection.project(messages, PRESSURE).messages)


def test_pins_hold_in_stateless_mode() -> None:
    projection = Projection(default_pipeline(summarizer=Counting()), mode="stateless")
    messages = [*HEAD, *talk(200)]
    assert 50 not in ids_of(projection.project(messages, PRESSURE).messages)
    projection.pin(messages, [50])
    assert 50 in ids_of(projection.project(messages, PRESSURE).messages)
    projection.unpin([50])
    assert 50 not in ids_of(projection.project(messages, PRESSURE).messages)


def test_an_unknown_id_is_refused_and_unpinning_one_that_is_not_pinned_does_nothing() -> None:
    projection, messages, _ = compacted(20)
    with pytest.raises(UsageProblem, match="no message of the transcript has the id 99"):
        projection.pin(messages, [3, 99])
    assert projection.pinned == frozenset()
    assert projection.unpin([5]) == ()


def test_a_pin_lets_a_failed_round_be_tried_again() -> None:
    calls = []

    def failing(request: object) -> str:
        calls.append(request)
        raise RuntimeError("rate limit")

    projection = Projection(default_pipeline("summarize", summarizer=failing))
    messages = [*HEAD, *talk(100)]
    feed(projection, messages)
    before = len(calls)
    projection.pin(messages, [40])
    projection.project(messages, PRESSURE)
    assert len(calls) == before + 1
