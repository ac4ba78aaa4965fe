"""Aider's chat history: Markdown with many sessions in one file.

The user's words begin with `#### `, notes of the program with `> `, everything else is what the model said.
The files that were added to the chat are not in it, so real requests are much larger; the tokens that a note
tells after each reply are rounded to two digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from opencollab_nb.importers.aider_session import HEAD, Session
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript

NAME = "aider"
WANTS = "a line `# aider chat started at ...`, `#### ` before the user's words and `> ` before notes"

_BREAK = re.compile(r"> .*  \Z")
"""A note of the program as Aider writes it: with the two spaces that break a line in Markdown."""


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
    breaks = any(map(_BREAK.match, source.text_lines()))
    drafts: list[Draft] = []
    silent_lines = 0
    for n, (begun, lines) in enumerate(_sessions(source.text_lines()), 1):
        draft = Draft(source, NAME, f"{source.name} #{n}")
        count = Session(draft, breaks=breaks).read(lines)
        if draft.messages:
            draft.notices += [f"the session of {begun.strip()}"] if begun else []
            drafts.append(draft)
        else:
            silent_lines += count
    if drafts:
        drafts[0].skip("line of a session without a message", silent_lines)
    return [draft.done() for draft in drafts]


def _sessions(lines: Iterator[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """When each began, and its lines, the head included: to be taken before the next session is."""
    line = next(filter(str.strip, lines), None)
    while line is not None:
        head, rest = HEAD.match(line), _Until(lines)
        yield head[1] if head else "", chain([line], rest)
        line = rest.head


class _Until:
    """Lines as far as the head of the next session."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.head: str | None = None

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            if HEAD.match(line):
                self.head = line
                return
            yield line
