"""Shed: low-priority context leaves, lowest first, while over."""

from __future__ import annotations

import pytest

from opencollab_nb.messages import Message, ids_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ContextShedShaper
from opencollab_nb.shaping.shed import is_context
from opencollab_nb.shaping.summary import summary_message
from tests.build import assistant, call, numbered, result, system, task, user

PRESSURE = Pressure.of(4_000)
LONG = "project notes " * 150


def context(priority: int) -> Message:
    return user(LONG, source="context", priority=priority)


def test_the_lowest_priority_leaves_first_and_only_while_over() -> None:
    messages = numbered([system(), task(), context(60), context(10), context(30), context(30), user("why?")])
    assert PRESSURE.over(messages)
    assert ids_of(ContextShedShaper().shape(messages, PRESSURE)) == [0, 1, 2, 4, 5, 6]
    assert ids_of(ContextShedShaper().shape(messages, PRESSURE.in_round())) == [0, 1, 2, 5, 6]


def test_a_forced_pass_sheds_all_of_it() -> None:
    messages = numbered([system(), task(), context(60), context(10), user("why?")])
    forced = Pressure.of(200_000).after_refusal(messages)
    assert ids_of(ContextShedShaper().shape(messages, forced)) == [0, 1, 4]


@pytest.mark.parametrize(
    "message",
    [
        user("my own words", source="user", priority=30),
        user("said without meta"),
        user("team", source="context", priority=70),
        assistant("reply", priority=30),
        assistant(None, call(), priority=30),
        result("ok", priority=30),
        summary_message("s", [[1, 1]]),
        user("flag", priority=True),
    ],
)
def test_what_is_no_low_priority_context_stays(message: Message) -> None:
    assert not is_context(message)


def test_context_is_known_by_its_source_or_by_a_priority_nobody_spoke_with() -> None:
    assert is_context(user("x", source="context"))
    assert is_context(user("x", priority=0))
    assert is_context(user("x", source="note", priority=69.5))


def test_the_last_user_message_and_the_newest_group_stay() -> None:
    only = numbered([system(), context(10), assistant(LONG * 9)])
    assert ContextShedShaper().shape(only, PRESSURE) is only
    newest = numbered([system(), task(), assistant(LONG * 9), context(10)])
    assert ContextShedShaper().shape(newest, PRESSURE) is newest


def test_an_empty_list_is_returned_as_it_is() -> None:
    nothing: list[Message] = []
    assert ContextShedShaper().shape(nothing, Pressure.of(4_000, forced=True)) is nothing
