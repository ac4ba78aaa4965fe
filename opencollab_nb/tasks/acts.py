"""The acts of an agent: its calls with their full results, as the transcript holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opencollab_nb.messages import (
    call_arguments,
    call_name,
    id_of,
    meta_of,
    text_of,
    tool_calls_of,
)

NUMBERED = re.compile(r"^(?:\s*\d+\t)*(?:[^\s:]+:\d+:)?")
"""What tools put before a line; `read_result` numbers lines that `file_read` or `grep` had numbered."""
WORTH_CHARS = 12
"""Shorter lines stand in too many places to say where they were read."""


@dataclass(frozen=True)
class Act:
    """One call of a tool."""

    name: str
    arguments: Mapping[str, Any]
    result: str
    result_id: int | None
    step: int
    said: str

    @property
    def failed(self) -> bool:
        """The tool answered with an error."""
        return self.result.startswith(("Error", "[interrupted]"))

    @property
    def key(self) -> str:
        """Name and arguments: the same call again has the same key."""
        return self.name + json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)

    @property
    def lines(self) -> list[str]:
        """What the result shows, without line numbers, and without lines too short to be known again."""
        return lines_of(self.result)


def lines_of(text: str) -> list[str]:
    r"""The lines of a tool result that can be known again.

    >>> lines_of("    1\tdef check(count):\n    2\t\na.py:7:return count + limit")
    ['def check(count):', 'return count + limit']
    """
    plain = (NUMBERED.sub("", line).strip() for line in text.split("\n"))
    return [line for line in plain if len(line) > WORTH_CHARS]


def acts_of(messages: Iterable[Mapping[str, Any]]) -> list[Act]:
    """Every answered call, in order; results are paired by position, since ids repeat."""
    out: list[Act] = []
    waiting: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for message in messages:
        if message.get("role") == "assistant":
            waiting = {call.get("id") or "": (message, call) for call in tool_calls_of(message)}
        elif message.get("role") == "tool" and message.get("tool_call_id") in waiting:
            asked, call = waiting.pop(message["tool_call_id"])
            out.append(
                Act(
                    name=call_name(call),
                    arguments=arguments_of(call_arguments(call)),
                    result=text_of(message),
                    result_id=id_of(message),
                    step=meta_of(asked).get("step") or 0,
                    said=text_of(asked),
                )
            )
    return out


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments of a call; none where they are no JSON object."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
