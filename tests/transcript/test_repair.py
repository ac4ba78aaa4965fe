from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.messages import Messages, wire
from opencollab_nb.request import INTERRUPTED as IN_REQUESTS
from opencollab_nb.request import Request
from opencollab_nb.shaping import groups
from opencollab_nb.transcript import INTERRUPTED, repair
from opencollab_nb.transcript.repair import unanswered
from tests.build import assistant, call, result, user

IDS = st.sampled_from(["a", "b", "c"])
CALLS = st.lists(IDS, min_size=1, max_size=3).map(lambda ids: [call("f", call_id=i) for i in ids])
MESSAGES = st.lists(
    st.builds(user, st.sampled_from(["hi", ""]))
    | st.builds(lambda calls: assistant(None, *calls), CALLS)
    | st.builds(lambda i: result("r", i), IDS),
    max_size=12,
)


def test_a_sound_history_comes_back_as_it_was() -> None:
    sound = [user("a"), assistant(None, call("f", call_id="x")), result("r", "x"), assistant("done")]
    repaired, counts = repair(sound)
    assert all(a is b for a, b in zip(repaired, sound, strict=True))
    assert counts == {}


def test_the_words_for_an_interrupted_call_are_those_of_requests() -> None:
    assert INTERRUPTED == IN_REQUESTS


def test_a_call_unanswered_in_the_middle_is_answered_there() -> None:
    cut = [
        user("a"),
        assistant(None, call("f", call_id="x"), call("g", call_id="y")),
        result("r", "y"),
        user("b"),
    ]
    repaired, counts = repair(cut)
    assert [m.get("tool_call_id") for m in repaired[2:4]] == ["y", "x"]
    assert repaired[3]["content"] == INTERRUPTED
    assert counts == {"interrupted": 1}


def test_a_stray_result_becomes_a_note_of_the_user() -> None:
    stray: Any = result("42", "z", id=1)
    repaired, counts = repair([user("a", id=0), stray])
    assert (repaired[1]["role"], counts) == ("user", {"stray": 1})
    assert "42" in repaired[1]["content"]
    assert repaired[1]["meta"] == {"id": 1}


def test_ids_that_repeat_are_paired_by_position() -> None:
    history = [assistant(None, call("f", call_id="x")), result("1", "x")] * 2
    assert repair(history)[1] == {}


def test_an_empty_message_is_filled() -> None:
    repaired, counts = repair([user("a"), assistant("")])
    assert repaired[1]["content"]
    assert counts == {"empty": 1}


@given(MESSAGES)
def test_a_repaired_history_needs_no_repair(messages: Messages) -> None:
    before = json.dumps(messages)
    repaired, _ = repair(messages)
    assert json.dumps(messages) == before, "the input is never edited"
    assert repair(repaired)[1] == {}
    assert Request(repaired).wire == [
        wire(m) if m["role"] != "user" else Request([m]).wire[0] for m in repaired
    ]


@given(MESSAGES)
def test_unanswered_calls_at_the_end_are_those_that_repair_would_answer(messages: Messages) -> None:
    waiting = unanswered(messages)
    results = [m for m in messages if m["role"] == "tool"]
    fixed = [*messages, *(result(INTERRUPTED, i) for i in waiting)]
    assert unanswered(fixed) == []
    assert len(fixed) == len(messages) + len(waiting)
    assert results == [m for m in messages if m["role"] == "tool"]


def test_recorded_histories_are_repaired_to_sound_ones(shared: Path) -> None:
    path = shared / "transcripts" / "openai-chat" / "tau-bench-gpt-4o-airline-part1.json"
    for run in json.loads(path.read_text())[:5]:
        messages = run["traj"] if isinstance(run, dict) and "traj" in run else []
        repaired, _ = repair(messages)
        assert repair(repaired)[1] == {}


def test_calls_and_results_without_ids_are_paired_by_position() -> None:
    bare: Any = {"function": {"name": "f", "arguments": "{}"}}
    history: Messages = [
        user("a"),
        assistant(None, bare, {**bare, "id": None}),
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2", "tool_call_id": None},  # type: ignore[typeddict-item]
    ]
    assert repair(history) == (history, {})
    assert unanswered(history) == []
    assert unanswered(history[:3]) == [""]
    repaired, counts = repair([*history[:3], user("b"), history[3]])
    assert counts == {"interrupted": 1, "stray": 1}
    assert [m["role"] for m in repaired] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert [len(group.messages) for group in groups(repaired)] == [1, 3, 1, 1]
