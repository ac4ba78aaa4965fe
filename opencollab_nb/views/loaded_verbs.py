"""The verbs of `%oc` for transcripts of other agents: load, replay, compare."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.shaping.policies import POLICIES
from opencollab_nb.views import loaded_deeds
from opencollab_nb.views.deeds import MODES
from opencollab_nb.views.lines import SWITCH, TEXT, WINDOW, Flag, Kind, one_of
from opencollab_nb.views.loaded_names import is_loaded
from opencollab_nb.views.names import Names
from opencollab_nb.views.verb import Verb


def _formats() -> list[str]:
    from opencollab_nb.importers.formats import FORMATS

    return [known.NAME for known in FORMATS]


def _windows(text: str) -> Any:
    """One window, or a list of them."""
    value = ast.literal_eval(text)
    if isinstance(value, (list, tuple)) and value:
        return [WINDOW.value("--window", str(one)) for one in value]
    return WINDOW.value("--window", text)


def _loaded(names: Names, user_names: Mapping[str, Any]) -> Iterable[str]:
    variables = [n for n, value in list(user_names.items()) if not n.startswith("_") and is_loaded(value)]
    return [*names.loaded, *variables]


LOAD = (
    Flag("--name", "NAME", "what to call it; else the file's name"),
    Flag(
        "--format", "FORMAT", "where it is not to be guessed", one_of("format", _formats), lambda: _formats()
    ),
)
REPLAY = (
    Flag("--window", "TOKENS", "context window in tokens; else that of the recording", WINDOW),
    Flag("--policy", "POLICY", "a policy by name, or a YAML file", TEXT, lambda: POLICIES),
    Flag("--mode", "MODE", "sticky or stateless projection", one_of("mode", lambda: MODES), lambda: MODES),
    Flag("--name", "NAME", "what to call the session"),
)
COMPARE = (
    Flag("--chains", "CHAINS", 'one or several, parted by |: "default | none | OldHistorySnipShaper"'),
    Flag(
        "--window",
        "TOKENS",
        "context window in tokens, or several: [64_000,200_000]; else that of each transcript",
        Kind("tokens from 1_024 up, such as 64_000 or [64_000,200_000]", _windows),
    ),
    Flag("--mode", "MODE", "sticky or stateless; else both", one_of("mode", lambda: MODES), lambda: MODES),
    Flag("--model", "MODEL", "whose tokens, window and prices to take; else those of each transcript"),
    Flag("--survival", "", "also count what survives of each transcript's facts", SWITCH),
)

LOADED_VERBS: tuple[Verb, ...] = (
    Verb(
        "load",
        "PATH [--name NAME] [--format FORMAT]",
        "open what another agent wrote: a file, a folder or a pattern; at, context, transcript, whatif show "
        "it by @NAME, one of several by @NAME.3",
        "load(path)",
        loaded_deeds.load,
        flags=LOAD,
    ),
    Verb(
        "replay",
        "[NAME | PATH] [--window TOKENS] [--policy POLICY] [--mode MODE] [--name NAME]",
        "a session in which a loaded transcript plays its replies; it becomes the current agent",
        "replay(transcript, ...)",
        loaded_deeds.replay,
        _loaded,
        REPLAY,
    ),
    Verb(
        "compare",
        "[NAME | PATH ...] [--chains CHAINS] [--window TOKENS] [--mode MODE] [--model MODEL] [--survival]",
        "chains on transcripts, request by request; without --chains a panel to pick them in",
        "compare(transcripts, chains, ...)",
        loaded_deeds.compare,
        _loaded,
        COMPARE,
    ),
)
