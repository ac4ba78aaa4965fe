"""Results without clocks and paths of this machine: the same run gives the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SUMMARY_LINE = re.compile(
    r"^(=*\s*(?:\d+ \w+(?:, )?)+|=*\s*no tests ran)(?: in \d+(?:\.\d+)?s(?: \(\d+:\d\d:\d\d\))?)(\s*=*)$",
    re.MULTILINE,
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}")


def without_paths(text: str, names: Mapping[str, str]) -> str:
    """The text with each path replaced by its short name; longer paths first.

    >>> without_paths("/t/w/a.py in /t/w, not /t/wide", {"/t/w": "."})
    './a.py in ., not /t/wide'
    """
    for path in sorted(names, key=len, reverse=True):
        if len(path) > 1 and path in text:
            text = re.sub(re.escape(path) + r"(?![\w-]|\.\w)", lambda _: names[path], text)  # noqa: B023 - used at once
    return text


def without_timings(text: str) -> str:
    """The text without the seconds in pytest's last line.

    >>> without_timings("2 failed, 1 passed in 0.12s")
    '2 failed, 1 passed'
    """
    return _SUMMARY_LINE.sub(r"\1\2", text)


def without_addresses(text: str) -> str:
    """The text without the memory addresses in Python's default representations.

    >>> without_addresses("<Shop object at 0x7f01a2b3c4d5>")
    '<Shop object at 0x…>'
    """
    return _ADDRESS.sub(" at 0x…", text)
