"""Random histories of grants, calls and ends, for the laws of sharing tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from opencollab_nb.team.allocation import DeclaredRule, DynamicRule, Rule, SingleRule, WorkflowRule

NAMES = ("lead", "a", "b", "c", "d")
tokens = st.integers(1, 20_000)

rules: st.SearchStrategy[Rule] = st.one_of(
    st.builds(SingleRule, tokens),
    st.builds(DynamicRule, st.integers(1, 60_000)),
    st.builds(DeclaredRule, st.dictionaries(st.sampled_from(NAMES), tokens, min_size=1)),
    st.builds(WorkflowRule, st.integers(1, 60_000)),
)

acts = st.lists(
    st.one_of(
        st.tuples(st.just("grant"), st.sampled_from(NAMES), st.none() | tokens),
        st.tuples(st.just("ask"), st.sampled_from(NAMES), tokens),
        st.tuples(st.just("answer"), st.sampled_from(NAMES), tokens),
        st.tuples(st.just("close"), st.sampled_from(NAMES), st.none()),
    ),
    max_size=60,
)
"""Calls are asked for and answered at different times, so several are in flight at once."""


@dataclass
class Seen:
    """What happened, counted apart from the books."""

    spent: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    flying: set[str] = field(default_factory=set)

    def answered(self, member: str, cost: int) -> None:
        self.spent[member] = self.spent.get(member, 0) + cost
        self.last[member] = cost
        self.flying.discard(member)
