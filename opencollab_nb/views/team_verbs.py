"""The verb of `%oc` for teams."""

from __future__ import annotations

from opencollab_nb.views import team_deeds
from opencollab_nb.views.verb import Verb

TEAM_VERBS: tuple[Verb, ...] = (
    Verb(
        "team",
        "show FILE",
        "draw a team: who may spawn and message whom, and what each may spend; FILE is a team file, a "
        "shipped team such as example, or a Python name; all faults of a file are told at once",
        "read_team(file)",
        team_deeds.team,
        team_deeds.team_words,
    ),
)
