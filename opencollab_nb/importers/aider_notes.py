"""What Aider notes beside a conversation: usage, models, commands, questions to the user."""

from __future__ import annotations

import re

from opencollab_nb.tokens.usage import Usage

ANSWER = re.compile(r"\(Y\)es/\(N\)o.*\]: \S*\s*$")
"""A question of the program with the user's answer."""

LEFT_OUT = re.compile(
    r"/(?!(ask|code|architect|context|help|ok|web|run|test|lint|editor-model|paste)\b)[a-z-]+(\s|$)|!"
)
"""A command of the user that no model is told of."""

REFLECTED_END = re.compile(
    r"The SEARCH section must exactly match an existing block|Just reply with fixed versions of the block"
)
"""The last sentence of the complaint about an edit that did not fit."""

_MODEL = re.compile(r"(?:Main model|Model): (\S+)")
_TOKENS = re.compile(r"Tokens: ([\d.]+[kM]?) sent(?:, (.*?))?, ([\d.]+[kM]?) received")
_CACHE = re.compile(r"([\d.]+[kM]?) cache (write|hit)")
_FACTOR = {"k": 1_000, "M": 1_000_000}


def tells_usage(note: str) -> Usage | None:
    """The usage that a note tells, as rounded as it is there; None where it tells none.

    >>> tells_usage("Tokens: 9.7k sent, 2k cache hit, 85 received. Cost: $0.01 message, $0.01 session.")
    Usage(input_tokens=9700, cached_input_tokens=2000, output_tokens=85, reasoning_tokens=0)
    """
    found = _TOKENS.match(note)
    if not found:
        return None
    hit = sum(_counted(count) for count, kind in _CACHE.findall(found[2] or "") if kind == "hit")
    sent = _counted(found[1])
    return Usage(sent, min(hit, sent), _counted(found[3])) if sent else None


def _counted(told: str) -> int:
    """`9.7k` as a number.

    >>> _counted("9.7k"), _counted("85")
    (9700, 85)
    """
    number, factor = (told[:-1], _FACTOR[told[-1]]) if told[-1] in _FACTOR else (told, 1)
    return round(float(number) * factor) if number.count(".") <= 1 and number.strip(".") else 0


def names_model(note: str) -> str | None:
    """The model that a note names.

    >>> names_model("Main model: vertex_ai/claude-sonnet-4 with diff edit format, infinite output")
    'vertex_ai/claude-sonnet-4'
    """
    found = _MODEL.match(note)
    return found[1] if found else None


def forgets(words: str) -> bool:
    """True for the commands that empty the history.

    >>> forgets("/clear"), forgets("/reset"), forgets("clear it")
    (True, True, False)
    """
    return words.split()[:1] in (["/clear"], ["/reset"])
