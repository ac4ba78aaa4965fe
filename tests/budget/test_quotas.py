"""Quotas: shares that add up to one, and which message counts against which."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.anchors import Anchor, anchor_message
from opencollab_nb.budget.quotas import CATEGORIES, Quotas, category_of
from opencollab_nb.budget.restate import message as restatement
from opencollab_nb.errors import UnknownName, UsageProblem
from tests.build import assistant, result, system, task, user


@given(st.integers(1, 3_000_000), st.sampled_from(["default", "log_heavy", "code_heavy"]))
def test_the_tokens_of_the_categories_add_up_to_the_total(total: int, name: str) -> None:
    tokens = Quotas.named(name).tokens(total)
    assert list(tokens) == list(CATEGORIES)
    assert sum(tokens.values()) == total
    assert min(tokens.values()) >= 0


@given(st.lists(st.integers(1, 1_000), min_size=4, max_size=4))
def test_any_shares_that_add_up_to_one_will_do(parts: list[int]) -> None:
    shares = [part / sum(parts) for part in parts]
    assert Quotas(*shares).tokens(10_000)


def test_a_preset_gives_what_it_is_named_for_more() -> None:
    assert Quotas.LOG_HEAVY.tool_result > Quotas().tool_result
    assert Quotas.CODE_HEAVY.history > Quotas().history


@pytest.mark.parametrize("shares", [{"system": 0.2}, {"history": 0.35 + 1e-6}])
def test_shares_that_do_not_add_up_are_refused_with_the_sum(shares: dict[str, float]) -> None:
    with pytest.raises(UsageProblem, match=r"add up to .*not to 1: system"):
        Quotas(**shares)


def test_a_sum_off_by_rounding_alone_is_taken() -> None:
    assert Quotas(history=0.35 + 1e-10)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, True, "0.1", None, float("nan")])
def test_what_is_no_share_is_refused_by_name(share: Any) -> None:
    with pytest.raises(UsageProblem, match=r"Quotas\.restate is"):
        Quotas(restate=share)


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="log_heavy"):
        Quotas.named("log-heavy")


@pytest.mark.parametrize("total", [0, -1, 1.5, True, None])
def test_a_total_that_is_no_number_of_tokens_is_refused(total: Any) -> None:
    with pytest.raises(UsageProblem, match="total"):
        Quotas().tokens(total)


def test_memory_has_half_of_what_restatement_has() -> None:
    assert Quotas().memory_tokens(64_000) == Quotas().tokens(64_000)["restate"] // 2


def test_each_message_counts_against_one_quota() -> None:
    counted = {
        "system": [system(), task(), anchor_message(Anchor("goal", "g", 1))],
        "tool_result": [result("3 passed")],
        "history": [assistant("I look."), user("please"), user("s", source="summary", covers=[[1, 2]])],
        "restate": [
            restatement("[Restatement"),
            user("m", source="memory"),
            user("h", source="handoff"),
            anchor_message(Anchor("milestones", "m", 2)),
        ],
    }
    for category, messages in counted.items():
        assert [category_of(m) for m in messages] == [category] * len(messages)


def test_a_sum_that_is_almost_one_is_told_as_it_is() -> None:
    with pytest.raises(UsageProblem, match=r"add up to 1\.0000001, not to 1"):
        Quotas(restate=0.1000001)
