"""A sequence that keeps its newest values, reads the others back, and never has two objects for one."""

from __future__ import annotations

import copy
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import TranscriptError
from opencollab_nb.shelf import LEAST_VALUES, Line, Shelf
from opencollab_nb.tokens.weights import Weights
from opencollab_nb.trace import Trace
from opencollab_nb.transcript import Transcript

MANY = 3 * LEAST_VALUES


def filled(count: int) -> tuple[Shelf[dict[str, Any]], list[tuple[int, int]]]:
    """A shelf of so many values that keeps as few as it may, and what was read back for it."""
    read: list[tuple[int, int]] = []

    def fetch(first: int, end: int) -> list[dict[str, Any]]:
        read.append((first, end))
        return [{"n": n} for n in range(first, end)]

    shelf: Shelf[dict[str, Any]] = Shelf(fetch, most_bytes=1)
    for n in range(count):
        shelf.append({"n": n}, 10)
    return shelf, read


ENDS = st.none() | st.integers(-MANY - 2, MANY + 2)


@given(ENDS, ENDS, st.sampled_from([None, 1, 2, -1, -7]))
def test_it_is_the_list_of_its_values(first: int | None, end: int | None, pace: int | None) -> None:
    shelf, _ = filled(MANY)
    whole = [{"n": n} for n in range(MANY)]
    assert shelf == whole
    assert shelf[first:end:pace] == whole[first:end:pace]
    assert list(reversed(shelf)) == whole[::-1]
    assert shelf[-1] == whole[-1]
    with pytest.raises(IndexError):
        shelf[MANY]


def test_only_the_newest_are_in_memory() -> None:
    shelf, read = filled(MANY)
    gc.collect()
    assert sum(shelf.alive(n) is not None for n in range(MANY)) <= LEAST_VALUES + 1
    assert shelf[-LEAST_VALUES:]
    assert not read
    assert shelf[0] == {"n": 0}
    assert read == [(0, 1)]


def test_what_anybody_holds_is_found_again_as_the_same_object() -> None:
    shelf, read = filled(1)
    held = shelf[0]
    for n in range(1, MANY):
        shelf.append({"n": n}, 10)
    assert shelf[0] is held
    assert not read
    again = shelf[3]
    assert shelf[2:5][1] is again
    del held, again
    gc.collect()
    assert shelf.alive(0) is None
    assert shelf.alive(3) is None


def test_a_copy_is_any_dictionary() -> None:
    line = Shelf[dict[str, Any]]().append({"n": [1]})
    for other in (copy.copy(line), copy.deepcopy(line), {**line}):
        assert other == line
        assert type(other) is dict
    assert json.dumps(line) == '{"n": [1]}'


def test_a_message_that_is_read_again_is_not_weighed_again_and_not_held(tmp_path: Path) -> None:
    asked: list[int] = []
    weights = Weights(lambda message: asked.append(message["meta"]["id"]) or 7)
    transcript = Transcript(tmp_path / "t.jsonl")
    for _ in range(400):
        transcript.append({"role": "user", "content": "x" * 10_000}, source="user", step=0)
    assert weights.total(transcript.stored[:5]) == 35
    gc.collect()
    assert weights.remembered == 0
    assert weights.total(transcript.stored[:5]) == 35
    assert asked == [0, 1, 2, 3, 4]


def test_two_measures_let_go_of_what_only_they_hold() -> None:
    one, other = Weights(lambda _: 1_000), Weights(lambda _: 1_000)
    for n in range(4_000):
        message = {"role": "user", "content": str(n)}
        assert one(message) == other(message) == 1_000
    assert one.remembered < 2_000
    assert other.remembered < 2_000


def test_messages_and_events_come_back_from_the_file_as_they_were(tmp_path: Path) -> None:
    transcript, trace = Transcript(tmp_path / "t.jsonl"), Trace(tmp_path / "e.jsonl")
    for n in range(600):
        transcript.append({"role": "user", "content": f"{n} " + "é\ud83e" * 700}, source="user", step=n)
        if n % 3 == 0:
            transcript.commit(n)
        trace.add("notice", n, text="word " * 900)
    for kept, opened in (
        (transcript.stored, Transcript.open(tmp_path / "t.jsonl").stored),
        (trace.stored, Trace.open(tmp_path / "e.jsonl").stored),
    ):
        assert sum(kept.alive(n) is None for n in range(600)) > 100
        assert kept == opened
        assert [type(value) for value in kept[:2]] == [Line, Line]
    assert [e["n"] for e in trace.of("notice")] == list(range(600))


def test_a_file_that_somebody_else_changed_is_named(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "e.jsonl")
    for n in range(400):
        trace.add("notice", n, text="word " * 2_000)
    path = tmp_path / "e.jsonl"
    data = path.read_bytes()
    for other in (data.replace(b'"n":1,', b'"n":2,'), data[:100], b"{" * len(data)):
        path.write_bytes(other)
        with pytest.raises(TranscriptError, match=r"e\.jsonl"):
            trace.stored[1]
