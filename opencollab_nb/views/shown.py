"""The panels on show: one a cell, so that a cell that is run again closes what it has shown before."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from opencollab_nb.views.ticker import Flushable, ticker

MOST_WITHOUT_CELL = 8
"""Panels kept where the front end does not name its cells; beyond that the oldest is closed."""


class OnShow(Flushable, Protocol):
    """A panel."""

    def close(self) -> None:
        """End its live half."""
        ...


SHOWN: dict[str, OnShow] = {}

P = TypeVar("P", bound=OnShow)


def put_up(shell: Any, make: Callable[[], P]) -> P:
    """Make a panel for the cell that is being run; one shown before by the same cell is closed first."""
    cell = cell_of(shell)
    if cell in SHOWN:
        SHOWN[cell].close()
    panel = make()
    SHOWN[cell or f"no cell {uuid.uuid4().hex}"] = panel
    close_the_oldest()
    return panel


def forget(panel: OnShow) -> None:
    """Take a panel off the list, and off the ticker's."""
    ticker.forget(panel)
    for key in [key for key, one in SHOWN.items() if one is panel]:
        del SHOWN[key]


def look_again() -> None:
    """Have all panels look for what has changed without an event of their session."""
    for panel in list(SHOWN.values()):
        ticker.poke(panel)


def close_the_oldest() -> None:
    """Keep the number of panels without a cell bounded."""
    unnamed = [key for key in SHOWN if key.startswith("no cell ")]
    for key in unnamed[:-MOST_WITHOUT_CELL]:
        SHOWN[key].close()


def notebook_shell() -> Any:
    """The running IPython shell if it has a kernel, so that widgets can live; else None."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None


def cell_of(shell: Any) -> str | None:
    """The id of the cell that is being run, where the front end tells."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = (parent.get("metadata") or {}).get("cellId")
    return cell if isinstance(cell, str) else None
