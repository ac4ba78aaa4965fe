"""Records: small, JSON-able, and enough to build the view again without shapers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from opencollab_nb.messages import Messages, covers_of, id_of, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, ShaperPipeline, ToolResultBudgetShaper, default_pipeline
from opencollab_nb.shaping.records import apply_record, make_record
from tests.build import assistant, call, numbered, result, task
from tests.shaping.generate import mixed, talk
from tests.shaping.measure_speed import measure
from tests.shaping.summarizers import Counting
from tests.shaping.test_projection import HEAD, PRESSURE, feed, wires


class Played:
    """A session with windows, pins and swaps; what it recorded, in order."""

    def __init__(self, mode: str = "sticky") -> None:
        self.summarizer = Counting()
        self.mode = mode
        self.messages = [*HEAD, *mixed(300 if mode == "sticky" else 200)]
        self.log: list[Any] = []
        self.projection = Projection(self.chain(), mode)

    def chain(self) -> ShaperPipeline:
        return default_pipeline("summarize", summarizer=self.summarizer)

    def play(self) -> Iterator[tuple[int, Messages, Pressure]]:
        for end in range(2, len(self.messages) + 1):
            if self.messages[end - 1].get("tool_calls"):
                continue
            pressure = Pressure.of(24_000 if end < 200 else 16_000)
            if end in (150, 350):
                self.projection.pin(self.messages[:end], [60])
                self.log.append(("pin", end))
            if end == 300:
                self.projection.use(self.chain())
                self.log.append(("use", end))
            got = self.projection.project(self.messages[:end], pressure)
            if got.record is not None:
                self.log.append(json.dumps(got.record))
            yield end, got.messages, pressure

    def replayed(self) -> Projection:
        projection = Projection(self.chain(), self.mode)
        for entry in self.log:
            if isinstance(entry, str):
                projection.replay(json.loads(entry), self.messages)
            elif entry[0] == "pin":
                projection.pin(self.messages[: entry[1]], [60])
            else:
                projection.use(self.chain())
        return projection


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_a_replay_gives_the_same_request_byte_for_byte_and_asks_no_model(mode: str) -> None:
    played = Played(mode)
    for end, sent, pressure in played.play():
        if end % 37 == 0 or end == len(played.messages):
            calls = played.summarizer.calls
            got = played.replayed().project(played.messages[:end], pressure)
            assert json.dumps(wires(got.messages)) == json.dumps(wires(sent))
            assert [covers_of(m) for m in got.messages] == [covers_of(m) for m in sent]
            assert got.record is None
            assert played.summarizer.calls == calls
    assert played.summarizer.calls > 1


def test_two_thousand_steps_record_about_thirty_kilobytes() -> None:
    measured = measure(2_000)
    assert measured.rounds >= 5
    assert measured.record_bytes < 60_000


def test_a_failed_round_is_on_record_so_that_a_resume_does_not_pay_for_it_again() -> None:
    def failing(request: object) -> str:
        raise RuntimeError("rate limit")

    projection = Projection(default_pipeline("summarize", summarizer=failing))
    messages = [*HEAD, *talk(120)]
    records = [got.record for got in feed(projection, messages) if got.record]
    resumed = Projection(default_pipeline("summarize", summarizer=failing))
    for record in records:
        resumed.replay(json.loads(json.dumps(record)), messages)
    got = resumed.project(messages, PRESSURE)
    assert not got.reports
    assert got.tokens > PRESSURE.trigger


def test_after_a_replay_the_summary_is_remembered() -> None:
    summarizer = Counting()
    projection = Projection(default_pipeline("summarize", summarizer=summarizer))
    messages = [*HEAD, *talk(100)]
    record = projection.project(messages, PRESSURE).record
    calls = summarizer.calls
    resumed = Projection(default_pipeline("summarize", summarizer=summarizer))
    resumed.replay(json.loads(json.dumps(record)), messages)
    resumed.use_mode("sticky")
    assert any(map(covers_of, resumed.project(messages, PRESSURE).messages))
    assert summarizer.calls == calls


def test_any_change_of_a_message_is_recorded() -> None:
    before = numbered([task(), assistant("a", call()), result("0123456789"), *talk(2, 3)])
    after = [
        before[0],
        {**before[1], "content": None, "name": "x"},
        with_content(before[2], "01234 [more]"),
        before[4],
    ]
    record = json.loads(json.dumps(make_record(before, after, set())))
    assert record["gone"] == [[3, 3]]
    assert record["put"] == [[5, " [more]", [[2, 2]]]]
    assert [id_of(m) for m in record["odd"]] == [1]
    assert apply_record(record, before, before.__getitem__) == after


def test_a_list_of_parts_survives_a_replay() -> None:
    parts = [{"type": "text", "text": "x" * 900}, {"type": "image_url", "image_url": {"url": "u"}}]
    messages = numbered([task(), assistant(None, call()), result(parts)])
    projection = Projection(ShaperPipeline(ToolResultBudgetShaper(200)))
    got = projection.project(messages, PRESSURE)
    resumed = Projection(ShaperPipeline(ToolResultBudgetShaper(200)))
    resumed.replay(json.loads(json.dumps(got.record)), messages)
    assert resumed.project(messages, PRESSURE).messages == got.messages
