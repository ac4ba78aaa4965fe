"""JSON as files hold it: one value, one a line, several one after the other, each possibly damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.importers.salvage import salvaged

MOST_DEEP = 100
"""Levels of nesting. Real files have at most 20; deeper ones would end every recursive reader after us."""
_SHORT_BYTES = 65_536
_NON_ASCII = re.compile(rb"[\x80-\xff]+")
_TRIED_LINES = 20


@dataclass(frozen=True)
class Broken:
    """What stands in place of a value that could not be parsed."""

    why: str
    """One phrase, with the column where it broke."""
    size_bytes: int = 0


@dataclass(frozen=True)
class Parsed:
    """What a file holds: one whole value, or values on lines; a single line is both."""

    whole: Any = None
    lines: list[tuple[int, Any]] = field(default_factory=list)
    damage: str | None = None


def parse(data: bytes) -> Parsed:
    r"""The values in UTF-8 bytes.

    >>> parse(b'{"a": 1}').whole, parse(b'{"a":\n 1}').lines, len(parse(b'{}\r\n\r\n{}\n').lines)
    ({'a': 1}, [], 2)
    >>> parse(b'{"a":\n [1, 2,').whole, parse(b'words').whole
    ({'a': [1, 2]}, None)
    """
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    if data.lstrip()[:1] not in (b"{", b"["):
        return Parsed(lines=list(_lines(data))) if _some_line_is_an_object(data) else Parsed()
    first_end = data.find(b"\n", len(data) - len(data.lstrip()))
    first = data if first_end < 0 else data[:first_end]
    more = first_end >= 0 and bool(data[first_end:].strip())
    value = value_of(first.strip())
    if not isinstance(value, Broken):
        return Parsed(lines=list(_lines(data))) if more else Parsed(value, [(1, value)])
    if more and first.strip() not in (b"{", b"[") and _some_line_is_an_object(data[first_end:]):
        return Parsed(lines=list(_lines(data)))
    return _whole(data, value if not more else value_of(data))


def _whole(data: bytes, value: Any) -> Parsed:
    if not isinstance(value, Broken):
        return Parsed(value)
    text = data.decode("utf-8", "replace")
    several = _one_after_the_other(text)
    if len(several) > 1:
        return Parsed(lines=several)
    try:
        json.loads(text)
        return Parsed(damage=value.why)
    except json.JSONDecodeError as problem:
        where = f"not JSON at line {problem.lineno:,}, column {problem.colno:,}: {_said(problem)}"
        kept, left = salvaged(text, problem.pos), len(text) - problem.pos
    except (ValueError, RecursionError):
        return Parsed(damage=value.why)
    if too_deep(kept):
        return Parsed(damage=value.why)
    return Parsed(kept, damage=f"{where}; what stands before it was read, {left:,} characters were not")


def _lines(data: bytes) -> Iterator[tuple[int, Any]]:
    number, start = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        line = data[start:end].strip()
        start = end + 1
        if line:
            yield number, value_of(line)


def _some_line_is_an_object(data: bytes) -> bool:
    tried = 0
    for line in data.splitlines() if len(data) < _SHORT_BYTES else data[: _SHORT_BYTES * 8].splitlines():
        if line.lstrip()[:1] == b"{":
            tried += 1
            if isinstance(value_of(line.strip()), dict) and line.strip() != b"{}":
                return True
        if tried >= _TRIED_LINES:
            return False
    return False


def _one_after_the_other(text: str) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    decoder, at, number = json.JSONDecoder(), 0, 1
    while at < len(text):
        start = at + len(text[at:]) - len(text[at:].lstrip())
        number, at = number + text.count("\n", at, start), start
        if at >= len(text):
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as problem:
            if found:
                found.append((number, Broken(_why(problem), len(text) - at)))
            break
        found.append((number, Broken(_TOO_DEEP) if too_deep(value) else value))
        number, at = number + text.count("\n", at, end), end
    return found


def value_of(line: bytes) -> Any:
    """The value of one line or file, or why there is none.

    >>> value_of(b'{"n": NaN'), value_of(b'[' * 5000).why
    (Broken(why="not JSON at column 10: Expecting ',' delimiter", size_bytes=9), 'nested too deeply')
    """
    try:
        value = _decoded(line)
    except (ValueError, RecursionError) as problem:
        return Broken(_why(problem), len(line))
    return Broken(_TOO_DEEP, len(line)) if too_deep(value) else value


def _decoded(line: bytes) -> Any:
    if len(line) > _SHORT_BYTES and not line.isascii():
        # One wide character would make every character of a long text take four bytes.
        line = _NON_ASCII.sub(lambda found: json.dumps(found[0].decode())[1:-1].encode(), line)
    text = line.decode()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of more digits than Python takes for one
        return json.loads(text, parse_int=float)


_TOO_DEEP = "nested too deeply"


def _why(problem: Exception) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"not JSON at column {problem.colno:,}: {_said(problem)}"
    return _TOO_DEEP if isinstance(problem, RecursionError) else str(problem)[:200]


def _said(problem: json.JSONDecodeError) -> str:
    """What is wrong, without the place, which is told before it."""
    return problem.msg.removesuffix(" starting at")


def too_deep(value: Any) -> bool:
    """True for a value that is nested deeper than any real one.

    >>> too_deep([[1], {"a": [2]}])
    False
    """
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(MOST_DEEP):
        if not level:
            return False
        level = [
            child
            for outer in level
            for child in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(child, (dict, list))
        ]
    return True
