"""Events of the OpenHands SDK that name their parents: which of them the conversation still held."""

from __future__ import annotations

from collections import Counter
from typing import Any

from opencollab_nb.importers.branches import branch
from opencollab_nb.importers.fields import text

_OWN, _PARENT = "id", "parent_id"


def living(events: list[dict[str, Any]], leaf_id: Any = None) -> list[dict[str, Any]]:
    """The events of the branch that ends in the leaf, and whatever stands on no branch.

    What came of a living reply stays too, whatever parent it names.

    Args:
        events: of a conversation, in order.
        leaf_id: the id of the last event of the living branch; that of the last event where it is none.

    >>> tree = [{"id": "a", "parent_id": None}, {"id": "b", "parent_id": "a"}, {"id": "c", "parent_id": "a"}]
    >>> [event["id"] for event in living(tree)], [event["id"] for event in living(tree, "b")]
    (['a', 'c'], ['a', 'b'])
    """
    named = Counter(text(event.get(_PARENT)) for event in events)
    if not any(parent and n > 1 for parent, n in named.items()):
        return events
    places = {text(event.get(_OWN)): at for at, event in enumerate(events)}
    active = branch(events, own=_OWN, parent=_PARENT, leaf=places.get(text(leaf_id))) or set()
    replies = {_reply(events[at]) for at in active} - {""}
    calls = {text(event.get("tool_call_id")) for event in events if _reply(event) in replies} - {""}
    return [
        event
        for at, event in enumerate(events)
        if at in active
        or _PARENT not in event
        or _reply(event) in replies
        or text(event.get("tool_call_id")) in calls
    ]


def _reply(event: dict[str, Any]) -> str:
    return text(event.get("llm_response_id"))
