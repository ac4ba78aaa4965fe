"""`%%shaper NAME` and `%%summarizer NAME`: the body is Python that defines NAME in the notebook."""

from __future__ import annotations

from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.lines import SWITCH, Flag, read_flags, split
from opencollab_nb.views.names import Names
from opencollab_nb.views.results import Help
from opencollab_nb.views.shaper_cell import try_shaper
from opencollab_nb.views.summarizer_cell import try_summarizer
from opencollab_nb.views.written import SIGNATURES, define

FLAGS = {
    "shaper": (
        Flag("--use", "", "put it in force from the next step on, if all laws hold", SWITCH),
        Flag("--force", "", "with --use: put it in force even if laws are broken; the trace says so", SWITCH),
        Flag("--on", "FILE", "preview it on a run folder or a file of messages (JSON lines) instead"),
    ),
    "summarizer": (
        Flag("--use", "", "it writes the summaries from the next step on, if its answer can be used", SWITCH),
        Flag("--force", "", "with --use: even if its answer was refused; the trace says so", SWITCH),
        Flag("--on", "FILE", "try it on a run folder or a file of messages (JSON lines) instead"),
    ),
}
EXAMPLES = {
    "shaper": """%%shaper short
from opencollab_nb.shaping import groups

def short(messages, pressure):
    if not pressure.over(messages):
        return messages
    old = [group for group in groups(messages, 2) if group.may_leave and group.calls][:-4]
    gone = {at for group in old for at in range(group.start, group.stop)}
    return [m for at, m in enumerate(messages) if at not in gone] if gone else messages
""",
    "summarizer": """%%summarizer short
def short(request):
    return f"{len(request.messages)} messages were here"
""",
}
"""Whole cells; the shaper keeps all laws."""


def run_cell(shell: Any, names: Names, kind: str, line: str, body: str) -> Any:
    """Define what the body says, try it, and put it in force if asked.

    Raises:
        UsageProblem: no name, no body, or the body does not define the name.
    """
    words, flags = read_flags(split(line), FLAGS[kind])
    agent = [word for word in words if word.text.startswith("@")]
    free = [word for word in words if word not in agent]
    if len(free) != 1 or len(agent) > 1 or not free[0].text.isidentifier() or not body.strip():
        raise UsageProblem("\n".join(missing(kind)))
    use, force = bool(flags.get("use")), bool(flags.get("force"))
    session = names.find(agent[0].text[1:]) if agent else names.find_any()
    if use and session is None and names.in_variables():
        names.find()  # says between which sessions there is a choice
    written = define(shell, kind, free[0].text, body)
    names.written[written.name] = written
    attempt: Any = try_shaper if kind == "shaper" else try_summarizer
    return attempt(written, session, use=use, force=force, on=flags.get("on"))


def code_help(kind: str) -> Help:
    """What it takes, what becomes of it, the options, and a cell to start from."""
    first, _, use = missing(kind)
    options = [(f"{flag.name} {flag.shows}".rstrip(), flag.help) for flag in FLAGS[kind]]
    return Help([first, use], options, ["For example:"], EXAMPLES[kind])


def missing(kind: str) -> list[str]:
    """Three lines: what is missing, where there is an example, what can be done with it."""
    uses = {
        "shaper": "It is tried on the laws of shaping and on the current transcript; then: %oc use NAME",
        "summarizer": "It is asked once, to show what its summary keeps; then: %oc summarizer NAME",
    }
    return [
        f"%%{kind} NAME needs a name and, below it, Python that defines it: "
        f"def NAME({SIGNATURES[kind]}) or a class.",
        f"For an example: %%{kind} --help",
        uses[kind],
    ]
