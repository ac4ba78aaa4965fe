"""Blind re-reads: what was read before is read once more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opencollab_nb.budget.offload import TOO_TIGHT, rereads, too_tight
from opencollab_nb.session.answers import about
from tests.build import assistant, call, result, task


def read(**arguments: Any) -> dict[str, Any]:
    return call("read_result", arguments)


@pytest.mark.parametrize(
    ("second", "counts"),
    [
        ({"id": 3}, {3: 1}),
        ({"id": 3, "offset": 200}, {3: 1}),
        ({"id": 3, "offset": 201}, {}),
        ({"id": 4}, {}),
        ({"id": 3, "pattern": "x"}, {}),
        ({"id": 3, "limit": 1, "offset": None}, {3: 1}),
    ],
)
def test_lines_that_were_read_before_count(second: dict[str, Any], counts: dict[int, int]) -> None:
    assert rereads([read(id=3), read(**second)]) == counts


def test_the_same_pattern_counts_unless_it_goes_on() -> None:
    again = read(id=3, pattern="x")
    assert rereads([again, again, again]) == {3: 2}
    assert rereads([again, read(id=3, pattern="x", offset=40)]) == {}
    assert rereads([again, read(id=3, pattern="y")]) == {}


def test_calls_messages_and_events_of_a_trace_say_the_same() -> None:
    calls = [
        read(id=3, offset=1, limit=200, pattern=None),
        read(id=3),
        read(id=7, offset=5, limit=9),
        read(id=7, offset=9, limit=9),
        read(id=7, pattern="two words 1-2"),
        read(id=7, pattern="two words 1-2"),
    ]
    messages = [task(), *(m for one in calls for m in (assistant(None, one), result("text")))]
    events = [{"kind": "tool", "name": "read_result", "about": about(one)} for one in calls]
    assert rereads(calls) == rereads(messages) == {3: 1, 7: 2}
    assert rereads(events) == {3: 1, 7: 2}


def test_other_calls_and_broken_ones_are_passed_over() -> None:
    odd = [
        {**read(), "function": {"name": "read_result", "arguments": text}}
        for text in ("[", '{"id": "x"}', "")
    ]
    others = [call("file_read", {"path": "a.py"})] * 2
    assert rereads([*odd, *odd, *others, {"kind": "tool", "name": "bash", "about": "ls"}, {}]) == {}


def test_from_three_on_it_is_said_that_the_threshold_is_too_tight() -> None:
    assert too_tight({3: TOO_TIGHT - 1}) is None
    assert too_tight({}) is None
    said = too_tight({3: 3, 8: 5, 9: 1}) or ""
    assert said.startswith("Result 8 was read again 5 times after it had been offloaded, and so was 1 other")
    assert "max_chars" in said
    json.dumps(said)
