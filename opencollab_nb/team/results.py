"""What became of a team: each member's end told apart, one that never acted among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from opencollab_nb.session.accounts import one_line
from opencollab_nb.team.crew import Crew
from opencollab_nb.team.member import Member


@dataclass(frozen=True)
class MemberResult:
    """What became of one member."""

    member: str
    role: str
    outcome: str
    """`never acted`, `finished`, `ran out`, `stopped` or `failed`; until then also `at work`, `waiting`."""
    text: str
    """What it said last."""
    steps: int
    tokens: int
    """Spent, summaries included."""
    granted_tokens: int | None
    """What it was granted in all; None where it drew on the pool."""
    detail: str
    """Its state in one sentence, where there is more to say."""

    def __repr__(self) -> str:
        granted = "" if self.granted_tokens is None else f" of {self.granted_tokens:,}"
        return f"{self.member}: {self.outcome}, {self.steps:,} steps, {self.tokens:,}{granted} tokens"


@dataclass(frozen=True)
class TeamResult(Mapping[str, MemberResult]):
    """What became of all members, by name."""

    members: Mapping[str, MemberResult]
    entry: str
    state: str
    """The team's."""

    def __getitem__(self, member: str) -> MemberResult:
        return self.members[member]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def text(self) -> str:
        """What the entry said last: the team's answer."""
        return self.members[self.entry].text

    @property
    def tokens(self) -> int:
        """What all have spent."""
        return sum(result.tokens for result in self.values())

    def __repr__(self) -> str:
        head = f"TeamResult({self.state}, {self.tokens:,} tokens): {one_line(self.text, 80)!r}"
        return "\n".join([head, *(f"  {result!r}" for result in self.values())])

    def to_frame(self) -> Any:
        """One row a member, as a pandas `DataFrame`."""
        from opencollab_nb.trace.frame import pandas

        names = [field.name for field in fields(MemberResult)]
        rows = [[getattr(result, name) for name in names] for result in self.values()]
        return pandas("the result itself is a mapping of the same").DataFrame(rows, columns=names)


def result_of(crew: Crew, state: str) -> TeamResult:
    """What has become of a team so far."""
    with crew.lock:
        results = {member.name: of_member(crew, member) for member in crew.members.values()}
    return TeamResult(results, crew.spec.entry, state)


def of_member(crew: Crew, member: Member) -> MemberResult:
    """What has become of one member so far."""
    account, session = crew.ledger.books[member.name], member.session
    return MemberResult(
        member=member.name,
        role=member.role.name,
        outcome=member.outcome,
        text=member.text,
        steps=member.steps,
        tokens=account.spent,
        granted_tokens=account.granted,
        detail="" if session is None else session.detail,
    )
