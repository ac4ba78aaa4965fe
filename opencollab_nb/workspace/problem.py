"""What a tool answers as an error: one text that names the culprit, the value and what to do next."""

from __future__ import annotations

from opencollab_nb.errors import OpenCollabError

SHOWN_CHARS = 80


class ToolProblem(OpenCollabError):
    """A tool could not do what it was asked; `Workspace.call` turns it into an `Error: …` text."""


def shown(value: object) -> str:
    """A value as it stands in an error: quoted, on one line, never long.

    >>> shown("a" * 200)[-20:]
    'aaaaaaaaaaaaaaaaaaa…'
    """
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
