"""The four rules of sharing tokens, and their laws under any history of concurrent calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from opencollab_nb.team.allocation import (
    DeclaredRule,
    DynamicRule,
    Rule,
    SingleRule,
    WorkflowRule,
    admit,
    book,
    close,
    grant,
    lead_reserve,
    unallocated,
)
from opencollab_nb.team.books import Books, Refusal
from tests.team.histories import Seen, acts, rules


def granted(rule: Rule, *members: Any) -> Books:
    """Books in which these were granted something; a pair asks for so many tokens."""
    books = Books()
    for member in members:
        name, tokens = member if isinstance(member, tuple) else (member, None)
        outcome = grant(rule, books, name, tokens)
        assert not isinstance(outcome, Refusal), outcome
        books = outcome
    return books


def refused(outcome: Books | Refusal) -> str:
    assert isinstance(outcome, Refusal)
    return outcome.text


@given(rules, acts)
def test_the_sum_spent_is_at_most_the_pool_and_each_member_s_last_call(rule: Rule, history: Any) -> None:
    books, seen = Books(), Seen()
    for act, member, tokens in history:
        if act == "grant":
            outcome = grant(rule, books, member, tokens)
            books = books if isinstance(outcome, Refusal) else outcome
        elif member not in books:
            continue
        elif act == "ask" and member not in seen.flying:
            if admit(rule, books, member) is None:
                account = books[member]
                others = sum(rule.held(other) for name, other in books.items() if name != member)
                assert account.open
                assert account.cap is None or account.spent < account.cap
                assert rule.pool_tokens is not None
                assert account.spent + others < rule.pool_tokens
                seen.flying.add(member)
                books = books.having(member, replace(account, in_flight=tokens))
        elif act == "answer" and member in seen.flying:
            seen.answered(member, tokens)
            books = book(books, member, tokens)
        elif act == "close":
            books = close(books, member)
    for member in sorted(seen.flying):
        seen.answered(member, 20_000)
        books = book(books, member, 20_000)
    assert {name: account.spent for name, account in books.items() if account.spent} == seen.spent
    assert books.spent <= (rule.pool_tokens or 0) + sum(seen.last.values())


@given(rules, acts)
def test_grants_never_exceed_the_pool_however_many_are_asked_for(rule: Rule, history: Any) -> None:
    books = Books()
    for act, member, tokens in history:
        if act == "grant":
            outcome = grant(rule, books, member, tokens)
            books = books if isinstance(outcome, Refusal) else outcome
        elif act == "close" and member in books:
            books = close(books, member)
        left = unallocated(rule, books)
        assert left is not None
        assert left >= 0


@pytest.mark.parametrize(
    ("total", "reserve"), [(200_000, 50_000), (40_000, 10_000), (39_999, 10_000), (9_000, 9_000), (0, 0)]
)
def test_the_lead_keeps_a_quarter_and_at_least_ten_thousand_tokens(total: int, reserve: int) -> None:
    assert lead_reserve(total) == reserve


def test_a_spawn_is_granted_a_share_or_what_is_unallocated_and_at_last_nothing() -> None:
    rule = DynamicRule(100_000)
    books = granted(rule, "lead", "a", "b")
    books = book(books, "lead", 40_000)  # the lead overshoots its 25,000
    outcome = grant(rule, books, "c")
    assert isinstance(outcome, Books)
    assert outcome["c"].granted == 10_000
    assert refused(grant(rule, outcome, "d")).startswith("d is granted nothing: all of the team's 100,000")


def test_what_a_spawned_member_did_not_spend_returns_and_can_be_granted_again() -> None:
    rule = DynamicRule(20_000)
    books = book(granted(rule, "lead", "a"), "a", 3_000)
    books = close(books, "a")
    assert (books["a"].returned, books["a"].reserved, unallocated(rule, books)) == (7_000, 0, 7_000)
    again = grant(rule, books, "b")
    assert isinstance(again, Books)
    assert again["b"].granted == 7_000


def test_a_member_that_is_woken_gets_back_what_it_returned_as_far_as_it_is_there() -> None:
    rule = DynamicRule(20_000)
    books = close(book(granted(rule, "lead", "a"), "a", 3_000), "a")
    assert admit(rule, books, "a") is not None
    woken = grant(rule, books, "a")
    assert isinstance(woken, Books)
    assert (woken["a"].cap, woken["a"].left, admit(rule, woken, "a")) == (10_000, 7_000, None)
    other = grant(rule, books, "b")
    assert isinstance(other, Books)
    assert refused(grant(rule, other, "a")).startswith("a is granted nothing")


def test_the_own_allowance_is_looked_at_before_the_pool() -> None:
    rule = WorkflowRule(10_000)
    books = book(granted(rule, ("a", 6_000), "b"), "a", 20_000)
    told = [refusal and refusal.reason for refusal in (admit(rule, books, "a"), admit(rule, books, "b"))]
    assert told == ["own allowance", "team's pool"]


def test_what_a_declared_seat_overshoots_takes_nothing_from_the_others() -> None:
    rule = DeclaredRule({"a": 10_000, "b": 10_000})
    books = book(book(granted(rule, "a", "b"), "a", 25_000), "b", 9_999)
    assert admit(rule, books, "b") is None
    assert admit(rule, book(books, "b", 1), "b") is not None


def test_a_declared_seat_is_refused_exactly_where_a_session_alone_is() -> None:
    for spent in (0, 4_999, 5_000, 5_001):
        alone = book(granted(SingleRule(5_000), "b"), "b", spent)
        seat = book(granted(DeclaredRule({"a": 5_000, "b": 5_000}), "a", "b"), "b", spent)
        assert (admit(SingleRule(5_000), alone, "b") is None) == (
            admit(DeclaredRule({"a": 5_000, "b": 5_000}), seat, "b") is None
        )


def test_members_without_an_allowance_draw_on_what_nobody_has_reserved() -> None:
    rule = WorkflowRule(10_000)
    books = granted(rule, ("a", 8_000), "b")
    assert admit(rule, book(books, "b", 1_999), "b") is None
    assert admit(rule, book(books, "b", 2_000), "b") is not None
    assert admit(rule, close(book(books, "b", 2_000), "a"), "b") is None


def test_a_single_session_has_no_others() -> None:
    assert "no others" in refused(grant(SingleRule(5), granted(SingleRule(5), "solo"), "second"))


def test_without_a_limit_everything_is_admitted() -> None:
    for rule in (SingleRule(), DynamicRule(None), WorkflowRule(None)):
        assert admit(rule, book(granted(rule, "a"), "a", 10**9), "a") is None


@given(rules, acts)
def test_who_is_woken_again_and_again_never_has_more_than_its_first_allowance(
    rule: Rule, history: Any
) -> None:
    books = Books()
    first: dict[str, int | None] = {}
    for act, member, tokens in history:
        if act == "grant" and not (isinstance(rule, WorkflowRule) and member in books):
            outcome = grant(rule, books, member, tokens)
            books = books if isinstance(outcome, Refusal) else outcome
            if member in books:
                first.setdefault(member, books[member].cap)
        elif act == "ask" and member in books:
            books = book(books, member, tokens)
        elif act == "close" and member in books:
            books = close(books, member)
    for member, cap in first.items():
        now = books[member].cap
        assert now is None or cap is None or now <= cap
