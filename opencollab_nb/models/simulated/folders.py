"""Where the shipped tasks and their plans lie: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from opencollab_nb.errors import UnknownName

PACKAGE = Path(__file__).parents[2]
PLACES = (PACKAGE / "data" / "tasks", PACKAGE.parent / "data" / "tasks")


@cache
def shipped() -> dict[str, Path]:
    """The folder of each shipped task, by name."""
    found: dict[str, Path] = {}
    for place in PLACES:
        for plan in sorted(place.glob("*/plan.yaml")):
            found.setdefault(plan.parent.name, plan.parent)
    return found


def known() -> list[str]:
    """Names of the shipped tasks.

    >>> known()
    ['orders', 'orders_long', 'quickstart']
    """
    return sorted(shipped())


def folder_of(name: str | Path) -> Path:
    """The folder of a shipped task, or of one of your own by its path.

    Raises:
        UnknownName: no shipped task has this name, and no folder with a `plan.yaml` this path.
    """
    if str(name) in shipped():
        return shipped()[str(name)]
    path = Path(name).expanduser()
    if (path / "plan.yaml").is_file():
        return path.resolve()
    raise UnknownName("task", str(name), known())
