"""The verbs of `%oc` for exploring: other chains, past steps, branches, originals back, modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.shaping.policies import POLICIES
from opencollab_nb.views import lab_deeds
from opencollab_nb.views.chains import shaper_names
from opencollab_nb.views.deeds import MODES
from opencollab_nb.views.lines import COUNT, SWITCH, WINDOW, Flag, one_of
from opencollab_nb.views.names import Names
from opencollab_nb.views.verb import Verb

WHAT_IF = (
    Flag("--step", "N", "at the request of this step, not at the next one", COUNT),
    Flag("--mode", "MODE", "sticky or stateless", one_of("mode", lambda: MODES), lambda: MODES),
    Flag("--target", "RATIO", "the share of the trigger to work down to", lab_deeds.RATIO),
    Flag("--window", "TOKENS", "of a loaded transcript, instead of its own", WINDOW),
    Flag("--figure", "", "of a loaded transcript, the pressure at every step as a plotly figure", SWITCH),
)
FIGURE = Flag("--figure", "", "the curves over each other, as a plotly figure", SWITCH)
EXPORT = (
    Flag("--force", "", "overwrite the file; write a shaper that breaks laws, saying so in it", SWITCH),
)


def _chains(_names: Names, user_names: Mapping[str, Any]) -> Iterable[str]:
    own = [n for n, v in user_names.items() if not n.startswith("_") and hasattr(v, "shape")]
    return [*POLICIES, *shaper_names(), *own]


def _written(names: Names, _user_names: Mapping[str, Any]) -> Iterable[str]:
    return ["shaper", "summarizer", *names.written]


LAB_VERBS: tuple[Verb, ...] = (
    Verb(
        "whatif",
        "POLICY | SHAPER... [--step N] [--mode MODE] [--target RATIO] [--window TOKENS] [--figure]",
        "what another chain would send, and would have sent at every step so far; the run is not touched",
        "what_if(session, ...), pressure_curve(session, ...); a loaded transcript in its place",
        lab_deeds.whatif,
        _chains,
        WHAT_IF,
    ),
    Verb(
        "rounds",
        "",
        "a card for each round: layers, limits, tokens, messages, summary",
        "session.rounds()",
        lab_deeds.rounds,
    ),
    Verb(
        "at",
        "STEP",
        "the request of a step as it was sent, with all that was in force",
        "session.at(step)",
        lab_deeds.at,
    ),
    Verb(
        "fork",
        "[STEP]",
        "a branch from the end of a step (or of the last), workspace and all; it becomes the current agent",
        "session.fork(step)",
        lab_deeds.fork,
    ),
    Verb(
        "branches",
        "[--figure]",
        "the run and its branches side by side: chain, steps, tokens, pressure; --figure draws the curves",
        "session.branches, figures.branches_figure(session)",
        lab_deeds.branches,
        flags=(FIGURE,),
    ),
    Verb("panel", "", "the live panel of the agent", "session", lab_deeds.panel),
    Verb(
        "restore",
        "ID...",
        "bring messages back word for word from the next request on; they stay until unpin; 3-7 for a range",
        "session.restore(ids)",
        lab_deeds.restore,
    ),
    Verb(
        "target",
        "RATIO",
        "the share of the trigger that rounds work down to, such as 0.75",
        "session.use_target(ratio)",
        lab_deeds.target,
    ),
    Verb(
        "export",
        "shaper|summarizer NAME FILE.py [--force]",
        "write what a cell defined as a module, checked in a fresh process",
        "",
        lab_deeds.export,
        _written,
        EXPORT,
    ),
)
