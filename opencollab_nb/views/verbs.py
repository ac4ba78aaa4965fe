"""The verbs of `%oc`: one table, from which help, completion and "did you mean" are made.

Each verb is one call deep into the Python API, which its help names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.errors import UnknownName
from opencollab_nb.shaping.policies import POLICIES
from opencollab_nb.views import deeds
from opencollab_nb.views.chains import shaper_names
from opencollab_nb.views.deeds import MODES, SUMMARIZERS, Order
from opencollab_nb.views.lab_verbs import LAB_VERBS
from opencollab_nb.views.lines import COUNT, SWITCH, WHOLE, Flag
from opencollab_nb.views.loaded_verbs import LOADED_VERBS
from opencollab_nb.views.moves_verbs import MOVES_VERBS
from opencollab_nb.views.names import Names
from opencollab_nb.views.results import Help, Standing
from opencollab_nb.views.team_verbs import TEAM_VERBS
from opencollab_nb.views.verb import Verb

BACKGROUND = Flag("--background", "", "come back at once with a Run: await it, pause it or stop it", SWITCH)
AT_STEP = Flag("--step", "N", "the request of this step", COUNT)
RESUME = (
    Flag("--model", "MODEL", "to go on with: a model name, or a Python name"),
    Flag("--workspace", "DIR", "to go on in"),
    Flag("--shell", "MODE", "off, ask or allow: may the agent run commands"),
    Flag("--task", "NAME", "a shipped task: goes on with the simulated agent in the run's own workspace"),
    Flag("--profile", "NAME", "of the simulated agent"),
    Flag("--seed", "N", "of the simulated agent", WHOLE),
)


def _help(order: Order) -> Help:
    words = order.at_most(1, "help [VERB]")
    return verb_help(words[0]) if words else all_help()


def _allow(order: Order) -> Standing:
    return deeds.answer(order, allowed=True)


def _deny(order: Order) -> Standing:
    return deeds.answer(order, allowed=False)


VERBS: tuple[Verb, ...] = (
    Verb(
        "step",
        "[N]",
        "take one step, or N: a reply and the results of its calls",
        "session.step()",
        deeds.step,
    ),
    Verb(
        "run",
        "[N] [--background]",
        "take steps until the agent hands back or a limit is met, at most N; --background comes back at once",
        "session.run(n), session.start(n)",
        deeds.run,
        flags=(BACKGROUND,),
    ),
    Verb("pause", "", "rest after the step under way", "session.pause()", deeds.pause),
    Verb(
        "stop",
        "",
        "give up the step under way; run or step goes on from the last whole one",
        "session.stop()",
        deeds.stop,
    ),
    Verb(
        "context",
        "[ID] [--step N]",
        "the next request (or a step's), message by message; with ID, one message as sent beside what is "
        "stored",
        "session.request().messages",
        deeds.context,
        flags=(AT_STEP,),
    ),
    Verb("shapers", "", "the chain in force and what each shaper has saved", "session.chain", deeds.shapers),
    Verb(
        "use",
        "POLICY | SHAPER...",
        "swap the chain from the next step on: a policy, a Python name, or shapers, "
        "with literals: ToolOutputClearShaper(keep_recent=3)",
        "session.use(...)",
        deeds.use,
        lambda _n, user_names: [*POLICIES, *shaper_names(), *_chains_in(user_names)],
    ),
    Verb(
        "mode",
        "sticky|stateless",
        "how the view is made",
        "session.use_mode(mode)",
        deeds.mode,
        lambda _n, _u: MODES,
    ),
    Verb(
        "summarizer",
        "none|extractive|model [NAME]|local",
        "who writes the summaries: nobody, a program that quotes, a model, or the small one of this machine",
        "session.use_summarizer(f)",
        deeds.summarizer,
        lambda _n, _u: SUMMARIZERS,
    ),
    Verb(
        "pressure",
        "",
        "the next request against window, trigger and target",
        "session.pressure",
        deeds.pressure,
    ),
    Verb(
        "transcript", "", "all messages as they are stored", "session.transcript.messages", deeds.transcript
    ),
    Verb(
        "pin",
        "ID...",
        "keep these messages (whole groups) word for word; 3-7 for a range",
        "session.pin(ids)",
        deeds.pin,
    ),
    Verb("unpin", "ID...", "let shapers change these messages again", "session.unpin(ids)", deeds.unpin),
    Verb(
        "say",
        "",
        "give the agent a message, as %%oc say: the words stand in the lines below, and go on byte for byte",
        "session.say(text)",
        deeds.say,
        takes_body=True,
    ),
    *LAB_VERBS,
    *LOADED_VERBS,
    *MOVES_VERBS,
    *TEAM_VERBS,
    Verb(
        "allow",
        "",
        "let the shell command that waits run, or with %%oc allow the one in the lines below in its place",
        "session.answer(True), session.answer(True, command)",
        _allow,
        takes_body=True,
    ),
    Verb(
        "deny",
        "",
        "refuse the shell command that waits",
        "session.answer(False)",
        _deny,
    ),
    Verb(
        "resume",
        "PATH [options]",
        "open a run folder; no model is called, and to go on one must be given, as must the workspace",
        "Session.resume(path, model=..., workspace=...)",
        deeds.resume,
        flags=RESUME,
    ),
    Verb("agents", "", "the agents of this kernel; * is the current one", "", deeds.agents),
    Verb("help", "[VERB]", "this list, or one verb", "", _help, lambda _n, _u: [verb.name for verb in VERBS]),
)


def verb_named(name: str) -> Verb:
    """The verb of that name.

    Raises:
        UnknownName: the nearest verb is given.
    """
    for verb in VERBS:
        if verb.name == name:
            return verb
    raise UnknownName("verb", name, [verb.name for verb in VERBS])


def all_help() -> Help:
    """The list of all verbs."""
    return Help(
        ["%oc [@NAME] VERB ...   orders to the current agent, or to the one named"],
        [(verb.usage, verb.help) for verb in VERBS],
        ["An agent is made by %%agent (the cell's body is its task) or %agent --task quickstart."],
    )


def verb_help(name: str) -> Help:
    """The help of one verb."""
    verb = verb_named(name)
    options = [(f"{f.name} {f.shows}".rstrip(), f.help) for f in verb.flags]
    python = [f"In Python: {verb.python}"] if verb.python else []
    start = "%%oc" if verb.takes_body and not verb.arguments else "%oc"
    return Help([f"{start} [@NAME] {verb.usage}", verb.help], options, python)


def short_help(names: Names) -> Help:
    """What plain `%oc` answers."""
    agents = ", ".join(f"@{n} ({s.state}, step {s.steps})" for n, s in names.items())
    present = f"Agents: {agents}" if agents else "No agent yet: %agent --task quickstart"
    return Help(
        [
            f"%oc needs a verb: {' '.join(verb.name for verb in VERBS)}",
            "For example: %oc step 3",
            f"%oc help says what each does. {present}",
        ]
    )


def _chains_in(user_names: Mapping[str, Any]) -> list[str]:
    return [n for n, v in user_names.items() if not n.startswith("_") and hasattr(v, "shape")]
