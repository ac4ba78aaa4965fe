"""What keeps "seeing by accident" out of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from opencollab_nb.models.simulated.evidence import CLAUSES, DONE_WORD, OPEN_WORD
from opencollab_nb.models.simulated.plan import Constraint, Milestone, Plan
from opencollab_nb.models.simulated.reading import bounded


def lint(plan: Plan, project: Path) -> list[str]:
    """Faults of a plan for this project, each one sentence; empty for a sound plan.

    - the goal is seen in its own words, and each constraint in its own words and in the sentences that
      say it, but not in those that do not;
    - each fact matches once, in one file, and no mark and no milestone's id stands in the task's words;
    - no mark shadows another, and nothing the agent says while it works claims to be finished.
    """
    files = {
        path.relative_to(project).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(project.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    faults = [] if re.search(plan.goal_seen, plan.goal) else ["the goal is not seen in its own words"]
    for constraint in plan.constraints.values():
        faults += constraint_faults(constraint, plan)
    for milestone in plan.milestones:
        faults += milestone_faults(milestone, plan, files)
        faults += fact_faults(milestone, files)
    return faults


def constraint_faults(constraint: Constraint, plan: Plan) -> Iterator[str]:
    """Sentences that are read wrongly."""
    if not re.search(constraint.seen, constraint.text):
        yield f"{constraint.name}: not seen in its own words"
    if re.search(constraint.seen, plan.goal):
        yield f"{constraint.name}: seen in the goal"
    if not constraint.says or not constraint.says_not:
        yield f"{constraint.name}: needs sentences that do and do not say it"
    if constraint.told_after is not None:
        yield from later_faults(constraint, plan)
    for sentence in constraint.says:
        if not re.search(constraint.seen, sentence):
            yield f"{constraint.name}: not seen in {sentence!r}"
    others = [c.text for c in plan.constraints.values() if c is not constraint]
    for sentence in (*constraint.says_not, *others):
        if re.search(constraint.seen, sentence):
            yield f"{constraint.name}: seen in {sentence!r}"


def later_faults(constraint: Constraint, plan: Plan) -> Iterator[str]:
    """A constraint that is told too late, or never."""
    ids = [m.id for m in plan.milestones]
    if constraint.told_after not in ids:
        yield f"{constraint.name}: told after {constraint.told_after!r}, which is no milestone"
        return
    for milestone in plan.milestones[: ids.index(constraint.told_after) + 1]:
        if any(entry.unless == constraint.name for entry in milestone.do):
            yield f"{constraint.name}: {milestone.id} tempts before it is told"


def milestone_faults(milestone: Milestone, plan: Plan, files: dict[str, str]) -> Iterator[str]:
    """Marks and ids that would be seen by accident."""
    mark, ident = bounded(milestone.done), bounded(re.escape(milestone.id))
    for name, text in {"the task": plan.task_text, **files}.items():
        # A search without the bounds is many times as fast, and most files hold neither.
        if re.search(milestone.done, text) and re.search(mark, text):
            yield f"{milestone.id}: its mark is in {name}"
        if milestone.id in text and re.search(ident, text):
            yield f"{milestone.id}: its id is in {name}"
    for other in plan.milestones:
        if other is not milestone and re.search(mark, other.done):
            yield f"{milestone.id}: its mark is seen in that of {other.id}"
        for entry in other.read + other.do:
            line = f"{other.id}: {entry.say}"
            claims = any(re.search(DONE_WORD, c) and not re.search(OPEN_WORD, c) for c in CLAUSES.split(line))
            if re.search(ident, line) and claims:
                yield f"{milestone.id}: taken as finished when the agent says {line!r}"
    for entry in milestone.do:
        if entry.unless is not None and entry.unless not in plan.constraints:
            yield f"{milestone.id}: no constraint {entry.unless!r}"


def fact_faults(milestone: Milestone, files: dict[str, str]) -> Iterator[str]:
    """Facts that are missing, or could be seen in the wrong place."""
    for name, fact in milestone.facts.items():
        where = [path for path, text in files.items() if re.search(fact.match, text)]
        if where != [fact.path]:
            yield f"{milestone.id}.{name}: matches in {where}, not in {fact.path} alone"
        elif len(re.findall(fact.match, files[fact.path])) != 1:
            yield f"{milestone.id}.{name}: matches more than once"
        if fact.again.arguments.get("path") != fact.path:
            yield f"{milestone.id}.{name}: is looked for again elsewhere than in {fact.path}"
    for entry in milestone.do:
        for call in entry.calls:
            unknown = [need for need in call.needs if need not in milestone.facts]
            if unknown:
                yield f"{milestone.id}: no fact {', '.join(unknown)}"
    for entry in milestone.read:
        if entry.call and (entry.call.needs or any(entry.call in e.calls for e in milestone.do)):
            yield f"{milestone.id}: a reading needs a fact, or is something to do as well"
