"""What the Python API says, in the words of the magics: a reader of a cell is told what to type there."""

from __future__ import annotations

import re

_SAYS = (
    (re.compile(r"pause or stop(?: it)? first"), "%oc pause, or Pause in the panel, first"),
    (
        re.compile(r"say something to it to go on"),
        "%%oc say, with the words in the lines below it, lets it go on",
    ),
    (
        re.compile(r"this session has no model: Session\.resume\((.*), model=\.\.\.\)", re.DOTALL),
        r"this session has no model: %oc resume \1 --task NAME for a shipped task, or --model MODEL",
    ),
    (
        re.compile(r"take ExtractiveSummarizer\(\) instead"),
        "%oc summarizer extractive quotes, without a model",
    ),
)


def in_magics(text: str) -> str:
    """The text, with magics where it names Python calls.

    >>> in_magics("a run is under way after step 3: pause or stop it first")
    'a run is under way after step 3: %oc pause, or Pause in the panel, first'
    """
    for found, says in _SAYS:
        text = found.sub(says, text)
    return text
