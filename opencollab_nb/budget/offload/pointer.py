"""The pointer that stands for an offloaded result: what it was, where it came from, how to read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opencollab_nb.messages import call_arguments, call_name, encodable
from opencollab_nb.shaping.faults import object_in

SOURCE_CHARS = 120
"""Of the path or command in a pointer."""
_START = "[offloaded: result "
_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def pointer(own: int, rows: int, chars: int, source: str) -> str:
    """The one line that a model can act on.

    >>> pointer(12, 4000, 81234, "logs/app.log")[:70]
    '[offloaded: result 12, 4000 lines, 81234 chars, from logs/app.log; rea'
    """
    come = f", from {source}" if source else ""
    return (
        f"{_START}{own}, {rows} line{'s' * (rows != 1)}, {chars} chars{come}; "
        f'read_result(id={own}, offset=…, limit=…) or read_result(id={own}, pattern="…") shows it]'
    )


def points_at(text: object, own: int | None) -> bool:
    """True for the text of a result that has been offloaded before.

    >>> points_at(pointer(3, 1, 9_000, "a.py") + " and more", 3), points_at("plain", 3)
    (True, False)
    """
    return isinstance(text, str) and text.startswith(f"{_START}{own}, ")


def source_of(call: Mapping[str, Any] | None) -> str:
    """The file a result came from, where its call names one, else the call itself; on one line.

    >>> source_of({"function": {"name": "file_read", "arguments": '{"path": "a.py", "offset": 201}'}})
    'a.py (file_read from line 201)'
    >>> source_of({"function": {"name": "bash", "arguments": '{"command": "ls -R"}'}})
    'bash: ls -R'
    """
    if call is None:
        return ""
    name, values = one_line(call_name(call), 60), object_in(call_arguments(call)) or {}
    path, command = values.get("path"), values.get("command") or values.get("pattern")
    if isinstance(path, str) and path and "pattern" not in values:
        return f"{one_line(path)} ({name}{_from_line(values)})"
    if isinstance(command, str):
        within = f" in {one_line(path, 60)}" if isinstance(path, str) and path else ""
        return f"{name}: {one_line(command)}{within}"
    return name


def one_line(text: str, at_most_chars: int = SOURCE_CHARS) -> str:
    """The text on one line, with nothing in it that acts on a terminal or a reader, cut where it is long."""
    line = " ".join(_ACTING.sub(" ", encodable(text[: 8 * at_most_chars])).split())
    return line if len(line) <= at_most_chars else line[: at_most_chars - 1] + "…"


def _from_line(values: Mapping[str, Any]) -> str:
    first = values.get("offset")
    return f" from line {first}" if isinstance(first, int) and first > 1 else ""
