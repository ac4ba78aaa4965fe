"""The beginning of a long task, for checks whose runs would be many times as long as its reference."""

from __future__ import annotations

from dataclasses import replace

from opencollab_nb.tasks import Task

LONG_STEPS = 100


def part(task: Task, milestones: int) -> Task:
    """The task with its first milestones only, without what is told after a later one."""
    plan = task.plan
    kept = plan.milestones[:milestones]
    files = {m.accept: plan.tests[m.accept] for m in kept if m.accept}
    told = {name: c for name, c in plan.constraints.items() if c.told_after in (None, *(m.id for m in kept))}
    steps = -(-plan.steps * milestones // len(plan.milestones)) + 10
    return replace(
        task,
        plan=replace(plan, milestones=kept, constraints=told, tests=files, sources=tuple(files), steps=steps),
    )


def beginning(task: Task, milestones: int) -> Task:
    """A long task's first milestones; a short one as it is."""
    return part(task, milestones) if task.plan.steps > LONG_STEPS else task
