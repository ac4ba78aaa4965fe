"""The names of OpenHands' actions and observations, and of what stands beside their arguments."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.fields import mapping

ACTS = frozenset(
    [
        "run",
        "run_ipython",
        "read",
        "write",
        "edit",
        "browse",
        "browse_interactive",
        "think",
        "delegate",
        "call_tool_mcp",
        "task_tracking",
    ]
)
"""Actions that are answered by an observation."""
ACTIONS = ACTS | frozenset(
    [
        "message",
        "system",
        "finish",
        "reject",
        "recall",
        "condensation",
        "condensation_request",
        "null",
        "start",
        "change_agent_state",
        "initialize",
        "push",
        "send_pr",
        "summarize",
        "add_task",
        "modify_task",
    ]
)
OBSERVATIONS = frozenset(
    [
        "run",
        "run_ipython",
        "read",
        "write",
        "edit",
        "browse",
        "think",
        "delegate",
        "mcp",
        "task_tracking",
        "error",
        "success",
        "null",
        "recall",
        "agent_state_changed",
        "user_rejected",
        "condense",
        "chat",
        "message",
        "loop_detection",
        "download",
    ]
)
NOTES = frozenset(("null", "agent_state_changed", "condense", "recall", "loop_detection"))
"""Observations that are no result of a call."""
_NOT_ARGUMENTS = frozenset(
    [
        "id",
        "timestamp",
        "source",
        "message",
        "action",
        "cause",
        "args",
        "timeout",
        "tool_call_metadata",
        "llm_metrics",
        "thought",
        "is_confirmed",
        "confirmation_state",
        "security_risk",
        "keep_prompt",
        "hidden",
        "kernel_init_code",
        "include_extra",
        "blocking",
        "is_input",
        "cwd",
        "is_static",
        "response_id",
    ]
)


def is_event(value: Any) -> bool:
    """True for an action or an observation, and for nothing that is both.

    >>> is_event({"action": "run", "command": "ls"}), is_event({"observation": "run", "action": "ls"})
    (True, False)
    """
    if not isinstance(value, dict) or "response" in value or "role" in value:
        return False
    action, observation = value.get("action"), value.get("observation")
    if isinstance(action, str) and not isinstance(observation, str):
        return action in ACTIONS
    return isinstance(observation, str) and observation in OBSERVATIONS and not isinstance(action, str)


def arguments_of(event: dict[str, Any]) -> dict[str, Any]:
    """What an action was asked to do, without what the harness notes beside it.

    >>> arguments_of({"action": "run", "command": "ls", "thought": "I look.", "keep_prompt": True})
    {'command': 'ls'}
    """
    given = mapping(event.get("args")) or event
    return {key: value for key, value in given.items() if key not in _NOT_ARGUMENTS and value is not None}


def is_id(value: Any) -> bool:
    """True for what can tell one event from another."""
    return isinstance(value, (int, str))


def end_of_delegate(events: list[dict[str, Any]], start: int) -> int:
    """Where the observation stands that ends the delegate begun at `start`; right behind it if none does."""
    depth = 0
    for at in range(start, len(events)):
        depth += events[at].get("action") == "delegate"
        depth -= events[at].get("observation") == "delegate"
        if depth == 0:
            return at
    return start + 1
