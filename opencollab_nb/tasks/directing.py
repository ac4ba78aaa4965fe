"""What a task gives to the budget of its session: goal and constraints to keep, milestones as todos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.todos import MOST_CHARS
from opencollab_nb.models.simulated.plan import Milestone

if TYPE_CHECKING:
    from opencollab_nb.tasks.task import Task


def directed(task: Task, budget: Any, *, own_text: bool = False) -> Any:
    """A budget like this one, with the task's direction where it has none of its own.

    Args:
        task: the task.
        budget: a `ContextBudget`; anything else comes back as it is.
        own_text: the first message is not the task's, so what it leaves out is not kept either.
    """
    if not isinstance(budget, ContextBudget):
        return budget
    own = budget.fresh()
    for anchor in budget.anchors:
        own.register(anchor.kind, anchor.text)
    if own.anchors.goal is None and not own_text:
        own.register("goal", task.goal)
    for text in () if own_text else task.constraints:
        own.register("constraints", text)
    own.todos = budget.todos
    if not len(own.todos):
        own.update_todos([todo_text(milestone) for milestone in task.plan.milestones])
    return own


def todo_text(milestone: Milestone) -> str:
    """A milestone as a todo: its id, and the mark that shows it as finished.

    >>> todo_text(Milestone("login-lockout", "login-lockout: tests", {}, (), ()))
    'login-lockout: tests'
    >>> todo_text(Milestone("weight", "bill by the volume", {}, (), ()))
    'weight: bill by the volume'
    """
    mark = " ".join(milestone.done.split())
    text = mark if mark.startswith(milestone.id) else f"{milestone.id}: {mark}"
    return text[:MOST_CHARS]
