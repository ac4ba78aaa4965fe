"""The team's ledger: one lock around the books, so that no two members are admitted to the same tokens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.session.ledger import EXECUTION_LIMIT
from opencollab_nb.team import allocation
from opencollab_nb.team.allocation import Rule
from opencollab_nb.team.books import Books, Refusal

Note = Callable[..., Any]
COLUMNS = ("granted", "used", "reserved", "returned", "state")


class Ledger:
    """Grants, admits and books, one at a time, for members in any number of threads.

    Nothing is called under its lock but `note`, so that a session may ask it under a lock of its own.

    Args:
        rule: how the pool is shared.
        note: called with the kind of each change and its facts, in the order of the changes.

    >>> from opencollab_nb.team.allocation import DynamicRule
    >>> ledger = Ledger(DynamicRule(20_000))
    >>> ledger.grant("lead"), ledger.grant("coder"), str(ledger.grant("tester"))[:31]
    (None, None, 'tester is granted nothing: all ')
    >>> ledger.admit("coder"), ledger.book("coder", 12_000), ledger.admit("coder")[:46]
    (None, None, "12,000 of 10,000 tokens of coder's allowance s")
    """

    def __init__(self, rule: Rule, *, note: Note | None = None) -> None:
        self.rule = rule
        self._books = Books()
        self._note = note or _unnoted
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        books, pool = self._books, self.pool_tokens
        of = f" of {pool:,}" if pool is not None else ""
        return f"Ledger({books.spent:,}{of} tokens spent by {len(books)} members)"

    @property
    def books(self) -> Books:
        """The accounts as they are now: a value."""
        return self._books

    @property
    def pool_tokens(self) -> int | None:
        """What all may spend together; None for no limit."""
        return self.rule.pool_tokens

    @property
    def spent_tokens(self) -> int:
        """What all have spent."""
        return self._books.spent

    @property
    def unallocated_tokens(self) -> int | None:
        """What nobody has spent and is kept for nobody; None without a pool."""
        return allocation.unallocated(self.rule, self._books)

    def grant(self, member: str, tokens: int | None = None) -> Refusal | None:
        """Reserve an allowance before a member starts, or goes on after its end; why not, or None."""
        return self.grant_all({member: tokens})

    def grant_all(self, asked: Mapping[str, int | None]) -> Refusal | None:
        """Reserve for several members, all of them or none; why not, or None.

        Args:
            asked: tokens a member; None for what the rule gives.
        """
        with self._lock:
            books = self._books
            for member, tokens in asked.items():
                outcome = allocation.grant(self.rule, books, member, tokens)
                if isinstance(outcome, Refusal):
                    self._note("refusal", member=member, reason=outcome.reason, text=outcome.text)
                    return outcome
                books = outcome
            before, self._books = self._books, books
            for member in asked:
                had = before[member].granted if member in before else 0
                now = books[member].granted
                self._note("grant", member=member, tokens=None if now is None else now - (had or 0))
            return None

    def admit(self, member: str, tokens: int = 0) -> str | None:
        """Look at allowance and pool and reserve the call, in one go; the reason for a refusal, or None.

        Args:
            member: whose call it is.
            tokens: what the call is estimated to cost: kept for it until it is booked.
        """
        with self._lock:
            refusal = allocation.admit(self.rule, self._books, member)
            if refusal is None:
                self._change(member, in_flight=tokens, ended=False, refused="")
                return None
            if member in self._books:
                if refusal.text != self._books[member].refused:
                    self._note("refusal", member=member, reason=refusal.reason, text=refusal.text)
                self._change(member, refused=refusal.text, in_flight=0)
            return f"{refusal.text}. {EXECUTION_LIMIT}"

    def book(self, member: str, tokens: int) -> None:
        """Count what a call has cost; with 0, only that none is in flight any more."""
        with self._lock:
            self._books = allocation.book(self._books, member, tokens)
            if tokens:
                self._note("spend", member=member, tokens=tokens, spent=self._books[member].spent)

    def close(self, member: str) -> int:
        """End a member; what it gives back, in tokens."""
        with self._lock:
            before = self._books[member]
            self._books = allocation.close(self._books, member)
            returned = self._books[member].returned - before.returned
            if before.open:
                self._note("return", member=member, tokens=returned)
            return returned

    def end(self, member: str) -> None:
        """Mark a member as ended that keeps what it was granted, as a declared seat does."""
        with self._lock:
            self._change(member, ended=True)

    def lease(self, member: str) -> Lease:
        """The view of one member, for its session.

        Raises:
            UsageProblem: it was granted nothing.
        """
        if member not in self._books:
            raise UsageProblem(f"{member} was granted nothing yet: grant({member!r}) comes first")
        return Lease(self, member)

    def restore(self, books: Books) -> None:
        """Put the books of a former process in place; nothing is noted."""
        with self._lock:
            self._books = books

    def to_frame(self) -> Any:
        """One row a member: tokens granted, used, reserved and returned, and its state."""
        from opencollab_nb.trace.frame import pandas

        rows = [[*row_of(self._books, member).values()] for member in self._books]
        return pandas("`ledger.books` holds the same").DataFrame(
            rows, columns=list(COLUMNS), index=list(self._books)
        )

    def _change(self, member: str, **new: Any) -> None:
        self._books = self._books.having(member, replace(self._books[member], **new))


@dataclass(frozen=True)
class Lease:
    """What one member may ask of the ledger."""

    ledger: Ledger
    member: str

    def admit(self, tokens: int = 0) -> str | None:
        """Reserve a call of about so many tokens; the reason for a refusal, or None."""
        return self.ledger.admit(self.member, tokens)

    def book(self, tokens: int) -> None:
        """Count what it has cost."""
        self.ledger.book(self.member, tokens)

    @property
    def cap_tokens(self) -> int | None:
        """The member's own allowance; None where it draws on the pool."""
        return self.ledger.books[self.member].cap

    @property
    def left_tokens(self) -> int | None:
        """What it may still spend: of its allowance, else of the pool; None without a limit."""
        own = self.ledger.books[self.member].left
        return self.ledger.unallocated_tokens if own is None else own


def row_of(books: Books, member: str) -> dict[str, Any]:
    """An account as a row; its state is `granted`, `at work`, `ran out` or `ended`."""
    account = books[member]
    if not account.open:
        state = "ended"
    elif account.refused:
        state = "ran out"
    elif account.ended:
        state = "ended"
    else:
        state = "at work" if account.spent or account.in_flight else "granted"
    return {
        "granted": account.granted,
        "used": account.spent,
        "reserved": account.reserved,
        "returned": account.returned,
        "state": state,
    }


def _unnoted(_kind: str, **_facts: Any) -> None:
    """For a ledger of no team."""
