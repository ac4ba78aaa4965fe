"""Who was granted how many tokens, and what became of them: plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from opencollab_nb.errors import UnknownName


@dataclass(frozen=True)
class Account:
    """What one member may spend, and what it did.

    >>> account = Account(granted=1_000, spent=400)
    >>> account.cap, account.reserved, account.held
    (1000, 600, 1000)
    """

    granted: int | None = None
    """Tokens granted in all, at the start and whenever it was woken; None for no allowance of its own."""
    spent: int = 0
    """Input, the cached part included, and output of all its calls."""
    returned: int = 0
    """Tokens granted and given back unspent, at all its ends."""
    in_flight: int = 0
    """Estimated tokens of the call that was admitted and is not booked yet."""
    open: bool = True
    """False once it has ended; what it did not spend is given back."""
    ended: bool = False
    """True from the end of a member that keeps its allowance until it makes another call."""
    refused: str = ""
    """Why its last call was refused; empty where none was since it was granted something."""
    gave_back: int = 0
    """What it gave back at its last end: the most that it is granted again if it goes on."""

    @property
    def cap(self) -> int | None:
        """What it may spend; None where only the pool says so."""
        return None if self.granted is None else self.granted - self.returned

    @property
    def reserved(self) -> int:
        """Tokens kept for it that it has not spent: the rest of its allowance, or the call in flight."""
        if not self.open:
            return 0
        return max(0, self.in_flight, (self.cap or 0) - self.spent)

    @property
    def held(self) -> int:
        """What nobody else can have: spent or kept for it."""
        return self.spent + self.reserved

    @property
    def left(self) -> int | None:
        """Tokens it may still spend; None where only the pool says so."""
        return None if self.cap is None else max(0, self.cap - self.spent)


@dataclass(frozen=True)
class Refusal:
    """Why tokens were not granted, or a call was not admitted."""

    member: str
    reason: str
    """`own allowance`, `team's pool`, `nothing left`, `closed` or `not granted`."""
    text: str
    """For whoever has to read it."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Books(Mapping[str, Account]):
    """The accounts of all members, in the order they were granted something; never edited."""

    accounts: Mapping[str, Account] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, member: str) -> Account:
        if member not in self.accounts:
            raise UnknownName("member", member, self.accounts)
        return self.accounts[member]

    def __contains__(self, member: object) -> bool:
        return member in self.accounts

    def __iter__(self) -> Iterator[str]:
        return iter(self.accounts)

    def __len__(self) -> int:
        return len(self.accounts)

    def having(self, member: str, account: Account) -> Books:
        """The books with this account in them."""
        return Books(MappingProxyType({**self.accounts, member: account}))

    @property
    def spent(self) -> int:
        """What all have spent."""
        return sum(account.spent for account in self.values())

    @property
    def held(self) -> int:
        """What all have spent, and what is kept for them."""
        return sum(account.held for account in self.values())
