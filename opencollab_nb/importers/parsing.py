"""JSON as files hold it: one value, one a line, several one after the other, each possibly damaged."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from opencollab_nb.importers.salvage import salvaged

MOST_DEEP = 100
"""Levels of nesting. Real files have at most 20; deeper ones would end every recursive reader after us."""
_SHORT_BYTES = 65_536
_NON_ASCII = re.compile(rb"[\x80-\xff]+")
_TRIED_LINES, _TRIED_BYTES = 20, 1 << 20
_MOSTLY = 0.7
_MARK = re.compile(rb"\S")


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
    replaced: int = 0
    """Values with bytes that are no UTF-8; each such byte was replaced by U+FFFD."""


def parse_lines(file: Iterable[bytes]) -> Parsed | None:
    r"""The values of a file that begins with a sound line, read line by line; None for another one.

    >>> parse_lines([b'{"a": 1}\n', b"\n", b"[2]"]).lines, parse_lines([b"{\n", b"}"])
    ([(1, {'a': 1}), (3, [2])], None)
    """
    lines: list[tuple[int, Any]] = []
    replaced = 0
    for number, line in enumerate(file, 1):
        if line.isspace():
            continue
        value = value_of(line)
        if not lines and not isinstance(value, (dict, list)):
            return None
        lines.append((number, value))
        replaced += not line.isascii() and not is_utf8(line)
    return Parsed(lines[0][1] if len(lines) == 1 else None, lines, replaced=replaced)


def parse(data: bytes) -> Parsed:
    r"""The values in UTF-8 bytes.

    >>> parse(b'{"a": 1}').whole, parse(b'{"a":\n 1}').lines, len(parse(b'{}\r\n\r\n{}\n').lines)
    ({'a': 1}, [], 2)
    >>> parse(b'{"a":\n [1, 2,').whole, parse(b'words').whole
    ({'a': [1, 2]}, None)
    """
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    sound = parse_lines(BytesIO(data))
    if sound:
        return sound
    start = _MARK.search(data)
    if not start:
        return Parsed()
    at = start.start()
    first_end = data.find(b"\n", at)
    whole = start[0] in (b"{", b"[") and (first_end < 0 or data[at:first_end].strip() in (b"{", b"["))
    if not whole and _some_line_is_an_object(data, at if start[0] not in (b"{", b"[") else first_end):
        return _damaged_lines(data)
    return _whole(data) if start[0] in (b"{", b"[") else Parsed()


def is_utf8(line: bytes) -> bool:
    """False for bytes that are no text; told piece by piece, since a text takes up to four times as much."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(line), _SHORT_BYTES):
            decoder.decode(line[at : at + _SHORT_BYTES], at + _SHORT_BYTES >= len(line))
    except UnicodeDecodeError:
        return False
    return True


def _damaged_lines(data: bytes) -> Parsed:
    lines = [(n, line.strip()) for n, line in enumerate(data.split(b"\n"), 1)]
    replaced = sum(not is_utf8(line) for _, line in lines)
    return Parsed(lines=[(n, value_of(line)) for n, line in lines if line], replaced=replaced)


def _whole(data: bytes) -> Parsed:
    value = value_of(data)
    replaced = int(not data.isascii() and not is_utf8(data))
    if not isinstance(value, Broken):
        return Parsed(value, replaced=replaced)
    text = data.decode("utf-8", "replace")
    several = _one_after_the_other(text)
    if len(several) > 1:
        return Parsed(lines=several, replaced=replaced)
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
    return Parsed(
        kept,
        damage=f"{where}; what stands before it was read, {left:,} characters were not",
        replaced=replaced,
    )


def _some_line_is_an_object(data: bytes, start: int = 0) -> bool:
    tried = 0
    file = BytesIO(data)
    file.seek(max(0, start))
    while file.tell() < start + _TRIED_BYTES and (line := file.readline()):
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
    wide = not line.isascii() and len(line) > _SHORT_BYTES and _mostly_ascii(line[:_SHORT_BYTES])
    # One wide character would make every character of a long text take two or four bytes.
    text = line.decode("ascii", _ESCAPES) if wide else line.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of more digits than Python takes for one
        return json.loads(text, parse_int=float)


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """A run of other characters in the form that JSON has for them."""
    assert isinstance(problem, UnicodeDecodeError)
    run = _NON_ASCII.match(problem.object, problem.start)
    assert run
    return json.dumps(run[0].decode("utf-8", "replace"))[1:-1], run.end()


_ESCAPES = "opencollab-json"
codecs.register_error(_ESCAPES, _escaped)


def _mostly_ascii(sample: bytes) -> bool:
    return len(sample.decode("ascii", "ignore")) > _MOSTLY * len(sample)


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
