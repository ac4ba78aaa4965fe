"""What docs/teams.md and docs/team-trace.md say of keys, layers and events is what the code has."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from opencollab_nb.policy import Policy
from opencollab_nb.team.context import LAYERS
from opencollab_nb.team.edges import KINDS
from opencollab_nb.team.events import TEAM_EVENTS
from opencollab_nb.team.file import KEYS
from opencollab_nb.team.outcome import AT_WORK, OUTCOMES, WAITING
from opencollab_nb.team.roles import ROLE_KEYS
from opencollab_nb.trace.schema import as_markdown

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "teams.md").read_text()


def rows(header: str) -> list[list[str]]:
    """The rows of the table whose first column has this title."""
    [table] = re.findall(rf"^\| {header} \|.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [
        [cell.strip().strip("`") for cell in line.strip("|\n ").split("|")] for line in table.splitlines()
    ]


@pytest.mark.parametrize(
    ("header", "keys"),
    [
        ("key of the team", KEYS),
        ("key of a role", ROLE_KEYS),
        ("key of a topology", KINDS),
        ("key of a budget", ("tokens", "pool")),
        ("key of a context", tuple(field.name for field in fields(Policy))),
    ],
)
def test_each_key_of_a_team_file_has_its_row_and_no_other(header: str, keys: tuple[str, ...]) -> None:
    assert [row[0] for row in rows(header)] == list(keys)


def test_the_layers_have_the_written_priorities() -> None:
    assert {layer: int(priority) for layer, priority, _ in rows("layer")} == dict(LAYERS)


def test_every_outcome_is_named() -> None:
    for outcome in (*OUTCOMES, AT_WORK, WAITING):
        assert f"`{outcome}`" in TEXT


def test_the_written_schema_of_a_team_s_events_is_the_one_in_force() -> None:
    written = (DOCS / "team-trace.md").read_text()
    assert as_markdown(TEAM_EVENTS) in written, "write docs/team-trace.md again from team.events.TEAM_EVENTS"
