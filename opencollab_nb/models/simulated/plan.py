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
from pathlib import Path
from typing import Any, NamedTuple

from opencollab_nb.errors import SpecificationError, nearest

HOLE = re.compile(r"<(\w+)>")
TOOLS = ("file_read", "grep", "bash", "git_diff", "run_tests", "file_write", "apply_patch")


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
    """The test files that judge it, and how many tests each holds."""
    by_id: dict[str, Milestone] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {m.id: m for m in self.milestones})

    @property
    def task_text(self) -> str:
        """The first user message: the goal and the constraints."""
        constraints = "\n".join(f"- {c.text}" for c in self.constraints.values())
        return f"{self.goal.strip()}\n\nHard constraints:\n{constraints}"

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


def load_plan(path: str | Path) -> Plan:
    """Read a plan from a `plan.yaml` or the folder that holds one.

    Raises:
        SpecificationError: a key or tool that is not known, or one that is missing.
    """
    import yaml

    path = Path(path)
    path = path / "plan.yaml" if path.is_dir() else path
    return plan_from(yaml.safe_load(path.read_text(encoding="utf-8")), path.parent.name)


def plan_from(data: Mapping[str, Any], name: str) -> Plan:
    """A plan from its parsed YAML.

    Raises:
        SpecificationError: a key or tool that is not known, or one that is missing.
    """
    only(data, "the plan", needed=PLAN_NEEDED, allowed=PLAN_ALLOWED)
    made = [milestone(template, row) for template in data["milestones"] for row in template.get("rows", [{}])]
    return Plan(
        name=name,
        title=data.get("title", name),
        goal=data["goal"],
        goal_seen=data["goal_seen"],
        constraints={key: constraint(key, value) for key, value in data["constraints"].items()},
        milestones=tuple(made),
        check=tool_call(data["check"], "check"),
        aside=tuple(tool_call(x, "aside") for x in data.get("aside", [])),
        window=data.get("window", 16_000),
        steps=data.get("steps", 0),
        sources=tuple(data.get("sources", [])),
        tests=dict(data.get("tests", {})),
    )


PLAN_NEEDED = ("goal", "goal_seen", "constraints", "milestones", "check")
PLAN_ALLOWED = (*PLAN_NEEDED, "title", "aside", "window", "steps", "sources", "tests")


def constraint(name: str, data: Mapping[str, Any]) -> Constraint:
    """One constraint from its YAML."""
    where = f"constraint {name}"
    only(data, where, needed=("text", "seen", "check"), allowed=("text", "seen", "check", "says", "says_not"))
    return Constraint(
        name,
        data["text"],
        data["seen"],
        dict(data["check"]),
        tuple(data.get("says", [])),
        tuple(data.get("says_not", [])),
    )


def milestone(template: Mapping[str, Any], row: Mapping[str, Any]) -> Milestone:
    """One milestone: the template filled from the row, without the entries the row does not ask for."""
    allowed = ("id", "done", "facts", "read", "do", "accept", "rows")
    only(template, f"milestone {template.get('id')}", needed=("id", "done", "do"), allowed=allowed)
    data = fill({k: v for k, v in template.items() if k != "rows"}, row)

    def wanted(entries: list[dict[str, Any]]) -> tuple[Entry, ...]:
        asked = (e for e in entries if "when" not in e or row.get(e["when"]))
        return tuple(entry(e, data["id"]) for e in asked)

    facts = {key: fact(key, value, data["id"]) for key, value in data.get("facts", {}).items()}
    return Milestone(
        data["id"], data["done"], facts, wanted(data.get("read", [])), wanted(data["do"]), data.get("accept")
    )


def fact(name: str, data: Mapping[str, Any], milestone_id: str) -> Fact:
    """One fact; where nothing else is said, a grep for its words finds it again."""
    where = f"fact {milestone_id}.{name}"
    only(data, where, needed=("path", "match", "again"), allowed=("path", "match", "again"))
    return Fact(name, data["path"], data["match"], tool_call(data["again"], where))


def entry(data: Mapping[str, Any], milestone_id: str) -> Entry:
    """One entry of `read` or `do`."""
    where = f"an entry of {milestone_id}"
    only(data, where, allowed=(*TOOLS, "say", "expect", "unless", "tempted", "instead", "when"))
    tempted, instead = data.get("tempted"), data.get("instead")
    return Entry(
        call=None if "unless" in data else tool_call(data, where),
        say=data.get("say", ""),
        expect=data.get("expect"),
        unless=data.get("unless"),
        tempted=tool_call(tempted, where) if tempted else None,
        instead=tool_call(instead, where) if instead else None,
    )


def tool_call(data: Mapping[str, Any], where: str) -> ToolCall:
    """The one call in a mapping such as `{file_read: {path: a.py}}`."""
    names = [name for name in data if name in TOOLS]
    if len(names) != 1:
        raise SpecificationError(f"{where}: one of {', '.join(TOOLS)} is needed, there is {list(data)}")
    return ToolCall(names[0], dict(data[names[0]] or {}))


def only(
    data: Mapping[str, Any], where: str, *, needed: tuple[str, ...] = (), allowed: tuple[str, ...]
) -> None:
    """Refuse keys that are not known and say which are missing."""
    for key in data:
        if key not in allowed:
            guess = nearest(str(key), allowed)
            hint = f"; did you mean {guess!r}?" if guess else ""
            raise SpecificationError(f"{where}: unknown key {key!r}{hint} Known: {', '.join(allowed)}")
    missing = [key for key in needed if key not in data]
    if missing:
        raise SpecificationError(f"{where}: {', '.join(missing)} missing")
