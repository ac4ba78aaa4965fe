"""`%%shaper NAME` and `%%summarizer NAME`: the body is Python that defines NAME in the notebook."""

from __future__ import annotations

from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.lines import read_flags, split
from opencollab_nb.views.results import Help

SIGNATURES = {"shaper": "messages, pressure", "summarizer": "request"}
_EXAMPLES = {
    "shaper": "return messages[:2] + messages[-20:]",
    "summarizer": 'return f"{len(request.messages)} messages were here"',
}


def define(shell: Any, kind: str, line: str, body: str) -> Any:
    """Run the body and look at what it has named; a shaper is tried on the laws.

    Raises:
        UsageProblem: no name, no body, or the body does not define the name.
    """
    words, _ = read_flags(split(line), ())
    if len(words) != 1 or not words[0].text.isidentifier() or not body.strip():
        raise UsageProblem("\n".join(code_help(kind).lines))
    name = words[0].text
    shell.user_ns.pop(name, None)
    source = shell.transform_cell(body)
    exec(shell.compile(source, shell.compile.cache(source), "exec"), shell.user_ns)  # noqa: S102 - the user's cell
    made = shell.user_ns.get(name)
    if not callable(made) and not hasattr(made, "shape" if kind == "shaper" else "summarize"):
        raise UsageProblem(f"the body does not define {name!r}: def {name}({SIGNATURES[kind]}): ...")
    if kind == "summarizer":
        return Help([f"{name} is ready: %oc summarizer {name}"])
    from opencollab_nb.shaping import check_shaper

    return check_shaper(made() if isinstance(made, type) else made)


def code_help(kind: str) -> Help:
    """Three lines: what is missing, an example, what to do with it."""
    uses = {
        "shaper": "It is tried on the laws of shaping at once; then: %oc use short",
        "summarizer": "Then: %oc summarizer short",
    }
    return Help(
        [
            f"%%{kind} NAME needs a name and, below it, Python that defines it.",
            f"For example: %%{kind} short ⏎ def short({SIGNATURES[kind]}): {_EXAMPLES[kind]}",
            uses[kind],
        ]
    )
