"""Anchors: an append-only register of texts that are kept word for word."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.anchors import ANCHOR_PRIORITY, Anchors, anchor_message, head_message
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import KEEP_KEYS, is_pinned
from opencollab_nb.shaping.keep import is_verbatim

KINDS = (*KEEP_KEYS, "style")
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip)


@given(st.lists(st.tuples(st.sampled_from(KINDS), texts), max_size=12))
def test_every_text_in_force_stands_word_for_word_in_a_pinned_message(items: list[tuple[str, str]]) -> None:
    anchors = Anchors()
    for kind, text in items:
        anchors.register(kind, text)
    head = head_message(anchors)
    later = [anchor_message(a) for a in anchors.in_force() if a.kind not in ("goal", "constraints")]
    messages = ([head] if head else []) + later
    assert all(is_pinned(m) and is_verbatim(m) for m in messages)
    for anchor in anchors.in_force():
        assert any(anchor.text in m["content"] for m in messages)


@given(st.lists(st.tuples(st.sampled_from(KINDS), texts), max_size=12))
def test_the_register_only_grows_and_comes_back_from_its_record(items: list[tuple[str, str]]) -> None:
    anchors, before = Anchors(), []
    for step, (kind, text) in enumerate(items):
        anchors.register(kind, text, at=step)
        now = list(anchors)
        assert now[: len(before)] == before
        before = now
    assert [a.number for a in anchors] == list(range(1, len(anchors) + 1))
    assert list(Anchors.from_list(anchors.to_list())) == list(anchors)


def test_a_goal_registered_later_is_in_force_and_the_former_one_stays_on_record() -> None:
    anchors = Anchors()
    anchors.register("goal", "first")
    anchors.register("goal", "second")
    assert anchors.goal == "second"
    assert [a.text for a in anchors] == ["first", "second"]
    assert [a.text for a in anchors.in_force()] == ["second"]
    assert "first" not in str(head_message(anchors))


def test_a_former_goal_can_come_back() -> None:
    anchors = Anchors()
    for text in ("first", "second", "first"):
        anchors.register("goal", text)
    assert anchors.goal == "first"


def test_what_is_in_force_is_not_kept_twice() -> None:
    anchors = Anchors()
    assert anchors.register("constraint", "no") is anchors.register("constraints", "no")
    assert len(anchors) == 1


def test_too_long_a_constraint_fails_when_it_is_registered_with_the_figures() -> None:
    anchors = Anchors(limit_tokens=30, count=len)
    anchors.register("goal", "x" * 20)
    with pytest.raises(UsageProblem, match=r"has 11 tokens; .* may have 30 together.*20 are taken"):
        anchors.register("constraints", "y" * 11)
    assert len(anchors) == 1
    anchors.register("constraints", "y" * 10)


def test_a_new_goal_takes_the_room_of_the_old_one() -> None:
    anchors = Anchors(limit_tokens=30, count=len)
    anchors.register("goal", "x" * 20)
    anchors.register("goal", "y" * 30)
    assert anchors.goal == "y" * 30


def test_milestones_have_a_limit_each_and_none_together() -> None:
    anchors = Anchors(limit_tokens=30, count=len)
    for number in range(20):
        anchors.register("milestones", f"{number:030}")
    with pytest.raises(UsageProblem, match="this milestones anchor has 31 tokens"):
        anchors.register("milestones", "x" * 31)


@pytest.mark.parametrize("kind", ["", "Goal!", "two words", None, 7, "x" * 60])
def test_what_is_no_kind_is_refused(kind: Any) -> None:
    with pytest.raises(UsageProblem, match="no kind of anchor"):
        Anchors().register(kind, "text")


@pytest.mark.parametrize("text", ["", " \n", None, ["a"]])
def test_an_anchor_needs_a_text(text: Any) -> None:
    with pytest.raises(UsageProblem, match="needs a text"):
        Anchors().register("goal", text)


def test_a_lone_surrogate_is_replaced_when_it_is_registered_and_not_later() -> None:
    assert Anchors().register("goal", "a\ud83e").text == "a\ufffd"


def test_a_record_that_is_torn_is_refused() -> None:
    anchors = Anchors()
    anchors.register("goal", "g")
    with pytest.raises(UsageProblem, match="does not follow"):
        Anchors.from_list([*anchors.to_list(), *anchors.to_list()])
    with pytest.raises(UsageProblem, match="not a stored anchor"):
        Anchors.from_list([{"kind": "goal"}])


def test_without_goal_and_constraints_there_is_no_head() -> None:
    anchors = Anchors()
    anchors.register("milestones", "m")
    assert head_message(anchors) is None


def test_the_priority_is_above_the_task_s() -> None:
    anchors = Anchors()
    anchors.register("goal", "g")
    assert head_message(anchors)["meta"] == {
        "source": "anchor",
        "kind": "goal",
        "priority": ANCHOR_PRIORITY,
    }
