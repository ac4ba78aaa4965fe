"""A plan is data: a goal, constraints, and milestones with the calls that reach them.

`<name>` in a milestone is filled from its row when the plan is loaded. A `<name>` left over in a call
is a *fact*: it is needed at the time of the call and must then be seen in the request, so a plan holds
no values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

HOLE = re.compile(r"<(\w+)>")
TEAM_TOOLS = ("send_message", "spawn_agent", "wait")
"""Tools that a member of a team has beside those of the workspace."""
TOOLS = ("file_read", "grep", "bash", "git_diff", "run_tests", "file_write", "apply_patch", *TEAM_TOOLS)


class ToolCall(NamedTuple):
    """One call of a tool, with arguments that may still hold facts as `<name>`."""

    name: str
    arguments: dict[str, Any]

    @property
    def needs(self) -> list[str]:
        """The facts without which this call cannot be made.

        >>> ToolCall("file_write", {"path": "a.py", "content": "LIMIT = <limit>"}).needs
        ['limit']
        """
        return list(dict.fromkeys(HOLE.findall(json.dumps(self.arguments))))

    def with_facts(self, values: Mapping[str, str]) -> ToolCall:
        """The same call with its facts put in."""
        return ToolCall(self.name, fill(self.arguments, values))


@dataclass(frozen=True)
class Fact:
    """A value the agent must read: where it stands and how to find it again."""

    name: str
    path: str
    """Only results of calls on this path can show it."""
    match: str
    """Regular expression; its first group is the value."""
    again: ToolCall
    """The narrow call that shows it once more."""
    told: str = ""
    """Regular expression: how a colleague's message says it. It is waited for while anybody is at work."""


@dataclass(frozen=True)
class Entry:
    """One thing to do within a milestone."""

    call: ToolCall | None
    """None where there is only a temptation."""
    say: str = ""
    """What the agent says with it, one line."""
    expect: str | None = None
    """`passed`: a run of the tests that must be green."""
    unless: str | None = None
    """The constraint that forbids `tempted`."""
    tempted: ToolCall | None = None
    instead: ToolCall | None = None

    @property
    def calls(self) -> list[ToolCall]:
        """Every call that counts as this entry."""
        return [call for call in (self.call, self.tempted, self.instead) if call is not None]


@dataclass(frozen=True)
class Constraint:
    """What must not happen, the words that say so, and how an act against it is recognised."""

    name: str
    text: str
    seen: str
    check: dict[str, Any]
    says: tuple[str, ...] = ()
    """Sentences that say it, tried by the lint."""
    says_not: tuple[str, ...] = ()
    """Sentences that sound like it and do not say it."""
    told_after: str | None = None
    """The milestone after which the user says it; None for a constraint that stands in the task."""


@dataclass(frozen=True)
class Alteration:
    """One way to alter the project, so that tests which are the work can be tested themselves."""

    name: str
    path: str
    """A file, or a folder whose Python files are meant."""
    match: str
    """Regular expression; the number in its first group is made one more, wherever it matches."""


@dataclass(frozen=True)
class Milestone:
    """A finishable part of the task."""

    id: str
    done: str
    """Regular expression of the mark that shows it as finished in a result of `bash`."""
    facts: dict[str, Fact]
    read: tuple[Entry, ...]
    do: tuple[Entry, ...]
    accept: str | None = None
    """The test file that judges it."""


@dataclass(frozen=True)
class Plan:
    """A whole task as the simulated agent plays it."""

    name: str
    title: str
    goal: str
    goal_seen: str
    constraints: dict[str, Constraint]
    milestones: tuple[Milestone, ...]
    check: ToolCall
    """How to find out what is finished."""
    aside: tuple[ToolCall, ...] = ()
    """Where it drifts when it overlooks the goal."""
    window: int = 16_000
    """Tokens of the context window the task is meant for."""
    steps: int = 0
    """Steps of the reference run: profile ideal, no limit, no shaping."""
    sources: tuple[str, ...] = ()
    """What the acceptance tests take from the workspace; all else comes from the task."""
    tests: dict[str, int] = field(default_factory=dict)
    """The test files that judge it, and how many tests each holds; 0 for any number but none."""
    altered: tuple[Alteration, ...] = ()
    """Where the work is tests: altered projects, on each of which every one of its files must fail."""
    by_id: dict[str, Milestone] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {m.id: m for m in self.milestones})

    @property
    def task_text(self) -> str:
        """The first user message: the goal and the constraints, but for those that are told later."""
        constraints = "\n".join(f"- {c.text}" for c in self.constraints.values() if c.told_after is None)
        return f"{self.goal.strip()}\n\nHard constraints:\n{constraints}"

    @property
    def told_later(self) -> tuple[Constraint, ...]:
        """The constraints that the user says in mid-run."""
        return tuple(c for c in self.constraints.values() if c.told_after is not None)

    @property
    def temptations(self) -> int:
        """How many acts against a constraint the plan offers."""
        return sum(e.unless is not None for m in self.milestones for e in m.do)


def fill(value: Any, row: Mapping[str, Any]) -> Any:
    """Every `<name>` of the row replaced, in all strings of the value; the others stay.

    >>> fill({"path": "<area>.py", "limit": "<limit>"}, {"area": "mail"})
    {'path': 'mail.py', 'limit': '<limit>'}
    """
    if isinstance(value, str):
        return HOLE.sub(lambda hole: str(row.get(hole[1], hole[0])), value)
    if isinstance(value, Mapping):
        return {fill(k, row): fill(v, row) for k, v in value.items()}
    if isinstance(value, list):
        return [fill(v, row) for v in value]
    return value
