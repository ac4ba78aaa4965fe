"""The body of a cell magic exactly as it was typed.

IPython takes doctest prompts (`>>> `) out of every cell, ends it with a newline, and refuses a cell magic
without a body before the magic is asked. A task is text, not code: it must reach the agent as it is, and
`%%agent --help` needs no body.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from opencollab_nb.views.agent_magic import BODY_BELOW

_ANY_CELL_MAGIC = re.compile(r"\s*%%(agent|oc|shaper|summarizer)(?=\s|$)")
_CELL_MAGIC = re.compile(r"\s*%%(agent|oc)(?=\s|$)")
_LINE_MAGIC = re.compile(r"\s*%agent(?=\s|$)")


class Bodies:
    """Remembers the cell that is run now, as it came."""

    def __init__(self) -> None:
        self._cell = ""

    def remember(self, info: Any) -> None:
        """A callback of `pre_run_cell`."""
        self._cell = info.raw_cell or ""

    def forget(self, _result: Any = None) -> None:
        """A callback of `post_run_cell`."""
        self._cell = ""

    def exact(self, line: str, body: str | None, magic: str = "agent") -> str | None:
        """The body as typed if the running cell is this magic, else the body as given."""
        found = _CELL_MAGIC.match(self._cell)
        if body is None or found is None or found[1] != magic:
            return body
        first, _, rest = self._cell.lstrip().partition("\n")
        typed = first.removeprefix(f"%%{magic}").strip()
        return rest if typed == line.strip() else body


def complete_cells(lines: list[str]) -> list[str]:
    r"""An input transformer: what would be refused before the magic can say what is missing.

    >>> complete_cells(["%%agent --help\n"])
    ['%%agent --help\n', '\n']
    """
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return lines
    if _ANY_CELL_MAGIC.match(lines[first]) and first == len(lines) - 1:
        return [*lines[:-1], lines[-1].rstrip("\n") + "\n", "\n"]
    rest = "".join(lines[first + 1 :])
    if _LINE_MAGIC.match(lines[first]) and rest.strip() and not _is_python(rest):
        return [*lines[:first], f"{lines[first].rstrip()} {BODY_BELOW}\n"]
    return lines


def _is_python(text: str) -> bool:
    """True for Python, with or without magics: only clear prose is taken for a misplaced body."""
    if re.search(r"^\s*[%!?]|[?]\s*$", text, re.MULTILINE):
        return True
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
