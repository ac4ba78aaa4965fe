"""`todo`: the one way in which an agent changes the todos, by validated transitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opencollab_nb.budget.todos import MOST_CHARS, STATUSES, Todos
from opencollab_nb.errors import UsageProblem

TODO: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "todo",
        "description": (
            "Say how far the todos are, as soon as it changes; without arguments it shows them. "
            "done and dropped are final."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "updates": {
                    "type": "array",
                    "description": "Todos whose status changes.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string", "description": "Such as t1."},
                            "status": {"type": "string", "enum": list(STATUSES)},
                        },
                        "required": ["id", "status"],
                        "additionalProperties": False,
                    },
                },
                "add": {
                    "type": "array",
                    "description": f"New todos, one line of at most {MOST_CHARS} characters each.",
                    "items": {"type": "string"},
                },
            },
            "additionalProperties": False,
        },
    },
}
"""The tool in the OpenAI shape."""


def changed_by_call(todos: Todos, arguments: Mapping[str, Any] | str) -> Todos:
    """The todos after a call of the tool: all its changes, or none.

    Args:
        todos: as they are.
        arguments: of the call, JSON text or an object.

    Raises:
        UsageProblem: (a ValueError) arguments of another form, or a change that cannot be made.

    >>> todos = Todos().updated(["login: tests"])
    >>> call = '{"updates": [{"id": "t1", "status": "done"}], "add": ["mail: tests"]}'
    >>> [todo.line for todo in changed_by_call(todos, call)]
    ['t1 "login: tests" [done]', 't2 "mail: tests"']
    """
    given = _object(arguments)
    if unknown := sorted(set(given) - {"updates", "add"}):
        raise UsageProblem(f"todo has no argument {unknown[0]!r}: give updates, add, or both")
    for update in _listed(given, "updates"):
        if not isinstance(update, Mapping) or set(update) != {"id", "status"}:
            form = json.dumps({"id": "t1", "status": "done"})
            raise UsageProblem(f"an update is {form}; got {update!r}")
        todos = todos.changed(update["id"], update["status"])
    for text in _listed(given, "add"):
        todos = todos.added(text, "agent")
    return todos


def _object(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError as problem:
            raise UsageProblem(f"the arguments of todo are no JSON: {problem}") from problem
    if not isinstance(arguments, Mapping):
        raise UsageProblem(f"the arguments of todo are an object; got {arguments!r}")
    return arguments


def _listed(given: Mapping[str, Any], name: str) -> list[Any]:
    value = given.get(name) or []
    if not isinstance(value, list):
        raise UsageProblem(f"{name} of todo is a list; got {value!r}")
    return value
