"""What the deeds of `%oc team` give back: values that show themselves as text and as escaped HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.messages import call_name, tool_calls_of
from opencollab_nb.team.ledger import row_of
from opencollab_nb.views.labels import human
from opencollab_nb.views.results import Shown
from opencollab_nb.views.snapshot import counted
from opencollab_nb.views.tables import Table, long_table
from opencollab_nb.views.text import head

TEXT_CHARS = 120


@dataclass(frozen=True, repr=False)
class TeamSteps(Shown):
    """The steps just taken, and how the team stands after them."""

    steps: Sequence[Any]
    state: str
    detail: str = ""

    def table(self) -> Table:
        """A row a step."""
        rows = []
        for one in self.steps:
            step = one.step
            calls = ", ".join(call_name(c) for c in tool_calls_of(step.reply)) if step.reply else ""
            tokens = step.usage.input_tokens if step.usage else None
            rows.append(
                (one.member, step.number, head(calls, TEXT_CHARS), head(step.text, TEXT_CHARS), tokens)
            )
        return long_table(
            ("member", "step", "calls", "says", "input tokens"), rows, standing(self.state, self.detail)
        )


@dataclass(frozen=True, repr=False)
class ResultTable(Shown):
    """What became of each member."""

    result: Any
    """A `TeamResult`."""
    detail: str = ""

    def table(self) -> Table:
        """A row a member."""
        rows = [
            (r.member, r.role, r.outcome, r.steps, r.tokens, r.granted_tokens, head(r.text, TEXT_CHARS))
            for r in self.result.values()
        ]
        header = ("member", "role", "outcome", "steps", "tokens", "granted", "said last")
        return long_table(header, rows, standing(self.result.state, self.detail))


@dataclass(frozen=True, repr=False)
class ChainLine(Shown):
    """The shapers that were put in force."""

    member: str | None
    """Whose; None for those of all."""
    chain: Sequence[str]

    def table(self) -> Table:
        """A row a layer."""
        of = "all members" if self.member is None else self.member
        return Table(
            ("layer",), [(human(name),) for name in self.chain], f"shapers of {of}, from the next step on"
        )


@dataclass(frozen=True, repr=False)
class LedgerTable(Shown):
    """Who was granted, has spent, keeps and gave back how much."""

    rows: Sequence[tuple[object, ...]]
    title: str

    @classmethod
    def of(cls, team: Any) -> LedgerTable:
        """The books as they are now."""
        books, pool, left = team.ledger.books, team.ledger.pool_tokens, team.ledger.unallocated_tokens
        title = f"{team.ledger.spent_tokens:,} tokens spent"
        if pool is not None:
            title += f" of a pool of {pool:,}; {left or 0:,} kept for nobody"
        return cls([(name, *row_of(books, name).values()) for name in books], title)

    def table(self) -> Table:
        """A row a member."""
        return long_table(
            ("member", "granted", "used", "reserved", "returned", "state"), self.rows, self.title
        )


@dataclass(frozen=True, repr=False)
class MessageTable(Shown):
    """Messages between members, the user's among them."""

    messages: Sequence[Any]

    def table(self) -> Table:
        """A row a message."""
        rows = [(m.number, m.sender, m.to, m.about, head(m.text, TEXT_CHARS)) for m in self.messages]
        title = counted(len(rows), "message") or "no message yet"
        return long_table(("number", "from", "to", "about", "says"), rows, title)


def standing(state: str, detail: str) -> str:
    """How a team stands, on one line."""
    return f"the team: {state}" + (f" · {head(detail, 200)}" if detail else "")
