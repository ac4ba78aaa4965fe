"""`read_result`: any part of a result that was offloaded, from the transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.budget.offload.matching import hits_in
from opencollab_nb.budget.offload.rows import rows_of
from opencollab_nb.messages import encodable, text_of
from opencollab_nb.workspace.problem import ToolProblem, shown
from opencollab_nb.workspace.schemas import Parameter, Tool

OUTPUT_CHARS = 8_000
"""Of one answer; the default threshold of offloading, so that no answer is offloaded in its turn."""
HITS_AT_MOST = 200
_NOTES_CHARS = 500
"""Kept free for what is said beside the lines."""
_IDS_NAMED = 12

_TOOL = Tool(
    "read_result",
    "Read a tool result that was offloaded: some of its lines, or those that match a regular expression.",
    (
        Parameter("id", "integer", "The number in `[offloaded: result N, ...]`.", example=12),
        Parameter("offset", "integer", "First line, from 1; 1 by default.", 1, 1),
        Parameter("limit", "integer", "How many lines, or matches; 200 by default.", 200, 200),
        Parameter("pattern", "string", "Only lines that match (Python syntax).", None, "ERROR"),
    ),
)
READ_RESULT: dict[str, Any] = _TOOL.schema()
"""The tool in the OpenAI shape."""


def read_result(
    messages_by_id: Mapping[int, Mapping[str, Any]],
    *,
    id: int,  # noqa: A002 - the argument's name on the wire
    offset: int = 1,
    limit: int = 200,
    pattern: str | None = None,
) -> str:
    r"""Numbered lines of the tool result with this id, at most 8,000 characters.

    A line of more than 4,000 characters is numbered in pieces. A problem is a text that starts with
    `Error:` and names what may be given instead.

    >>> found = {"role": "tool", "tool_call_id": "a", "content": "one\ntwo\nthree"}
    >>> read_result({7: found}, id=7, offset=2)
    '    2\ttwo\n    3\tthree'
    >>> read_result({7: found}, id=7, pattern="^t", limit=1)
    '    2\ttwo\n[there may be more matches; go on with offset=3]'
    >>> read_result({7: found}, id=8)
    'Error: there is no tool result 8; the results are 7.'
    """
    given = {"id": id, "offset": offset, "limit": limit, "pattern": pattern}
    return answer_read_result(messages_by_id, given)


def answer_read_result(messages_by_id: Mapping[int, Mapping[str, Any]], arguments: object) -> str:
    """The same for the arguments of a call as they came: JSON text, or an object.

    >>> answer_read_result({}, '{"id": "x"}')
    "Error: id of read_result is 'x'; give a whole number, such as 12."
    """
    try:
        wanted = _TOOL.checked(arguments)
        rows = rows_of(encodable(_text_of_result(messages_by_id, wanted["id"])))
        if wanted["offset"] > max(1, len(rows)):
            lines = f"result {wanted['id']} has {len(rows)} lines"
            raise ToolProblem(f"offset {shown(wanted['offset'])} is past the end: {lines}.")
        if wanted["pattern"] is not None:
            return _matching(rows, wanted["offset"], wanted["limit"], wanted["pattern"])
        return _page(rows, wanted["offset"], wanted["limit"])
    except ToolProblem as problem:
        return f"Error: {problem}"


def _text_of_result(messages_by_id: Mapping[int, Mapping[str, Any]], own: int) -> str:
    message = messages_by_id.get(own)
    if message is None or message.get("role") != "tool":
        results = sorted(i for i, m in messages_by_id.items() if m.get("role") == "tool")
        near = sorted(sorted(results, key=lambda i: abs(i - own))[:_IDS_NAMED])
        named = ", ".join(map(str, near)) + (" and others" if len(results) > len(near) else "")
        other = f"message {own} is of the {(message or {}).get('role')}, no tool result"
        wrong = f"there is no tool result {shown(own)}" if message is None else other
        raise ToolProblem(
            f"{wrong}; " + (f"the results are {named}." if near else "there are no results yet.")
        )
    return text_of(message)


def _page(rows: list[str], offset: int, limit: int) -> str:
    if not rows:
        return "(empty result)"
    numbers = range(offset, min(len(rows), offset + limit - 1) + 1)
    lines = _fitting((number, rows[number - 1]) for number in numbers)
    following = offset + len(lines)
    left = len(rows) - following + 1
    note = [f"[{left} more line{'s' * (left != 1)}; go on with offset={following}]"] if left > 0 else []
    return "\n".join([*lines, *note])


def _matching(rows: list[str], offset: int, limit: int, pattern: str) -> str:
    limit = min(limit, HITS_AT_MOST)
    notes, hits = hits_in(rows[offset - 1 :], pattern, limit)
    if not hits:
        before = f" from line {offset} on" if offset > 1 else ""
        return "\n".join([*notes, f"no match in {len(rows)} lines{before}"])
    lines = _fitting((offset + index, text) for index, text in hits)
    if len(lines) == len(hits) < limit:
        return "\n".join([*notes, *lines])
    following = offset + hits[len(lines) - 1][0] + 1
    more = [f"[there may be more matches; go on with offset={following}]"] if following <= len(rows) else []
    return "\n".join([*notes, *lines, *more])


def _fitting(numbered: Iterable[tuple[int, str]]) -> list[str]:
    """The first of these rows, as many as an answer has room for; at least one."""
    out: list[str] = []
    room = OUTPUT_CHARS - _NOTES_CHARS
    for number, row in numbered:
        line = f"{number:5d}\t{row}"
        room -= len(line) + 1
        if room < 0 and out:
            break
        out.append(line)
    return out
