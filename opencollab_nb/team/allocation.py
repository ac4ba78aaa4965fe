"""Four rules of sharing tokens, and the four acts on the books that all of them have in common.

A call is admitted only if its member has spent less than its own allowance, and if what it has spent and
what is held for the others is together less than the pool. So all that is spent is never more than the
pool and the last call of each member: a call in flight may overshoot by itself, and is booked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from opencollab_nb.team.books import Account, Books, Refusal

LEAD_LEAST_TOKENS = 10_000
"""A lead with less could hardly plan, spawn and read what comes back."""


def lead_reserve(total_tokens: int) -> int:
    """What the lead of a dynamic team keeps, and the most that one spawn is granted, in tokens.

    A quarter of the total, at least 10,000 tokens where the total has that many.

    >>> lead_reserve(100_000), lead_reserve(20_000), lead_reserve(6_000)
    (25000, 10000, 6000)
    """
    return min(total_tokens, max(LEAD_LEAST_TOKENS, total_tokens // 4))


class Rule(Protocol):
    """How a pool is shared."""

    @property
    def pool_tokens(self) -> int | None:
        """What all may spend together; None for no limit."""

    def share(self, books: Books, member: str, asked: int | None, /) -> int | Refusal | None:
        """What a member that asks now is granted: tokens, None for no allowance of its own, or why not."""

    def held(self, account: Account) -> int:
        """What of the pool the others cannot have because of this account."""


@dataclass(frozen=True)
class SingleRule:
    """One session, one cap: input and output, as reported, over all its calls.

    >>> books = grant(SingleRule(1_000), Books(), "solo")
    >>> admit(SingleRule(1_000), book(books, "solo", 1_100), "solo").reason
    'own allowance'
    """

    cap_tokens: int | None = None

    @property
    def pool_tokens(self) -> int | None:
        """The cap."""
        return self.cap_tokens

    def share(self, books: Books, member: str, _asked: int | None, /) -> int | Refusal | None:
        """All of it, to the only member."""
        if any(other != member for other in books):
            return Refusal(
                member, "nothing left", f"{member} is granted nothing: a single session has no others"
            )
        if member in books:
            return returned_of(self, books, member)
        return self.cap_tokens

    def held(self, account: Account) -> int:
        """Spent or kept."""
        return account.held


@dataclass(frozen=True)
class DynamicRule:
    """A lead that spawns: tokens are reserved when they are allocated.

    The first member is the lead and keeps `lead_reserve(total)`. Each one spawned is granted that share or
    what is unallocated, if that is less, before it starts; what it does not spend returns when it ends.

    >>> rule = DynamicRule(25_000)
    >>> books = grant(rule, grant(rule, grant(rule, Books(), "lead"), "a"), "b")
    >>> [account.granted for account in books.values()], grant(rule, books, "c").reason
    ([10000, 10000, 5000], 'nothing left')
    """

    total_tokens: int | None

    @property
    def pool_tokens(self) -> int | None:
        """The total."""
        return self.total_tokens

    def share(self, books: Books, member: str, asked: int | None, /) -> int | Refusal | None:
        """One share, or what is left; what was returned by one that is woken."""
        if self.total_tokens is None:
            return None
        if member in books:
            return returned_of(self, books, member)
        share = lead_reserve(self.total_tokens)
        return least(self, books, member, share if asked is None else min(asked, share))

    def held(self, account: Account) -> int:
        """Spent or kept."""
        return account.held


@dataclass(frozen=True)
class DeclaredRule:
    """Seats that are all there from the start, each with its own allowance; the pool is their sum.

    What one seat overshoots is its own and takes nothing from the others, so that each is comparable to a
    session alone with that allowance. Nothing is returned before the team ends.

    >>> rule = DeclaredRule({"coder": 8_000, "tester": 4_000})
    >>> rule.pool_tokens, grant(rule, Books(), "analyst").text
    (12000, 'analyst is granted nothing: it has no seat. Seats: coder, tester')
    """

    allowances: Mapping[str, int] = field(default_factory=dict)

    @property
    def pool_tokens(self) -> int | None:
        """The sum of the allowances."""
        return sum(self.allowances.values())

    def share(self, books: Books, member: str, _asked: int | None, /) -> int | Refusal | None:
        """Its allowance, once."""
        if member not in self.allowances:
            seats = ", ".join(self.allowances)
            return Refusal(
                member, "nothing left", f"{member} is granted nothing: it has no seat. Seats: {seats}"
            )
        return returned_of(self, books, member) if member in books else self.allowances[member]

    def held(self, account: Account) -> int:
        """Its allowance, whatever became of it."""
        return account.cap or 0


@dataclass(frozen=True)
class WorkflowRule:
    """One pool; a member may reserve tokens of it before it starts, or draw on what nobody has reserved.

    What was reserved is granted whole or not at all.

    >>> rule = WorkflowRule(10_000)
    >>> books = grant(rule, Books(), "a", 6_000)
    >>> grant(rule, books, "b", 6_000).text
    'b is granted nothing: 6,000 tokens are asked for and 4,000 of 10,000 are left'
    >>> books = book(grant(rule, books, "b"), "b", 4_000)
    >>> admit(rule, books, "b").reason, admit(rule, books, "a")
    ("team's pool", None)
    """

    total_tokens: int | None

    @property
    def pool_tokens(self) -> int | None:
        """The total."""
        return self.total_tokens

    def share(self, books: Books, member: str, asked: int | None, /) -> int | Refusal | None:
        """What is asked for, where so much is left."""
        left = unallocated(self, books)
        if left is None:
            return asked
        if left <= 0 or (asked is not None and asked > left):
            want = "" if asked is None else f"{asked:,} tokens are asked for and "
            return Refusal(
                member,
                "nothing left",
                f"{member} is granted nothing: {want}{max(0, left):,} of {self.total_tokens:,} are left",
            )
        return asked

    def held(self, account: Account) -> int:
        """Spent or kept."""
        return account.held


def unallocated(rule: Rule, books: Books) -> int | None:
    """Tokens of the pool that nobody has spent and that are kept for nobody; None without a pool."""
    if rule.pool_tokens is None:
        return None
    return rule.pool_tokens - sum(rule.held(account) for account in books.values())


def least(rule: Rule, books: Books, member: str, share_tokens: int) -> int | Refusal:
    """A share, or what is unallocated where that is less; a refusal where it is nothing."""
    left = unallocated(rule, books)
    granted = share_tokens if left is None else min(share_tokens, left)
    if granted > 0:
        return granted
    pool = f"{rule.pool_tokens:,}" if rule.pool_tokens is not None else "all"
    text = f"{member} is granted nothing: all of the team's {pool} tokens are spent or kept for others"
    return Refusal(member, "nothing left", text)


def returned_of(rule: Rule, books: Books, member: str) -> int | Refusal | None:
    """For a member that had ended and goes on: what it gave back then, as far as that is still there."""
    account = books[member]
    if account.open:
        return Refusal(member, "nothing left", f"{member} is granted nothing more: it has its allowance")
    if account.granted is None:
        return None
    if isinstance(rule, DeclaredRule):
        return account.gave_back
    return least(rule, books, member, account.gave_back)


def grant(rule: Rule, books: Books, member: str, tokens: int | None = None) -> Books | Refusal:
    """Book an allowance for a member before it starts, or before one that had ended goes on.

    Args:
        rule: how the pool is shared.
        books: as they are.
        member: who.
        tokens: asked for; None for what the rule gives.
    """
    share = rule.share(books, member, tokens)
    if isinstance(share, Refusal):
        return share
    if member not in books:
        return books.having(member, Account(share))
    former = books[member]
    granted = None if former.granted is None or share is None else former.granted + share
    return books.having(member, replace(former, granted=granted, open=True, ended=False, refused=""))


def admit(rule: Rule, books: Books, member: str) -> Refusal | None:
    """Why the next call of a member is refused, or None: its own allowance first, then the pool."""
    if member not in books:
        return Refusal(member, "not granted", f"{member} was granted no tokens")
    account = books[member]
    if not account.open:
        return Refusal(member, "closed", f"{member} has ended; its allowance was given back")
    if account.cap is not None and account.spent >= account.cap:
        text = f"{account.spent:,} of {account.cap:,} tokens of {member}'s allowance spent"
        return Refusal(member, "own allowance", text)
    pool = rule.pool_tokens
    if pool is None:
        return None
    others = sum(rule.held(other) for name, other in books.items() if name != member)
    if account.spent + others < pool:
        return None
    kept = reserved(books, member)
    text = f"of the team's {pool:,} tokens {books.spent:,} are spent and {kept:,} kept for others"
    return Refusal(member, "team's pool", text)


def reserved(books: Books, member: str) -> int:
    """Tokens that are kept for the others."""
    return sum(account.reserved for name, account in books.items() if name != member)


def book(books: Books, member: str, tokens: int) -> Books:
    """Count what a call has cost, also one that overshot, or that came back after its member had ended."""
    account = books[member]
    return books.having(member, replace(account, spent=account.spent + tokens, in_flight=0))


def close(books: Books, member: str) -> Books:
    """End a member: what it did not spend is returned."""
    account = books[member]
    if not account.open:
        return books
    back = account.left or 0
    ended = replace(account, returned=account.returned + back, gave_back=back, in_flight=0, open=False)
    return books.having(member, ended)
