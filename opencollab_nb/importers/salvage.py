"""What a JSON text held before the place where it breaks."""

from __future__ import annotations

import json
import re
from typing import Any

_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|"', re.DOTALL)


def salvaged(text: str, broken_at: int) -> Any:
    r"""The value, with all that was whole before the place where it breaks; None where nothing was.

    >>> salvaged('{"a": [1, {"b": "c", "d": "cut o', 25)
    {'a': [1, {'b': 'c'}]}
    """
    # Each open container: its closing bracket, and whether its next string is a key.
    stack: list[str] = []
    due: list[bool] = []
    safe, closers = 0, ""
    for found in _MARK.finditer(text, 0, broken_at):
        mark, end = found[0], found.end()
        if mark == '"':
            break
        if mark in "{[":
            stack.append("}" if mark == "{" else "]")
            due.append(mark == "{")
            safe, closers = end, "".join(reversed(stack))
        elif mark in "}]":
            if not stack or stack.pop() != mark:
                break
            due.pop()
            safe, closers = end, "".join(reversed(stack))
        elif mark == ",":
            if due:
                due[-1] = stack[-1] == "}"
        elif mark == ":":
            if due:
                due[-1] = False
        elif due and not due[-1] and end < broken_at:
            safe, closers = end, "".join(reversed(stack))
    try:
        return json.loads(text[:safe] + closers)
    except (ValueError, RecursionError):
        return None
