"""A small file of another agent, with usage, a compaction and a sub-agent, for the views of loaded ones."""

from __future__ import annotations

from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Compacted, Origin, Sent, Transcript
from tests.build import assistant, numbered, task, tool_step

STEPS = 16


def loaded(name: str = "a.jsonl") -> Transcript:
    """A transcript of 16 steps whose agent put the first six into a summary after the tenth."""
    messages = numbered([task("Mend it."), *(m for n in range(STEPS) for m in tool_step(n, "line " * 700))])
    sent = tuple(Sent(1 + 2 * n, 1 + 2 * n, Usage(900 + 700 * (n % 10), 0, 20)) for n in range(STEPS))
    summary = Compacted(21, [[1, 12]], "[what was done until then]", 7_000)
    child = Transcript.of(
        numbered([task("Look."), assistant("Seen.")]),
        origin=Origin("pi", name, f"{name} sub", (Sent(1, 1),), title="Look."),
    )
    return Transcript.of(
        messages, origin=Origin("pi", name, name, sent, (summary,), children=(child,), title="Mend it.")
    )
