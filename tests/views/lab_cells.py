"""Cells for the exploring magics: shapers that keep the laws, and some that do not."""

from __future__ import annotations

GOOD = """%%shaper cut_old {flags}
from dataclasses import dataclass

from opencollab_nb.messages import is_pinned


@dataclass(frozen=True)
class cut_old:
    chars: int = {chars}

    def shape(self, messages, pressure):
        if not pressure.over(messages):
            return messages
        shaped = [self.cut(m) for m in messages[:-6]] + messages[-6:]
        return shaped if any(a is not b for a, b in zip(shaped, messages)) else messages

    def cut(self, message):
        text = message["content"]
        if message["role"] != "tool" or is_pinned(message) or not isinstance(text, str):
            return message
        return {{**message, "content": text[: self.chars]}} if len(text) > self.chars else message
"""
WRONG = """%%shaper last_only {flags}
def last_only(messages, pressure):
    return messages[-5:]
"""
SHORT = """%%summarizer short {flags}
def short(request):
    return "The work is in parcelkit/rates.py and in src/invented.py; the limit is 987654."
"""


def good(flags: str = "", chars: int = 100) -> str:
    return GOOD.format(flags=flags, chars=chars)


def wrong(flags: str = "") -> str:
    return WRONG.format(flags=flags)


def short(flags: str = "") -> str:
    return SHORT.format(flags=flags)
