"""Groups: pairing by position, what is protected, what may leave."""

from __future__ import annotations

from hypothesis import given, settings

from opencollab_nb.messages import Messages, id_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import affordable_groups, groups
from opencollab_nb.shaping.groups import head_size, newest_groups, protected_from
from opencollab_nb.shaping.summary import summary_message
from tests.build import assistant, call, numbered, result, system, task, tool_step, user
from tests.shaping.strategies import transcripts


@given(messages=transcripts())
@settings(max_examples=60, deadline=None)
def test_every_message_is_in_exactly_one_group(messages: Messages) -> None:
    assert [id_of(m) for group in groups(messages) for m in group.messages] == list(range(len(messages)))


@given(messages=transcripts())
@settings(max_examples=60, deadline=None)
def test_the_newest_groups_are_the_last_of_all_groups(messages: Messages) -> None:
    everything = list(groups(messages))
    for count in range(1, len(everything) + 2):
        assert newest_groups(messages, count) == everything[-count:]


def test_results_in_another_order_than_the_calls_are_paired() -> None:
    calls = [call("bash", {}, "a"), call("bash", {}, "b")]
    [group] = groups([assistant(None, *calls), result("2", "b"), result("1", "a")])
    assert group.results == [2, 1]
    assert not group.open


def test_a_result_after_another_message_is_a_stray() -> None:
    found = list(groups([assistant(None, call()), user("wait"), result("late")]))
    assert [group.open for group in found] == [True, False, False]
    assert found[2].stray


def test_affordable_groups_always_hold_the_newest_one_and_never_half_the_target_otherwise() -> None:
    messages = [m for n in range(9) for m in tool_step(n, "word " * 600)]
    for window in (1_024, 8_000, 12_000, 16_000, 200_000):
        pressure = Pressure.of(window)
        count = affordable_groups(messages, pressure)
        assert 1 <= count <= 4
        weight = pressure.weight(messages[-2 * count :])
        assert count == 1 or weight <= pressure.target // 2
        assert protected_from(messages, pressure, 4) == len(messages) - 2 * count
    assert affordable_groups([], Pressure.of()) == 0


def test_the_head_is_the_systems_and_the_user_message_after_them() -> None:
    developer = {"role": "developer", "content": "x"}
    assert head_size([system(), developer, task(), user("more")]) == 3  # type: ignore[list-item]
    assert head_size([system(), assistant("hi"), user("more")]) == 1
    assert head_size([system(), summary_message("s", [[1, 1]])]) == 1
    assert head_size([]) == 0


def test_a_group_with_a_pinned_message_may_not_leave() -> None:
    messages = numbered([assistant(None, call()), result("ok", priority=70), assistant("plain")])
    assert [group.may_leave for group in groups(messages)] == [False, True]
