"""The status line: what is left, and how long nothing was changed; made by the harness, by no model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from opencollab_nb.messages import Message, call_name, meta_of, text_of, tool_calls_of

TITLE = "[Status"
READS = frozenset({"file_read", "grep", "git_diff"})
"""Tools that only look."""
EDITS = frozenset({"file_write", "apply_patch"})
"""Tools that change a file: whoever is offered one can write."""
SOFT_READS, HARD_READS = 8, 16
"""Reads in a row after which an agent that can write is asked, then told, to act."""
_FAILED = ("Error", "[interrupted]")
_SOFT = "Do you know enough to make the next change? If so, make it."
_HARD = "Stop reading: make the next change now, or say what keeps you from it."


@dataclass(frozen=True)
class Facts:
    """What a status line is made of.

    >>> print(status(Facts(step=9, steps_left=31, tokens_left=45_210, reads=8)))
    [Status at step 9, by the harness] Steps left: 31. Tokens left: 45,210. Reads since your last edit: 8. \
Do you know enough to make the next change? If so, make it.
    """

    step: int
    """The step that comes, from 1."""
    steps_left: int | None = None
    """With this one; None without a limit."""
    tokens_left: int | None = None
    """None without a limit."""
    reads: int | None = None
    """Reads since the last edit; None for an agent that cannot write."""


def status(facts: Facts) -> str | None:
    """The line; None where there is nothing to say: no limit, and no reads in a row.

    >>> status(Facts(step=1, reads=0)) is None
    True
    """
    parts = []
    if facts.steps_left is not None:
        parts.append(f"Steps left: {max(0, facts.steps_left):,}.")
    if facts.tokens_left is not None:
        parts.append(f"Tokens left: {max(0, facts.tokens_left):,}.")
    if facts.reads:
        parts.append(f"Reads since your last edit: {facts.reads:,}.")
        parts.append(nudge(facts.reads))
    said = " ".join(filter(None, parts))
    return f"{TITLE} at step {facts.step}, by the harness] {said}" if said else None


def nudge(reads: int) -> str:
    """What is said of so many reads in a row; empty where they are few.

    >>> nudge(7), nudge(8) == nudge(15) != nudge(16)
    ('', True)
    """
    return _HARD if reads >= HARD_READS else _SOFT if reads >= SOFT_READS else ""


def can_write(tools: Collection[str]) -> bool:
    """True where one of these tools changes files by itself.

    >>> can_write(["file_read", "apply_patch"]), can_write(["file_read", "bash"])
    (True, False)
    """
    return not EDITS.isdisjoint(tools)


def reads_since_edit(messages: Sequence[Message], changed_at: Collection[int] = ()) -> int:
    """How often the agent has looked at something since it last changed a file.

    Args:
        messages: the transcript so far.
        changed_at: steps after which files were seen to differ: a shell command of such a step counts as
            an edit, any other as neither.
    """
    failed: set[str] = set()
    reads = 0
    for message in reversed(messages):
        if message.get("role") == "tool" and text_of(message).startswith(_FAILED):
            failed.add(str(message.get("tool_call_id")))
        for call in reversed(tool_calls_of(message)):
            name, own = call_name(call), str(call.get("id"))
            went_wrong = own in failed
            failed.discard(own)  # ids repeat
            shell_edit = name == "bash" and meta_of(message).get("step") in changed_at
            if shell_edit or (name in EDITS and not went_wrong):
                return reads
            reads += name in READS
    return reads


def joined(restated: Message, line: str) -> Message:
    """The restatement with the status below its title: its last lines stay the state of the work."""
    title, _, rest = text_of(restated).partition("\n")
    return {**restated, "content": "\n".join(filter(None, [title, line, rest]))}


def message(line: str) -> Message:
    """The status as the tail of a request: sent once, never part of the view."""
    return {"role": "user", "content": line, "meta": {"source": "steering"}}
