"""What the model calls of a session have cost, in tokens, and whether one more is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.tokens.usage import Usage

EXECUTION_LIMIT = (
    "This is an execution limit, looked at before each call, not a billing cap: "
    "a call in flight may overshoot it."
)


@dataclass
class Ledger:
    """The sums of all booked usage, summaries included.

    >>> ledger = Ledger(budget_tokens=1_000)
    >>> ledger.book(Usage(input_tokens=900, output_tokens=150))
    >>> ledger.spent_tokens, ledger.refusal()[:36]
    (1050, '1,050 of 1,000 budgeted tokens spent')
    """

    budget_tokens: int | None = None
    """Tokens the session may spend; None for no limit."""
    spent_tokens: int = 0
    """Input, the cached part included, and output of all calls."""
    input_tokens: int = 0
    """All input sent, the cached part included."""
    cached_tokens: int = 0
    """The part of the input served from the provider's cache."""
    flying: tuple[str, int] | None = None
    """Purpose and estimated input of the call in flight: booked if its reply never comes."""
    lease: Any = None
    """What else is asked before each call and told what it cost: `admit(tokens)`, `book(tokens)`."""

    def book(self, usage: Usage) -> None:
        """Add the usage of one call, reported or estimated."""
        self.spent_tokens += usage.total_tokens
        self.input_tokens += usage.input_tokens
        self.cached_tokens += usage.cached_input_tokens
        self.flying = None
        if self.lease is not None:
            self.lease.book(usage.total_tokens)

    def refusal(self, tokens: int = 0) -> str | None:
        """Why no further call is allowed, by the own budget, then by the lease; or None.

        Args:
            tokens: what the call is estimated to cost, for the lease to keep.
        """
        if self.budget_tokens is None or self.spent_tokens < self.budget_tokens:
            refusal: str | None = None if self.lease is None else self.lease.admit(tokens)
            return refusal
        spent = f"{self.spent_tokens:,} of {self.budget_tokens:,} budgeted tokens spent"
        return f"{spent}. {EXECUTION_LIMIT}"

    def land(self) -> None:
        """Nothing is in flight any more: what the lease keeps for a call that was never made is free."""
        if self.lease is not None:
            self.lease.book(0)


def check_lease(lease: Any) -> None:
    """Refuse what cannot be asked for tokens; None stands for no lease.

    Raises:
        UsageProblem: it lacks `admit` or `book`.
    """
    if lease is not None and not all(callable(getattr(lease, verb, None)) for verb in ("admit", "book")):
        raise UsageProblem(
            f"{lease!r} is no lease: needed is an object with admit(tokens=0) and book(tokens)"
        )
