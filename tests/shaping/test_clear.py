"""Clear: old results of re-creatable tools, in one batch."""

from __future__ import annotations

import pytest

from opencollab_nb.messages import Messages, id_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ToolOutputClearShaper
from opencollab_nb.shaping.clear import CLEARED
from tests.build import assistant, call, numbered, result, system, task, tool_step, user

LONG = "a line of output\n" * 40
FORCED = Pressure.of(200_000, forced=True)


def steps(count: int, text: str = LONG, name: str = "bash") -> Messages:
    return numbered([system(), task(), *(m for n in range(count) for m in tool_step(n, text, name))])


def full_pressure(messages: Messages) -> Pressure:
    """Over the trigger, with a target that half holds everything."""
    total = Pressure.of().tokens(messages)
    return Pressure.of(200_000, overhead_tokens=Pressure.of(200_000).trigger - total + 1)


def cleared(messages: Messages) -> list[int]:
    return [own for m in messages if m.get("content") == CLEARED and (own := id_of(m)) is not None]


def test_the_newest_five_stay_and_all_older_ones_go_at_once() -> None:
    messages = steps(12)
    shaped = ToolOutputClearShaper().shape(messages, full_pressure(messages))
    assert cleared(shaped) == [3, 5, 7, 9, 11, 13, 15]


@pytest.mark.parametrize("name", ["apply_patch", "file_write", "ask", ""])
def test_results_of_tools_that_cannot_be_asked_again_stay(name: str) -> None:
    messages = steps(12, name=name)
    assert ToolOutputClearShaper().shape(messages, full_pressure(messages)) is messages


def test_results_that_stay_are_as_many_as_half_the_target_holds() -> None:
    messages = steps(12, "word " * 1_000)
    pressure = Pressure.of(16_000)
    shaped = ToolOutputClearShaper().shape(messages, pressure)
    kept = [m for m in shaped if m["role"] == "tool" and m["content"] != CLEARED]
    assert pressure.weight(kept) <= pressure.target // 2
    assert len(kept) == 2


def test_the_newest_result_stays_however_large() -> None:
    messages = steps(3, "word " * 9_000)
    assert cleared(ToolOutputClearShaper().shape(messages, Pressure.of(16_000))) == [3, 5]


def test_a_batch_that_was_not_read_yet_stays_whole() -> None:
    calls = [call("grep", {}, f"c{k}") for k in range(9)]
    batch = [assistant(None, *calls), *(result(LONG, f"c{k}") for k in range(9))]
    messages = numbered([*steps(3), *batch])
    assert cleared(ToolOutputClearShaper().shape(messages, full_pressure(messages))) == [3, 5, 7]


def test_a_batch_that_frees_too_little_is_left() -> None:
    messages = steps(12)
    pressure = full_pressure(messages)
    freed = pressure.tokens(messages) - pressure.tokens(ToolOutputClearShaper().shape(messages, pressure))
    assert ToolOutputClearShaper(clear_at_least=freed + 1).shape(messages, pressure) is messages
    assert ToolOutputClearShaper(clear_at_least=freed).shape(messages, pressure) is not messages


def test_a_result_shorter_than_the_stub_stays() -> None:
    messages = steps(12, "ok")
    assert ToolOutputClearShaper().shape(messages, full_pressure(messages)) is messages


def test_open_groups_strays_and_pinned_results_stay() -> None:
    open_group = [assistant(None, call("bash", {}, "x"), call("bash", {}, "y")), result(LONG, "x")]
    pinned = [assistant(None, call("bash", {}, "p")), result(LONG, "p", priority=100)]
    messages = numbered([task(), *open_group, user("go on"), result(LONG, "gone"), *pinned, *steps(7)[2:]])
    shaped = ToolOutputClearShaper().shape(messages, full_pressure(messages))
    assert cleared(shaped) == [8, 10]


def test_a_forced_pass_keeps_only_results_of_the_protected_groups() -> None:
    messages = steps(12)
    assert cleared(ToolOutputClearShaper(keep_recent=9).shape(messages, FORCED)) == list(range(3, 19, 2))


def test_a_list_of_parts_is_cleared_like_a_text() -> None:
    parts = [{"type": "text", "text": LONG}, {"type": "image_url", "image_url": {"url": "u"}}]
    messages = numbered([task(), *tool_step(0, parts), *steps(6)[2:]])
    assert cleared(ToolOutputClearShaper().shape(messages, full_pressure(messages))) == [2, 4]
