"""Why messages are not as they came: which layer changed which one last, and at which step."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from opencollab_nb.messages import call_name, each, tool_calls_of
from opencollab_nb.shaping import ContextShedShaper
from opencollab_nb.views.labels import clean, human
from opencollab_nb.views.sent import Sent

SHED = ContextShedShaper.__name__


class Reasons:
    """Which layer changed which message last, and at which step; the names of tools.

    Both are tables that only grow: a row holds a place in them.
    """

    def __init__(self) -> None:
        self.whys: list[str] = [""]
        self.tools: list[str] = [""]
        self._why_of = array("H")
        self._shed: set[int] = set()
        self._tool_at: dict[str, int] = {"": 0}
        self._tool_of = array("B")
        self._calls: dict[str, int] = {}

    def take(self, event: Mapping[str, Any]) -> list[int]:
        """Remember what one layer did; returns the ids of what it changed."""
        changed = list(each([*event["removed"], *event["rewritten"], *event["covered"]]))
        if not changed:
            return []
        if len(self.whys) < 2**16:
            self.whys.append(f"{clean(human(event['layer']), 60)}, step {event['step']:,}")
        self._why_of.extend([0] * (max(changed) + 1 - len(self._why_of)))
        for own in changed:
            self._why_of[own] = len(self.whys) - 1
        removed = each(event["removed"])
        if event["layer"] == SHED:
            self._shed.update(removed)
        else:
            self._shed.difference_update(removed)
        return changed

    def read(self, stored: Sequence[Any], until: int | None = None) -> None:
        """Learn the tools of messages that are new in the transcript, or in so many of it."""
        for message in stored[len(self._tool_of) : until]:
            calls = tool_calls_of(message)
            if calls:
                self._calls = {str(c.get("id")): self._place(call_name(c)) for c in calls}
                self._tool_of.append(self._place(call_name(calls[0])))
            elif message.get("role") == "tool":
                self._tool_of.append(self._calls.get(str(message.get("tool_call_id")), 0))
            else:
                self._tool_of.append(0)

    def _place(self, name: str) -> int:
        name = clean(name, 40)
        if name not in self._tool_at and len(self.tools) < 2**8:
            self._tool_at[name] = len(self.tools)
            self.tools.append(name)
        return self._tool_at.get(name, 0)

    def state_of(self, sent: Sent) -> str:
        """The word for it; a message that was shed is told from one that was snipped."""
        return "shed" if sent.state == "snipped" and sent.id in self._shed else sent.state

    def why(self, sent: Sent) -> int:
        """The place of its reason; 0 for what is as it came."""
        known = sent.id is not None and sent.state != "verbatim" and sent.id < len(self._why_of)
        return self._why_of[sent.id or 0] if known else 0

    def tool(self, sent: Sent) -> int:
        """The place of its tool; 0 for none."""
        return self._tool_of[sent.id] if sent.id is not None and sent.id < len(self._tool_of) else 0
