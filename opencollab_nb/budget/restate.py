"""The restatement: direction and state of the work in a fixed format, made by the harness, by no model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from opencollab_nb.budget.anchors import Anchors, direction_lines
from opencollab_nb.budget.todos import Todos
from opencollab_nb.messages import Message
from opencollab_nb.tokens.estimate import estimate

TITLE = "[Restatement"
STATE_TOKENS = 400
"""What finished milestones and todos may have together; goal and constraints come on top and never fold."""
CALLED_FOR_BY = frozenset(
    {"ToolOutputClearShaper", "OldHistorySnipShaper", "AutoCompactShaper", "SegmentCompactShaper"}
)
"""Layers after which a restatement is due. The others shorten one result, and the work still stands there."""
_FINISHED_TOKENS = 100
"""Kept for finished milestones where the open todos alone would take all."""
_JOINT_TOKENS = 2
_STATE_LIKE = re.compile(r"(?m)^(Open|Finished) \(")
_CLOSING = "It stands above whatever was said before."


class _Listed(NamedTuple):
    """Part of a list as one line, and how many of its items did not fit."""

    title: str
    shown: Sequence[str]
    left_out: int

    def line(self, *, newest: bool) -> str:
        """The line; what was left out is counted where it stood, at the front or at the end."""
        total = len(self.shown) + self.left_out
        folded = [f"{self.left_out} {'earlier' if newest else 'more'}"] if self.left_out else []
        items = [*folded, *self.shown] if newest else [*self.shown, *folded]
        return f"{self.title} ({total}): {'; '.join(items) or 'none'}"


def build(
    anchors: Anchors, todos: Todos, *, step: int | None = None, count: Callable[[str], int] = estimate
) -> str:
    """The restatement of this moment.

    Goal and constraints stand word for word, lines that look like those of the state among them: then both
    lines of the state are there, and the last two are always the harness's. Finished milestones and todos
    have at most 400 tokens together: the oldest finished ones fold into a count, and of very many open
    todos the last.

    Args:
        anchors: goal, constraints, milestones.
        todos: the state of the work.
        step: the step before which it is sent.
        count: text -> tokens.

    >>> anchors = Anchors()
    >>> _ = anchors.register("goal", "Add tests for the shop.")
    >>> _ = anchors.register("constraints", "The schema must not be changed.")
    >>> todos = Todos().updated(["login: tests", "mail: tests"]).changed("t1", "done")
    >>> print(build(anchors, todos, step=8))
    [Restatement at step 8, by the harness. It stands above whatever was said before.]
    Goal: Add tests for the shop.
    Constraints:
    - The schema must not be changed.
    Finished (1): t1 "login: tests"
    Open (1): t2 "mail: tests"
    """
    when = "" if step is None else f" at step {step}"
    direction = direction_lines(anchors)
    state = state_lines(anchors, todos, count, both=poses_as_state(direction))
    return "\n".join([f"{TITLE}{when}, by the harness. {_CLOSING}]", *direction, *state])


def poses_as_state(texts: Iterable[str]) -> bool:
    """True where a line of the user's looks like one of finished or open todos."""
    return any(_STATE_LIKE.search(text) for text in texts)


def state_lines(
    anchors: Anchors, todos: Todos, count: Callable[[str], int] = estimate, *, both: bool = False
) -> list[str]:
    """The lines of finished milestones and open todos, within 400 tokens.

    Without `both` there is no line of what there never was: no finished ones, no todos.
    """
    finished = finished_items(anchors, todos)
    still_open = [todo.line for todo in todos.open]
    room = STATE_TOKENS
    while True:
        lines = _lines(finished, still_open, (both or bool(finished), both or bool(len(todos))), room, count)
        over = count("\n".join(lines)) - STATE_TOKENS
        if over <= 0 or room < 0:
            return lines
        # Tokens of parts need not add up to those of the whole.
        room -= over


def finished_items(anchors: Anchors, todos: Todos) -> list[str]:
    """Finished milestones and done todos in the order they were finished, none twice."""
    done = {todo.text: todo.id for todo in todos.done}
    milestones = anchors.texts("milestones")
    texts = dict.fromkeys([*(text for text in done if text not in milestones), *milestones])
    return [_finished(text, done.get(text)) for text in texts]


def _finished(text: str, todo_id: str | None) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if todo_id is None else f"{todo_id} {quoted}"


def _lines(
    finished: Sequence[str],
    still_open: Sequence[str],
    wanted: tuple[bool, bool],
    room: int,
    count: Callable[[str], int],
) -> list[str]:
    kept_for_finished = _FINISHED_TOKENS if finished else 0
    first = _first(still_open, room - kept_for_finished, count)
    used = sum(count(item) + _JOINT_TOKENS for item in still_open[:first])
    newest = _first(finished[::-1], room - used - kept_for_finished // 4, count)
    lines = []
    if wanted[0]:
        shown = finished[len(finished) - newest :]
        lines.append(_Listed("Finished", shown, len(finished) - newest).line(newest=True))
    if wanted[1]:
        lines.append(_Listed("Open", still_open[:first], len(still_open) - first).line(newest=False))
    return lines


def _first(items: Sequence[str], room: int, count: Callable[[str], int]) -> int:
    """How many of the first items fit the room."""
    for number, item in enumerate(items):
        room -= count(item) + _JOINT_TOKENS
        if room < 0:
            return number
    return len(items)


def message(text: str) -> Message:
    """The restatement as the tail of a request: sent once, never part of the view."""
    return {"role": "user", "content": text, "meta": {"source": "restatement"}}


def due(
    step: int,
    last_step: int | None,
    restate_every: int | None,
    milestone_since: bool = False,
    compaction_since: bool = False,
) -> str | None:
    """Why a restatement is due before this step; None where it is not.

    Args:
        step: the step that comes, from 1.
        last_step: the step of the last restatement; None before the first.
        restate_every: steps between two; None for none by interval.
        milestone_since: a milestone was finished since.
        compaction_since: older messages were cleared, snipped or compacted since.

    >>> due(8, None, 8), due(9, 8, 8), due(9, 8, 8, milestone_since=True)
    ('interval', None, 'milestone')
    """
    if compaction_since:
        return "compaction"
    if milestone_since:
        return "milestone"
    return "interval" if restate_every and step - (last_step or 0) >= restate_every else None
