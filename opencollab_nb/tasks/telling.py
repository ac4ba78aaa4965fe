"""Constraints that the user tells in mid-run: when each is due, and who says it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from opencollab_nb.messages import id_of, text_of
from opencollab_nb.models.simulated.plan import Constraint, Plan
from opencollab_nb.models.simulated.reading import bounded
from opencollab_nb.tasks.acts import Act, acts_of

if TYPE_CHECKING:
    from opencollab_nb.session import Session


def in_force(plan: Plan, acts: Iterable[Act]) -> dict[str, int]:
    """The step after which each constraint binds: 0 for those of the task, none for one not due yet.

    One that is told later binds from the end of the step that shows its milestone as finished.
    """
    since = {c.name: 0 for c in plan.constraints.values() if c.told_after is None}
    waiting = list(plan.told_later)
    for act in acts:
        for constraint in [c for c in waiting if shows_finished(plan, c, act.name, act.result)]:
            since[constraint.name] = act.step
            waiting.remove(constraint)
        if not waiting:
            break
    return since


def shows_finished(plan: Plan, constraint: Constraint, tool: str, result: str) -> bool:
    """Does this result show that the milestone is finished after which the constraint is told?"""
    milestone = plan.by_id[constraint.told_after or ""]
    failed = result.startswith(("Error", "[interrupted]"))
    return tool == "bash" and not failed and re.search(bounded(milestone.done), result) is not None


def tell_later(plan: Plan, session: Session) -> Callable[[], None]:
    """Have each constraint that is told later said once, by `session.say`, when it is due.

    It is said at the end of the step that finishes its milestone, so it stands in the next request. What
    the transcript holds already is not said again, so a resumed session can be followed, too.

    Returns:
        The call that ends it.
    """
    said = {" ".join(text_of(m).split()) for m in session.transcript.messages if m.get("role") == "user"}
    waiting = [c for c in plan.told_later if " ".join(c.text.split()) not in said]
    due: list[Constraint] = []

    def listen(event: Mapping[str, Any]) -> None:
        if event["kind"] == "tool" and event["name"] == "bash" and waiting:
            result = result_with(session, event["message_id"])
            due.extend(c for c in waiting if c not in due and shows_finished(plan, c, "bash", result))
        elif event["kind"] == "commit":
            for constraint in due:
                waiting.remove(constraint)
                session.say(constraint.text)
            due.clear()

    if not waiting:
        return lambda: None
    past = in_force(plan, acts_of(session.transcript.messages))
    for constraint in [c for c in waiting if c.name in past]:
        waiting.remove(constraint)
        session.say(constraint.text)
    return session.subscribe(listen)


def result_with(session: Session, message_id: int) -> str:
    """The text of one message, looked for from the end."""
    for message in reversed(session.transcript.messages):
        if id_of(message) == message_id:
            return text_of(message)
    return ""
