"""What may be remembered, by kind: a closed list, so that a store does not become a second transcript."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from opencollab_nb.errors import UnknownName

BY = ("user", "harness", "model", "tool")
"""Whose words a memory is, the most trusted first."""
CONFIDENCE = {"user": 1.0, "harness": 0.9, "model": 0.6, "tool": 0.5}
"""How far a memory is trusted when nothing is said: what a model or a tool says may be wrong."""


@dataclass(frozen=True)
class Kind:
    """One kind of memory."""

    about: str
    """What it is for."""
    lasts: timedelta | None = None
    """How long it is kept when nothing is said; None for as long as there is room."""
    directs: bool = False
    """True where it tells the agent what to do: only the user and the harness may say such a thing."""


KINDS: dict[str, Kind] = {
    "preference": Kind("how the user wants things done", directs=True),
    "convention": Kind("a rule of the project that outlives one task", directs=True),
    "decision": Kind("what was decided, and why"),
    "ruled_out": Kind("what was tried and does not work"),
    "caution": Kind("what to look out for"),
    "fact": Kind("a figure, a name or a place worth knowing"),
    "outcome": Kind("how a session ended", timedelta(days=90)),
    "next_step": Kind("what was to come next", timedelta(days=30)),
}
"""In the order in which a cold start shows them. A next step is stale in weeks, an outcome in months."""


def known_kind(kind: str) -> Kind:
    """The kind of that name.

    Raises:
        UnknownName: there is none.
    """
    if kind not in KINDS:
        raise UnknownName("kind of memory", kind, KINDS)
    return KINDS[kind]


def known_voice(by: str) -> str:
    """The name itself.

    Raises:
        UnknownName: nobody of that name speaks.
    """
    if by not in BY:
        raise UnknownName("voice", by, BY)
    return by
