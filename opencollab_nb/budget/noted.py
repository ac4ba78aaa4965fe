"""One thing worth handing on, with its reason and whose words it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BECAUSE = re.compile(r"(?i)[,;]?\s+(?:because|since|as it|so that)\s+|\s+[—–]\s+|;\s+reason:\s+")


@dataclass(frozen=True)
class Noted:
    """A decision, a path that was ruled out, a next step or a caution."""

    text: str
    reason: str = ""
    by: str = "harness"
    """`user`, `harness`, `model` or `tool`."""


def noted(text: str, by: str) -> Noted:
    """A text with its reason taken apart, where it gives one.

    >>> noted("Keep one table, because migrations broke billing.", "user")
    Noted(text='Keep one table', reason='migrations broke billing.', by='user')
    """
    flat = " ".join(text.split())
    found = _BECAUSE.search(flat)
    if found is None or not found.start() or found.end() == len(flat):
        return Noted(flat, "", by)
    return Noted(flat[: found.start()], flat[found.end() :], by)
