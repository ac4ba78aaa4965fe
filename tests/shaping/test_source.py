"""The transcript as a projection saw it: what goes on from it, and what does not."""

from __future__ import annotations

import copy

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.shaping.source import Source
from tests.build import numbered, task, user


@pytest.mark.parametrize("messages", [[task(), user("a")], numbered([task(), user("a")])])
def test_equal_copies_of_what_was_seen_go_on_from_it(messages: list) -> None:
    source = Source()
    source.take(messages)
    source.take([*copy.deepcopy(messages), user("b", id=2)])
    assert [m["content"] for m in source.since(2)] == ["b"]


def test_a_list_that_was_rewound_and_grew_another_way_is_refused() -> None:
    source = Source()
    source.take(numbered([task(), user("a")]))
    with pytest.raises(UsageProblem, match="restart"):
        source.take(numbered([task(), user("another"), user("b")]))


def test_other_private_data_does_not_make_a_message_another_one() -> None:
    source = Source()
    source.take(numbered([task(), user("a")]))
    source.take(numbered([task(), user("a", priority=85), user("b")]))
    assert len(source) == 3
