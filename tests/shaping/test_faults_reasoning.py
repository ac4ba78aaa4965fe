"""Known faults of reasoning that stands in messages of its own, and of calls that are none."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.messages import Message, Messages, id_of, is_pinned, only_thinks, with_meta
from opencollab_nb.pressure import Pressure
from opencollab_nb.request import Request, wire_faults
from opencollab_nb.shaping import groups
from opencollab_nb.shaping.forced import forced_caps
from opencollab_nb.shaping.groups import newest_groups
from opencollab_nb.shaping.laws import paired, sendable
from tests.build import assistant, numbered, result, tool_step, user
from tests.shaping.tight import LONG, outcomes

OLD = [m for n in range(6) for m in tool_step(100 + n, LONG)]


def in_a_part(number: int) -> Message:
    part = {"type": "reasoning", "id": f"rs{number}", "summary": [{"text": "why " * 30}]}
    return {"role": "assistant", "content": [part]}


def beside(key: str) -> Any:
    return lambda number: {"role": "assistant", "content": None, key: f"why {number} " * 30}


THOUGHTS: dict[str, Any] = {
    "part": in_a_part,
    **{key: beside(key) for key in ("reasoning_content", "reasoning", "reasoning_details")},
}


@pytest.mark.parametrize("form", THOUGHTS)
def test_fault_36_reasoning_leaves_with_the_call_it_led_to_and_never_trails(form: str) -> None:
    think = THOUGHTS[form]
    steps = [m for n in range(7) for m in (think(n), *tool_step(n, LONG))]
    for before, after in outcomes([user("a"), *steps, user("b")]):
        assert paired(before, after) is None
        for at, message in enumerate(after):
            if only_thinks(message):
                assert id_of(after[at + 1]) == (id_of(message) or 0) + 1


def test_fault_36_several_thoughts_in_a_row_are_one_group_with_their_call() -> None:
    messages = numbered([user("a"), in_a_part(1), in_a_part(2), *tool_step(1, LONG), in_a_part(3), user("b")])
    assert [len(group.messages) for group in groups(messages)] == [1, 4, 1, 1]
    assert [group.speaker["role"] for group in groups(messages)] == ["user", "assistant", "assistant", "user"]
    for count in range(1, 6):
        assert [g.start for g in newest_groups(messages, count)] == [0, 1, 5, 6][-count:]


def test_fault_36_a_pin_of_the_call_keeps_the_thought_and_the_other_way_round() -> None:
    for pinned in (1, 2, 3):
        steps = [m for n in range(7) for m in (in_a_part(n), *tool_step(n, LONG))]
        steps[pinned - 1] = with_meta(steps[pinned - 1], priority=100)
        for before, after in outcomes([user("a"), *steps, user("b")]):
            assert any(map(is_pinned, after))
            kept = [m for m in after if id_of(m) in (1, 2, 3)]
            assert [id_of(m) for m in kept] == [1, 2, 3]
            assert kept[pinned - 1] == before[pinned]


GIANT: dict[str, Any] = {
    "beside": {"role": "assistant", "content": "ok", "reasoning_content": "word " * 40_000},
    "part": {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "word " * 40_000}, {"type": "text", "text": "ok"}],
    },
    "alone": {"role": "assistant", "content": "", "reasoning": "word " * 40_000},
}


@pytest.mark.parametrize("form", GIANT)
def test_fault_54_reasoning_of_an_earlier_turn_that_fills_the_window_leaves(form: str) -> None:
    messages = numbered([user("a"), GIANT[form], user("b"), *tool_step(1, "ok")])
    for _, after in outcomes(messages):
        assert after
    cut = forced_caps(messages, Pressure.of(8_000, forced=True))
    assert Pressure.of().weight(cut) < 100
    assert sendable(messages, cut) is None


def test_fault_35_reasoning_of_the_turn_at_work_and_beside_calls_stays_in_a_forced_pass() -> None:
    beside_a_call: Any = {**tool_step(1)[0], "reasoning_content": "word " * 40_000}
    for messages in (
        numbered([user("a"), GIANT["beside"]]),
        numbered([user("a"), beside_a_call, *tool_step(1)[1:], user("b")]),
    ):
        cut = forced_caps(messages, Pressure.of(8_000, forced=True))
        assert cut[1]["reasoning_content"] == messages[1]["reasoning_content"]  # type: ignore[typeddict-item]


ODD_CALLS: list[Any] = [
    [None],
    ["ls"],
    [{"id": "a", "function": "bash"}],
    [{"id": "a"}],
    [{"id": 5, "function": {"name": "bash", "arguments": 5}}],
    [{"id": "a", "function": {"name": "bash", "arguments": [1]}}],
    [{"id": "a", "function": {"name": "bash", "arguments": '{"a": ' + "9" * 9_000 + "}"}}],
    [{"id": "a", "type": "custom", "custom": {"name": "patch", "input": LONG}}],
    {"id": "a"},
    "ls",
]


@pytest.mark.parametrize("calls", ODD_CALLS, ids=lambda calls: str(calls)[:40])
def test_fault_84_calls_of_any_shape_break_neither_a_layer_nor_the_request(calls: Any) -> None:
    odd: Any = {**assistant("I look."), "tool_calls": calls}
    listed = calls if isinstance(calls, list) and isinstance(calls[0], dict) else []
    answers: Messages = [{**result(LONG), "tool_call_id": call["id"]} for call in listed]
    for _, after in outcomes([user("a"), odd, *answers, *OLD]):
        sent = Request(tuple(after)).messages
        assert wire_faults(sent) == set()
        assert sum(len(m.get("tool_calls", ())) for m in sent) == sum(m["role"] == "tool" for m in sent)


@pytest.mark.parametrize(
    "ids",
    [("a", "z", "b"), ("b", "a"), ("a", "a"), ("a",), (), ("z",), ("a", "b", "a")],
    ids=str,
)
def test_fault_01_whatever_results_follow_a_call_the_request_has_one_for_each(ids: tuple[str, ...]) -> None:
    calls = [{"id": i, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for i in "ab"]
    messages = [user("a"), assistant(None, *calls), *(result(f"{LONG} of {i}", i) for i in ids), *OLD]
    for before, after in outcomes(messages):
        assert paired(before, after) is None
        sent = Request(tuple(after)).messages
        waiting: list[str] = []
        for message in sent:
            if message["role"] == "tool":
                waiting.remove(message["tool_call_id"])
            else:
                assert not waiting
                waiting = [call["id"] for call in message.get("tool_calls", ())]
        assert not waiting
