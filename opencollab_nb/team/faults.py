"""What is wrong in a team file: all of it at once, each fault with its line and place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from opencollab_nb.errors import SpecificationError
from opencollab_nb.secrecy import KNOWN

MOST_FAULTS = 20
"""Shown; more are counted: a file with that many is some other file."""


class Fault(NamedTuple):
    """One fault; lines are counted from 1, and 0 stands for no line."""

    line: int
    place: str
    """Keys on the way there, such as `roles.coder`; empty for the top."""
    says: str

    def __str__(self) -> str:
        where = ", ".join(filter(None, (f"line {self.line}" if self.line else "", self.place)))
        return f"{where}: {self.says}" if where else self.says


class Faults:
    """The faults found so far.

    >>> faults = Faults("shop.yaml")
    >>> faults.add(None, "roles.coder", "no prompt")
    >>> faults.check()
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.SpecificationError: shop.yaml: roles.coder: no prompt
    """

    def __init__(self, source: str) -> None:
        """Start with none.

        Args:
            source: what a message calls the file.
        """
        self.source = source
        self._found: list[Fault] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, node: Any, place: str, says: str) -> None:
        """Note one fault at a node of the text, or at none."""
        self._found.append(Fault(line_of(node), place, says))

    def check(self) -> None:
        """Refuse the file if there is anything.

        Raises:
            SpecificationError: (a ValueError) all faults, in the order of the lines.
        """
        if self._found:
            raise SpecificationError(KNOWN.struck(f"{self.source}: {_listed(sorted(self._found))}"))


def line_of(node: Any) -> int:
    """The line of a node; 0 where it was made of no text."""
    mark = getattr(node, "start_mark", None)
    return 0 if mark is None else int(mark.line) + 1


def _listed(found: Iterable[Fault]) -> str:
    faults = list(dict.fromkeys(found))
    if len(faults) == 1:
        return str(faults[0])
    shown = [f"- {fault}" for fault in faults[:MOST_FAULTS]]
    more = [f"- and {len(faults) - MOST_FAULTS} more"] if len(faults) > MOST_FAULTS else []
    return "\n".join([f"{len(faults)} faults", *shown, *more])
