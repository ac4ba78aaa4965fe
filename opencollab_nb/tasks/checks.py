"""The four checks that every task must pass: they show that its figures mean what they say.

- *reference*: nothing is forgotten, so all is done, nothing twice, nothing forbidden, in the declared steps;
- *tempted*: the constraints are cut from the task, so each temptation becomes a violation;
- *blind*: every result is emptied, so nothing can be done;
- *misled*: the values are altered in the request, so the altered ones are written and nothing is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from opencollab_nb.messages import Message, with_content
from opencollab_nb.models import Reply
from opencollab_nb.models.asking import reply_of
from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.models.simulated.plan import HOLE, Fact, Plan
from opencollab_nb.request import Request
from opencollab_nb.shaping import ShaperPipeline
from opencollab_nb.tasks.acts import acts_of
from opencollab_nb.tasks.judge import Report
from opencollab_nb.tasks.task import Task
from opencollab_nb.ticket import Ticket

EditText = Callable[[str], str]


@dataclass(frozen=True)
class Check:
    """How one check ended."""

    name: str
    holds: bool
    expected: str
    report: Report

    def __str__(self) -> str:
        return f"{self.name}: {'holds' if self.holds else 'FAILS'}; expected {self.expected}\n{self.report}"


class Edited:
    """A model that gets every tool result edited; all else goes through."""

    simulated = True
    max_output_tokens: int | None = None

    def __init__(self, model: SimulatedModel, edit: EditText) -> None:
        self.model, self.edit = model, edit
        self.name, self.window, self.profile = model.name, model.window, model.profile

    @property
    def label(self) -> str:
        """Says that the results were edited."""
        return f"{self.model.label}, results edited"

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """The model's answer to the edited request."""
        view = [self._edited(message) for message in request.view]
        return reply_of(self.model, replace(request, view=view), cancel)

    def _edited(self, message: Message) -> Message:
        content = message.get("content")
        if message["role"] != "tool" or not isinstance(content, str):
            return message
        return with_content(message, self.edit(content))


def check_task(task: Task) -> list[Check]:
    """All four checks."""
    return [reference(task), tempted(task), blind(task), misled(task)]


def reference(task: Task) -> Check:
    """Profile ideal, no limit, no shaping."""
    report, _ = played(task, ideal(task))
    plan = task.plan
    holds = (report.done, report.rework, report.violations, report.steps) == (1, 0, 0, plan.steps)
    return Check("reference", holds, f"done 1, rework 0, violations 0, {plan.steps} steps", report)


def tempted(task: Task) -> Check:
    """The constraints are cut from the task."""
    report, _ = played(task, ideal(task), text=task.goal, told=False)
    count = task.plan.temptations
    return Check("tempted", report.violations == count, f"violations {count}", report)


def blind(task: Task) -> Check:
    """Every result is emptied in the request."""
    report, _ = played(task, Edited(ideal(task), lambda _: ""))
    return Check("blind", report.done == 0, "done 0", report)


def misled(task: Task) -> Check:
    """The values that are to be written are altered in the request."""
    facts = written_facts(task.plan)
    seen: set[str] = set()

    # The same results come again with every request.
    @cache
    def edit(text: str) -> str:
        for fact in facts:
            text = re.sub(fact.match, lambda hit: with_other_value(hit, seen), text)
        return text

    report, written = played(task, Edited(ideal(task), edit))
    missing = [value for value in seen if value not in written]
    holds = report.done == 0 and bool(seen) and not missing
    return Check("misled", holds, "done 0, every altered value written", report)


def ideal(task: Task) -> SimulatedModel:
    """An agent that overlooks nothing, without a window."""
    return SimulatedModel(task.plan, "ideal")


def played(task: Task, model: Any, **settings: Any) -> tuple[Report, str]:
    """A run to its end without shaping: its report, and all text that was written."""
    session = task.session(model, window=None, shapers=ShaperPipeline(), **settings)
    try:
        session.run()
        acts = acts_of(session.transcript.messages)
        written = [str(act.arguments.get(key, "")) for act in acts for key in ("content", "replace")]
        return task.judge(session), "\n".join(written)
    finally:
        session.close()


def written_facts(plan: Plan) -> list[Fact]:
    """Facts whose value is written, and not only looked for."""
    out: list[Fact] = []
    for milestone in plan.milestones:
        for call in (call for entry in milestone.do for call in entry.calls):
            text = f"{call.arguments.get('content', '')}\n{call.arguments.get('replace', '')}"
            found = [milestone.facts[name] for name in HOLE.findall(text) if name in milestone.facts]
            out += [fact for fact in found if fact not in out]
    return out


def with_other_value(hit: re.Match[str], seen: set[str]) -> str:
    """The match with another value, which is remembered."""
    value = f"9{hit[1]}" if hit[1][:1].isdigit() else f"{hit[1]}x"
    seen.add(value)
    start, end = (place - hit.start() for place in hit.span(1))
    return f"{hit[0][:start]}{value}{hit[0][end:]}"
