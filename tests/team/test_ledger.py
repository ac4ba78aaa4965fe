"""The ledger: one lock, so that no two members are admitted to the same tokens."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.errors import UsageProblem
from opencollab_nb.team.allocation import DeclaredRule, DynamicRule, Rule, WorkflowRule
from opencollab_nb.team.ledger import Ledger


def spending(ledger: Ledger, member: str, costs: list[int], gate: threading.Barrier) -> list[int]:
    """Calls of these costs until one is refused, as a session makes them; what was paid."""
    gate.wait(10)
    paid = []
    for cost in costs:
        if ledger.admit(member, cost) is not None:
            break
        paid.append(cost)
        ledger.book(member, cost)
    return paid


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([DynamicRule(30_000), DeclaredRule(dict.fromkeys("abcd", 7_000)), WorkflowRule(20_000)]),
    st.lists(st.lists(st.integers(1, 9_000), max_size=12), min_size=4, max_size=4),
)
def test_the_law_holds_with_members_in_real_threads(rule: Rule, costs: list[list[int]]) -> None:
    ledger, gate = Ledger(rule), threading.Barrier(4)
    members = [member for member in "abcd" if ledger.grant(member) is None]
    gate = threading.Barrier(len(members))
    with ThreadPoolExecutor(len(members)) as threads:
        paid = [
            threads.submit(spending, ledger, member, calls, gate)
            for member, calls in zip(members, costs, strict=False)
        ]
        told = [one.result() for one in paid]
    assert ledger.spent_tokens == sum(map(sum, told))
    assert ledger.spent_tokens <= (rule.pool_tokens or 0) + sum(calls[-1] for calls in told if calls)


def test_of_two_that_ask_at_once_for_the_last_tokens_only_one_is_admitted() -> None:
    # What the first one's call is estimated to cost is kept for it before the second one is looked at.
    for _ in range(30):
        ledger, gate = Ledger(WorkflowRule(1_000)), threading.Barrier(2)
        for member in "ab":
            ledger.grant(member)

        def ask(member: str, ledger: Ledger = ledger, gate: threading.Barrier = gate) -> str | None:
            gate.wait(10)
            return ledger.admit(member, 1_000)

        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(ask, "ab"))
        assert sorted(answer is None for answer in answers) == [False, True]


def test_concurrent_spawns_never_get_more_than_there_is() -> None:
    ledger = Ledger(DynamicRule(45_000))
    ledger.grant("lead")
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ledger.grant, [f"coder-{n}" for n in range(8)]))
    assert [account.granted for account in ledger.books.values()] == [11_250] * 4


def test_several_are_granted_together_or_none_of_them() -> None:
    ledger = Ledger(WorkflowRule(10_000))
    refusal = ledger.grant_all({"a": 6_000, "b": 6_000})
    assert refusal is not None
    assert refusal.member == "b"
    assert list(ledger.books) == []
    assert ledger.grant_all({"a": 6_000, "b": 4_000}) is None
    assert ledger.unallocated_tokens == 0


def test_a_call_that_was_admitted_and_never_made_keeps_nothing() -> None:
    ledger = Ledger(WorkflowRule(1_000))
    ledger.grant_all({"a": None, "b": None})
    assert ledger.admit("a", 1_000) is None
    assert ledger.admit("b") is not None
    ledger.lease("a").book(0)
    assert ledger.admit("b") is None


def test_each_change_is_told_in_order_and_a_refusal_once() -> None:
    told: list[tuple[str, Any]] = []
    ledger = Ledger(DynamicRule(10_000), note=lambda kind, **facts: told.append((kind, facts["member"])))
    ledger.grant("lead")
    ledger.grant("coder")
    for _ in range(2):
        ledger.admit("lead")
        ledger.book("lead", 6_000)
    ledger.admit("lead")
    ledger.admit("lead")
    ledger.close("lead")
    ledger.close("lead")
    kinds = [kind for kind, _ in told]
    assert kinds == ["grant", "refusal", "spend", "spend", "refusal", "return"]


def test_a_refusal_says_that_it_is_no_billing_cap() -> None:
    ledger = Ledger(DynamicRule(10_000))
    ledger.grant("lead")
    ledger.book("lead", 10_001)
    assert "a call in flight may overshoot it" in (ledger.admit("lead") or "")


def test_the_frame_has_a_row_for_every_member() -> None:
    ledger = Ledger(DeclaredRule({"a": 1_000, "b": 2_000, "c": 500}))
    ledger.grant_all(dict.fromkeys("abc"))
    ledger.book("a", 400)
    ledger.close("a")
    ledger.book("c", 500)
    ledger.admit("c")
    frame = ledger.to_frame()
    assert frame.loc["a"].tolist() == [1_000, 400, 0, 600, "ended"]
    assert frame.loc["b"].tolist() == [2_000, 0, 2_000, 0, "granted"]
    assert frame.loc["c"].tolist() == [500, 500, 0, 0, "ran out"]


def test_a_seat_that_ended_says_so_and_keeps_its_allowance_until_it_makes_another_call() -> None:
    ledger = Ledger(DeclaredRule({"a": 1_000}))
    ledger.grant("a")
    ledger.admit("a")
    ledger.book("a", 400)
    ledger.end("a")
    assert ledger.to_frame().loc["a"].tolist() == [1_000, 400, 600, 0, "ended"]
    assert ledger.admit("a", 50) is None
    assert ledger.to_frame().loc["a"].tolist() == [1_000, 400, 600, 0, "at work"]


def test_a_lease_is_of_a_member_that_was_granted_something() -> None:
    with pytest.raises(UsageProblem, match="grant\\('coder'\\) comes first"):
        Ledger(WorkflowRule(1)).lease("coder")
