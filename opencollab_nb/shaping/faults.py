"""What providers refuse in the form of messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from opencollab_nb.messages import call_arguments, is_system, tool_calls_of, wire


def message_faults(message: Mapping[str, Any]) -> set[str]:
    """The faults of one message by itself.

    >>> message_faults({"role": "user", "content": "a"}), message_faults({"role": "user", "content": ""})
    (set(), {'an empty user message'})
    """
    found = set()
    try:
        json.dumps(wire(message), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        found.add("a lone surrogate")
    except (TypeError, ValueError, RecursionError):
        found.add("not JSON")
    if not all(map(_has_valid_arguments, tool_calls_of(message))):
        found.add("arguments that are no JSON object")
    if not message.get("content") and not message.get("tool_calls"):
        found.add(f"an empty {message.get('role')} message")
    return found


def order_faults(messages: Sequence[Mapping[str, Any]]) -> set[str]:
    """The faults of the order: no user message, or a system message after the start."""
    found = set()
    if not any(m.get("role") == "user" for m in messages):
        found.add("no user message")
    first_other = next((at for at, m in enumerate(messages) if not is_system(m)), len(messages))
    if any(map(is_system, messages[first_other:])):
        found.add("a system message after the start")
    return found


def object_in(arguments: Any) -> dict[str, Any] | None:
    """The JSON object that a call's arguments are, as text or as they stand; None where they are none.

    >>> object_in('{"path": "a.py"}'), object_in('{"path": '), object_in('{"wait": NaN}')
    ({'path': 'a.py'}, None, None)
    """
    try:
        value = (
            json.loads(arguments, parse_constant=_refuse_constant)
            if isinstance(arguments, str)
            else arguments
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _has_valid_arguments(call: Mapping[str, Any]) -> bool:
    text: Any = call_arguments(call)
    return isinstance(text, str) and object_in(text) is not None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
