"""A team as data: what is written is read back as the same team."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.policy import Policy
from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import Role, TeamSpec, Topology
from opencollab_nb.team.shipped import shipped
from opencollab_nb.team.written import as_data
from opencollab_nb.workspace.schemas import TOOLS

NAMES = ("lead", "coder", "tester", "writer")
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)
POLICIES = st.builds(
    Policy, policy=st.sampled_from(["default", "summarize"]), tool_result_budget=st.integers(1, 99)
)
TOKENS = st.integers(1, 10**6)


@st.composite
def teams(draw: st.DrawFn) -> TeamSpec:
    names = NAMES[: draw(st.integers(1, 4))]
    own = draw(st.booleans())
    roles = tuple(
        Role(
            name,
            draw(WORDS),
            model=draw(st.none() | st.just("gpt-5")),
            tools=draw(st.none() | st.lists(st.sampled_from(list(TOOLS)), unique=True).map(tuple)),
            temperature=draw(st.none() | st.floats(0, 2)),
            budget_tokens=draw(TOKENS) if own else None,
            context=draw(st.none() | POLICIES),
            skill=draw(st.just("") | WORDS),
        )
        for name in names
    )
    pairs = [(a, b) for a in names for b in names if a != b]
    edges = (
        st.lists(st.sampled_from(pairs), unique=True).map(lambda e: tuple(sorted(e)))
        if pairs
        else st.just(())
    )
    pool, each = draw(st.sampled_from([(None, None), (None, 5_000), (90_000, None)]))
    return TeamSpec(
        draw(st.sampled_from(names)),
        roles,
        Topology(draw(edges), draw(edges)),
        draw(POLICIES),
        each,
        None if own else pool,
        task=draw(st.none() | WORDS),
        project=draw(st.just("") | WORDS),
        window=draw(st.none() | st.integers(1_024, 10**6)),
        max_steps=draw(st.none() | st.integers(1, 99)),
    )


@settings(max_examples=60, deadline=None)
@given(teams())
def test_what_is_written_is_read_back_through_json(team: TeamSpec) -> None:
    assert read_team(json.loads(json.dumps(as_data(team)))) == team


@pytest.mark.parametrize("name", sorted(shipped()))
def test_the_shipped_teams_are_read_back(name: str) -> None:
    assert read_team(as_data(read_team(name))) == read_team(name)
