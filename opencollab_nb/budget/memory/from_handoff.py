"""What of a handoff is worth remembering beyond the next session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.memory.memory import shortened

if TYPE_CHECKING:
    from opencollab_nb.budget.handoff import Handoff

_KINDS = {"decisions": "decision", "ruled_out": "ruled_out", "cautions": "caution"}
GOAL_CHARS = 200


def memories_of(handoff: Handoff) -> list[dict[str, Any]]:
    """Arguments for `MemoryStore.remember`, one after the other.

    Decisions, what was ruled out, cautions, and how it ended. Not the constraints: they bind this
    task, and in a store they would bind the next one. Not the todos: they are stale when it goes on.
    """
    return list(_memories(handoff))


def _memories(handoff: Handoff) -> Iterator[dict[str, Any]]:
    source = handoff.session or "handoff"
    for field, kind in _KINDS.items():
        for item in getattr(handoff, field):
            text = f"{item.text}, because {item.reason}" if item.reason else item.text
            yield {"text": text, "kind": kind, "source": source, "by": item.by}
    if handoff.goal:
        done, left = len(handoff.finished), len(handoff.open_todos)
        counted = f"; {done} finished, {left} open" if done or left else ""
        goal = shortened(handoff.goal, GOAL_CHARS)
        yield {
            "text": f"Worked on: {goal} Ended as {handoff.reason or 'unknown'}{counted}.",
            "kind": "outcome",
            "source": source,
            "by": "harness",
        }
