"""Aider's chat history: Markdown with many sessions in one file.

The user's words begin with `#### `, notes of the program with `> `, everything else is what the model said.
The files that were added to the chat are not in it, so real requests are much larger; the tokens that a note
tells after each reply are rounded to two digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from opencollab_nb.importers.aider_session import HEAD, Session
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript

NAME = "aider"
WANTS = "a line `# aider chat started at ...`, `#### ` before the user's words and `> ` before notes"

_BREAKS = re.compile(r"^> .*  \r?$", re.MULTILINE)


def signs(source: Source) -> float:
    """From the line that heads each session."""
    if HEAD.search(source.start):
        return 0.95
    lines = source.start.splitlines()
    quoted = sum(
        line.startswith(("> Aider v", "> Model: ", "> Main model: ", "> Tokens: ")) for line in lines
    )
    return 0.6 if quoted and any(line.startswith("#### ") for line in lines) else 0.0


def read(source: Source) -> list[Transcript]:
    """Each session in which something was said, by its own."""
    drafts: list[Draft] = []
    silent_lines = 0
    text = source.text
    for n, (begun, lines) in enumerate(_sessions(text), 1):
        draft = Draft(source, NAME, f"{source.name} #{n}")
        Session(draft, breaks=_BREAKS.search(text) is not None).read(lines)
        if draft.messages:
            draft.notices += [f"the session of {begun.strip()}"] if begun else []
            drafts.append(draft)
        else:
            silent_lines += len(lines)
    if drafts:
        drafts[0].skip("line of a session without a message", silent_lines)
    return [draft.done() for draft in drafts]


def _sessions(text: str) -> Iterator[tuple[str, list[str]]]:
    """When each began, and its lines, the head included."""
    begun, lines = "", list[str]()
    for line in _lines(text):
        head = HEAD.match(line)
        if head:
            if any(map(str.strip, lines)):
                yield begun, lines
            begun, lines = head[1], []
        lines.append(line)
    if any(map(str.strip, lines)):
        yield begun, lines


def _lines(text: str) -> Iterator[str]:
    """One line after the other: a list of all would take more than the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    yield text[start:].removesuffix("\r")
