"""The decision rules, in order. Each reads only what the request shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from opencollab_nb.models.simulated.evidence import Evidence
from opencollab_nb.models.simulated.offers import report
from opencollab_nb.models.simulated.plan import Milestone, ToolCall
from opencollab_nb.models.simulated.reading import HARNESS, View
from opencollab_nb.models.simulated.work import Decision, Work

GOAL_LOST = "I see no task any more. I stop here."
ALL_FINISHED = "All milestones are finished."


@dataclass(frozen=True)
class Decider:
    """Decides the next reply from a view, and from nothing else."""

    evidence: Evidence

    def decide(self, view: View) -> Decision:
        """What it says and does next.

        1. Under way? Go on with the milestone the newest call belongs to.
        2. The goal: not in sight, hand back; overlooked, drift aside first.
        3. What is finished, by what can be seen.
        4. Nothing open: say so. Else the first open milestone; in doubt look at what is finished.

        Where `todo` is offered, what is finished and listed as open is reported with the next call.
        """
        decision = self._decide(view)
        if decision.why == "goal lost":
            return decision
        reporting = report(view, self.evidence)
        if reporting is None:
            return decision
        if not decision.calls:
            return Decision("todo: reporting on the list.", (reporting,), "todo")
        return replace(decision, calls=(reporting, *decision.calls))

    def _decide(self, view: View) -> Decision:
        plan, evidence = self.evidence.plan, self.evidence
        current = self._under_way(view)
        if current is not None:
            return self._work(view, current)
        overlooked = evidence.overlooked(view, plan.goal_seen, plan.goal)
        if overlooked is None:
            return Decision(GOAL_LOST, (), "goal lost")
        finished = {m.id for m in plan.milestones if evidence.finished(view, m)}
        still_open = [m for m in plan.milestones if m.id not in finished]
        if not still_open:
            return Decision(ALL_FINISHED, (), "done")
        first = still_open[0]
        if self._doubts(view, first, finished):
            return Decision("check: what is finished?", (plan.check,), "check")
        if plan.aside and evidence.chance("goal", first.id) < overlooked:
            taken = asides_taken(view)
            if taken < len(plan.aside):
                return Decision("aside: this could be tidied, too.", (plan.aside[taken],), "drift")
        return self._work(view, first)

    def _under_way(self, view: View) -> Milestone | None:
        if not view.calls:
            return None
        current = self.evidence.plan.by_id.get(view.calls[0].tag)
        return current if current and not self.evidence.finished(view, current) else None

    def _doubts(self, view: View, first: Milestone, finished: set[str]) -> bool:
        plan = self.evidence.plan
        acts = [call for call in view.calls if call.name not in HARNESS]
        recent = [call.tag for call in acts[: len(plan.aside) + 1]]
        if "check" in recent or view.has("restated"):
            return False
        later = plan.milestones[plan.milestones.index(first) + 1 :]
        if not view.has("summary") and not any(m.id in finished for m in later):
            return False
        last = next((call.tag for call in view.calls if call.tag in plan.by_id), "")
        return self.evidence.chance("check", first.id, last) < self.evidence.profile.checks_first

    def _work(self, view: View, milestone: Milestone) -> Decision:
        decision = Work(self.evidence, view, milestone).next()
        return self._with_slip(view, milestone, decision)

    def _with_slip(self, view: View, milestone: Milestone, decision: Decision) -> Decision:
        """Now and then a call is malformed; a retry draws anew, by a count that the request shows."""
        tries = sum(call.tag == milestone.id for call in view.calls)
        question = [(call.name, call.arguments) for call in decision.calls]
        if self.evidence.chance("slip", milestone.id, repr(question), tries) < (
            self.evidence.profile.tool_reliability
        ):
            return decision
        return replace(decision, calls=tuple(map(slipped, decision.calls)), why="slip")


def asides_taken(view: View) -> int:
    """How many of the newest calls in a row lead away from the goal."""
    taken = 0
    for call in view.calls:
        if call.tag != "aside":
            break
        taken += call.name not in HARNESS
    return taken


def slipped(call: ToolCall) -> ToolCall:
    """The call with a slip of the pen.

    >>> slipped(ToolCall("bash", {"command": "git status"})).arguments
    {'command': 'gti git status'}
    """
    arguments = dict(call.arguments)
    if "path" in arguments and call.name != "file_write":
        arguments["path"] += "x"
    elif "command" in arguments:
        arguments["command"] = "gti " + arguments["command"]
    return ToolCall(call.name, arguments)
