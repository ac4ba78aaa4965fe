"""The verb of `%oc` for teams."""

from __future__ import annotations

from opencollab_nb.views import team_deeds
from opencollab_nb.views.lines import SWITCH, Flag
from opencollab_nb.views.verb import Verb

FLAGS = (
    Flag("--background", "", "with run: come back at once; all members work, each in a thread", SWITCH),
    Flag(
        "--to", "MEMBER", "with say: who gets the lines below, else who got the task; with use: whose shapers"
    ),
)

TEAM_VERBS: tuple[Verb, ...] = (
    Verb(
        "team",
        f"show FILE | {' | '.join(act for act in team_deeds.ACTS if act != 'show')} [NAME] [N]",
        "show draws a team: who may spawn and message whom, and what each may spend; FILE is a team file, a "
        "shipped team such as example, or a Python name; all faults of a file are told at once. The others "
        "are for a Team by its Python name, which may be left out where there is only one; use takes a "
        "policy or shapers, as %oc use does",
        "read_team(file); team.step(), team.run(n), team.say(text, to), team.use(shapers), team.audit()",
        team_deeds.team,
        team_deeds.team_words,
        FLAGS,
        takes_body=True,
    ),
)
