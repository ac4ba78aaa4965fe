"""Plans from YAML: rows expand templates, and what is not understood is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.errors import SpecificationError, UsageProblem, nearest
from opencollab_nb.models.simulated.folders import folder_of, known
from opencollab_nb.models.simulated.plan import (
    TOOLS,
    Alteration,
    Constraint,
    Entry,
    Fact,
    Milestone,
    Plan,
    ToolCall,
    fill,
)

PLAN_NEEDED = ("goal", "goal_seen", "constraints", "milestones", "check")
PLAN_ALLOWED = (*PLAN_NEEDED, "title", "aside", "window", "steps", "sources", "tests", "altered")


def plan_of(given: Any) -> Plan:
    """The plan of a task: given by its name or its folder, the path of a plan, or as an object that has one.

    Raises:
        UnknownName: no shipped task has this name, and no plan lies at this path.
        UsageProblem: nothing a plan can be had from.
        SpecificationError: the plan holds something that is not understood.

    >>> plan_of("quickstart").name
    'quickstart'
    """
    plan = getattr(given, "plan", given)
    if isinstance(plan, Plan):
        return plan
    if isinstance(given, str | Path) and str(given):
        path = Path(given).expanduser()
        return load_plan(path if path.is_file() else folder_of(given))
    what = "it has none" if given is None else f"{type(given).__name__} is none of these"
    raise UsageProblem(
        "the simulated agent plays a plan: give it the name of a task, "
        f"SimulatedModel('quickstart'), a task, or the path of a plan; {what}. Known: {', '.join(known())}"
    )


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
    altered = tuple(alteration(key, value) for key, value in data.get("altered", {}).items())
    # Where the work is tests, the files are the milestones' own, with as many tests as the agent likes.
    written = {m.accept: 0 for m in made if m.accept} if altered else {}
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
        sources=tuple(data.get("sources", written)),
        tests=dict(data.get("tests", written)),
        altered=altered,
    )


def constraint(name: str, data: Mapping[str, Any]) -> Constraint:
    """One constraint from its YAML."""
    where = f"constraint {name}"
    needed = ("text", "seen", "check")
    only(data, where, needed=needed, allowed=(*needed, "says", "says_not", "told_after"))
    return Constraint(
        name,
        data["text"],
        data["seen"],
        dict(data["check"]),
        tuple(data.get("says", [])),
        tuple(data.get("says_not", [])),
        data.get("told_after"),
    )


def alteration(name: str, data: Mapping[str, Any]) -> Alteration:
    """One way to alter the project."""
    needed = ("path", "match")
    only(data, f"altered {name}", needed=needed, allowed=needed)
    return Alteration(name, data["path"], data["match"])


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
    """One fact: where it stands, how to find it again, and how a colleague may say it."""
    where, needed = f"fact {milestone_id}.{name}", ("path", "match", "again")
    only(data, where, needed=needed, allowed=(*needed, "told"))
    return Fact(name, data["path"], data["match"], tool_call(data["again"], where), data.get("told", ""))


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
