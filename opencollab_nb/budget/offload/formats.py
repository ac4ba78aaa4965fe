"""What is told of a text, by its format: pytest output, JSON, a log, or any other text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from opencollab_nb.budget.offload.pieces import plain
from opencollab_nb.budget.offload.rows import ROW_CHARS, count_rows, row_at
from opencollab_nb.budget.offload.shape_of_json import PARSED_CHARS, begun, parsed, shape_lines
from opencollab_nb.budget.offload.trouble import trouble_in

EDGE_CHARS = 6_000
"""Of head and tail that are looked at."""
EDGE_LINES = 12
LINE_CHARS = 160

_PYTEST = re.compile(
    r"^(?:=+ )?(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)"
    r"(?:, \d+ [a-z]+)*)(?: in [^\n=]{1,40})?(?: =+)?[ \r]*$",
    re.MULTILINE,
)
_VERDICT = re.compile(r"^(?:FAILED|ERROR) \S.*$", re.MULTILINE)
_VERDICT_CHARS = 40_000
"""Before the end: pytest lists there what failed."""
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\b\d\d:\d\d:\d\d\b"
)
_LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "CRITICAL", "FATAL")
_NUMBERED = re.compile(r" {0,9}\d{1,9}\t")


_NUMBERS = re.compile(r"(?m)^ {0,9}\d{1,9}\t")


class Part(NamedTuple):
    """Lines under one heading."""

    heading: str
    lines: list[str]
    share: float
    """Of the room that is left when its turn comes."""
    from_end: bool = False
    """True where the last lines are shown if not all fit."""


def parts_of_text(text: str) -> Iterator[Part]:
    """The parts, the most telling first."""
    value = parsed(without_line_numbers(text))
    if value is not None:
        yield Part("JSON:", shape_lines(value), 0.8)
    elif first := begun(text):
        yield Part("JSON, too long to be read whole:", first, 0.8)
    elif verdict := pytest_verdict(text):
        yield Part(f"pytest: {verdict}", [], 1.0)
        verdicts = [line.strip() for line in _VERDICT.findall(text[-_VERDICT_CHARS:])]
        if verdicts:
            yield Part(f"{len(verdicts)} named as failed:", verdicts, 0.5)
        yield from _trouble(text, 0.6)
    else:
        yield Part(_kind(text), [], 1.0)
        yield from _trouble(text, 0.45)
        yield Part("begins:", list(_first_lines(text)), 0.5)
    yield Part("ends:", list(_last_lines(text)), 1.0, from_end=True)


def pytest_verdict(text: str) -> str:
    r"""Pytest's last line without its frame; empty where the text is no pytest output.

    >>> pytest_verdict("FAILED tests/test_a.py::test_b\n=== 1 failed, 3 passed in 0.12s ===")
    '1 failed, 3 passed in 0.12s'
    """
    found = _PYTEST.findall(text[-EDGE_CHARS:])
    looks_so = "::" in text[-_VERDICT_CHARS:] or "test session starts" in text[:EDGE_CHARS]
    return found[-1].strip("= \r\n") if found and looks_so else ""


def without_line_numbers(text: str) -> str:
    r"""The text without the numbers that a file reader has put before each line.

    >>> without_line_numbers("    1\t{\n    2\t}")
    '{\n}'
    """
    if len(text) > PARSED_CHARS or not _NUMBERED.match(text):
        return text
    lines = text[: 2 * EDGE_CHARS].split("\n")[:20]
    if not all(_NUMBERED.match(line) for line in lines[:-1]):
        return text
    return _NUMBERS.sub("", text)


def _kind(text: str) -> str:
    """The name of the format, with what can be counted of it."""
    lines = [line for line in text[:EDGE_CHARS].split("\n")[:40] if line.strip()]
    timed = sum(bool(_TIME.search(line[:LINE_CHARS])) for line in lines)
    levels = {level: text.count(level) for level in _LEVELS} if timed * 2 >= len(lines) else {}
    if not any(levels.values()):
        long = max(map(len, lines), default=0) > ROW_CHARS or "\n" not in text[: ROW_CHARS + 1]
        return "text" + (f" with long lines: each {ROW_CHARS} chars of one count as a line" if long else "")
    times = _TIME.findall(text[:EDGE_CHARS])[:1] + _TIME.findall(text[-EDGE_CHARS:])[-1:]
    counted = ", ".join(f"{level} {count}" for level, count in levels.items() if count)
    return f"log: {counted}; {' to '.join(times)}"


def _trouble(text: str, share: float) -> Iterator[Part]:
    found = trouble_in(text)
    if not found.lines:
        return
    count = f"at least {found.total}" if found.more else str(found.total)
    says = "line speaks" if count == "1" else "lines speak"
    lines = found.lines if len(found.lines) <= 8 else [*found.lines[:6], *found.lines[-2:]]
    numbered = [f"{row_at(text, line.start)}: {_cut(line.text)}" for line in lines]
    yield Part(f"{count} {says} of errors:", numbered, share)


def _first_lines(text: str) -> Iterator[str]:
    at = 0
    for line in text[:EDGE_CHARS].split("\n")[:EDGE_LINES]:
        yield f"{row_at(text, at)}: {_cut(line.rstrip())}"
        at += len(line) + 1


def _last_lines(text: str) -> Iterator[str]:
    body = text.removesuffix("\n")
    tail = body[-EDGE_CHARS:].split("\n")
    number = count_rows(body) - len(tail[-EDGE_LINES:])
    for line in tail[-EDGE_LINES:]:
        number += 1
        bare = plain(line.rstrip())
        yield f"{number}: " + (bare if len(bare) <= LINE_CHARS else f"…{bare[-LINE_CHARS:]}")


def _cut(line: str) -> str:
    bare = plain(line[: 4 * LINE_CHARS])
    return bare if len(bare) <= LINE_CHARS else f"{bare[:LINE_CHARS]}…"
