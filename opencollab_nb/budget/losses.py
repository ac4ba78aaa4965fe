"""Which events of layers took something away that had been there: after these a restatement is due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.budget.restate import CALLED_FOR_BY
from opencollab_nb.messages import each

SHED = "ContextShedShaper"
"""Takes away what stood beside the conversation: no reason to say direction and todos again."""


class Losses:
    """What is lost so far; asked for each event of a run in order.

    >>> layer = {"kind": "session.history_compaction", "layer": "OldHistorySnipShaper", "removed": [[3, 4]],
    ...          "rewritten": [], "covered": []}
    >>> losses = Losses()
    >>> losses.new_in(layer), losses.new_in(layer)
    (True, False)
    """

    def __init__(self) -> None:
        self._lost: set[int] = set()

    def new_in(self, event: Mapping[str, Any]) -> bool:
        """True where something left that had not left before: a stateless request repeats its losses."""
        kind = event["kind"]
        if kind == "session.history_compaction":
            return self._of_layer(event)
        if kind == "swap":
            self._lost.clear()
        elif kind == "pin" and event["how"] != "unpin":
            self._lost.difference_update(each(event["ids"]))
        return False

    def _of_layer(self, event: Mapping[str, Any]) -> bool:
        """A layer of the user's counts where messages left, and not where it shortened some."""
        if event["layer"] == SHED:
            return False
        names = ("removed", "covered", *(["rewritten"] if event["layer"] in CALLED_FOR_BY else []))
        gone = {i for name in names for i in each(event[name])}
        new = gone - self._lost
        self._lost |= new
        return bool(new)
