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
_EXAMPLES = {
    "shaper": "return messages[:2] + messages[-20:]",
    "summarizer": 'return f"{len(request.messages)} messages were here"',
}


def run_cell(shell: Any, names: Names, kind: str, line: str, body: str) -> Any:
    """Define what the body says, try it, and put it in force if asked.

    Raises:
        UsageProblem: no name, no body, or the body does not define the name.
    """
    words, flags = read_flags(split(line), FLAGS[kind])
    agent = [word for word in words if word.text.startswith("@")]
    free = [word for word in words if word not in agent]
    if len(free) != 1 or len(agent) > 1 or not free[0].text.isidentifier() or not body.strip():
        raise UsageProblem("\n".join(code_help(kind).lines[:3]))
    session = names.find(agent[0].text[1:]) if agent else current_session(names)
    written = define(shell, kind, free[0].text, body)
    names.written[written.name] = written
    attempt: Any = try_shaper if kind == "shaper" else try_summarizer
    use, force = bool(flags.get("use")), bool(flags.get("force"))
    return attempt(written, session, use=use, force=force, on=flags.get("on"))


def current_session(names: Names) -> Any:
    """The current agent's session; None before the first and after it was closed."""
    session = dict(names.items()).get(names.current or "")
    return None if session is None or session.closed else session


def code_help(kind: str) -> Help:
    """Three lines, what is missing, an example, what to do with it; then the options."""
    uses = {
        "shaper": "It is tried on the laws of shaping and on the current transcript; then: %oc use short",
        "summarizer": "It is asked once, to show what its summary keeps; then: %oc summarizer short",
    }
    options = [f"  {flag.name} {flag.shows}".rstrip() + f"  {flag.help}" for flag in FLAGS[kind]]
    return Help(
        [
            f"%%{kind} NAME needs a name and, below it, Python that defines it.",
            f"For example: %%{kind} short ⏎ def short({SIGNATURES[kind]}): {_EXAMPLES[kind]}",
            uses[kind],
            *options,
        ]
    )
