"""Who plays a role, where a team file names models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.team import Team

FILE = """
entry: lead
model: large
roles:
  lead: {prompt: You lead.}
  coder: {prompt: You write code., model: small}
topology: {message: {lead: [coder]}}
"""
LEAD, CODER, SMALL, LARGE = (ScriptedModel(["Done."], name=name) for name in ("a", "b", "small", "large"))


def played_by(given: Any, folder: Path) -> list[Any]:
    """The models that play the lead and the coder."""
    team = Team(FILE, task="Go.", model=given, path=folder / "t")
    team.say("Go.", to="coder")
    sessions = [team.members[name].session for name in ("lead", "coder")]
    team.close()
    return [session.model for session in sessions if session is not None]


@pytest.mark.parametrize(
    ("given", "plays"),
    [
        ({"lead": LEAD, "coder": CODER}, [LEAD, CODER]),
        ({"large": LARGE, "small": SMALL}, [LARGE, SMALL]),
        ({"small": SMALL, "lead": LEAD}, [LEAD, SMALL]),
        ({"coder": CODER, "large": LARGE, "small": SMALL}, [LARGE, CODER]),
        (LARGE, [LARGE, LARGE]),
        (lambda role: {"lead": LEAD, "coder": CODER}[role], [LEAD, CODER]),
    ],
)
def test_a_mapping_has_keys_by_role_before_the_names_of_the_file(
    given: Any, plays: list[Any], tmp_path: Path
) -> None:
    assert played_by(given, tmp_path) == plays


def test_a_role_that_neither_key_stands_for_is_told_with_both(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="the role 'coder', nor for 'small', which the file names for it"):
        played_by({"lead": LEAD}, tmp_path)
