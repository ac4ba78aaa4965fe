"""What the agent does with tools that the harness offers: it reads offloaded results and reports todos."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opencollab_nb.models.simulated.evidence import Evidence
from opencollab_nb.models.simulated.plan import Fact, Milestone, ToolCall
from opencollab_nb.models.simulated.reading import OPEN_LINE, Call, View, bounded, matches, value_of

GAVE_UP = "gave up, the test stays red"
TODO = re.compile(r'\b(t\d+) "([^"\n]*)"')
"""A todo as a restatement, a handoff or a result of `todo` names it."""


def readings(view: View, fact: Fact, segment: list[Call]) -> list[ToolCall]:
    """Calls of `read_result` that look for a fact in offloaded results, newest first.

    One for each visible pointer to a result of the fact's path, but for those that were asked in this
    milestone already and answered in sight. None where the tool is not offered.
    """
    if "read_result" not in view.tools:
        return []
    pattern = str(fact.again.arguments.get("pattern") or fact.match)
    calls = [
        ToolCall("read_result", {"id": result, "pattern": pattern})
        for result, path in view.pointed.items()
        if path == fact.path
    ]
    return [call for call in calls if not any(c.is_for(call) and (c.shown or c.failed) for c in segment)]


def report(view: View, evidence: Evidence) -> ToolCall | None:
    """The call of `todo` that reports what is finished and still listed as open; None where nothing is.

    A milestone that it gave up is reported as dropped, not as done.
    """
    if "todo" not in view.tools:
        return None
    updates = [
        {"id": todo, "status": "dropped" if gave_up(view, milestone) else "done"}
        for todo, milestone, listed in listed_open(view, evidence)
        if evidence.finished(view, milestone) and wanted(view, todo, listed, evidence.profile.patience)
    ]
    return ToolCall("todo", {"updates": updates}) if updates else None


def listed_open(view: View, evidence: Evidence) -> Iterator[tuple[str, Milestone, int]]:
    """Todos that the newest list shows as open, the milestone each names, and where the list stands."""
    if view.listed is None:
        return
    for todo, text in TODO.findall(value_of(OPEN_LINE, view.listed.text) or ""):
        for milestone in evidence.plan.milestones:
            if matches(bounded(re.escape(milestone.id)), text):
                yield todo, milestone, view.listed.place


def wanted(view: View, todo: str, listed: int, patience: int) -> bool:
    """Is this todo still to be reported? Not after a report in sight, and not for ever."""
    reports = [call for call in view.calls if call.name == "todo" and todo in reported(call)]
    # A list that stands after a report, and shows the todo as open, says that the report came to nothing.
    return not any(call.place >= listed and not call.failed for call in reports) and len(reports) < patience


def reported(call: Call) -> set[str]:
    """The ids of the todos that a call of `todo` changes."""
    updates = call.arguments.get("updates")
    return {str(u.get("id")) for u in updates if isinstance(u, dict)} if isinstance(updates, list) else set()


def gave_up(view: View, milestone: Milestone) -> bool:
    """Do its own words say that it left this milestone undone?"""
    words = f"{milestone.id}: {GAVE_UP}"
    return any(text.kind == "said" and text.text.startswith(words) for text in view.texts)
