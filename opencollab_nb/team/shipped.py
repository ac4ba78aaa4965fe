"""The teams that come with the house: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from opencollab_nb.models.simulated.folders import PACKAGE

PLACES = (PACKAGE / "data" / "teams", PACKAGE.parent / "data" / "teams")


def shipped() -> dict[str, Path]:
    """The file of each shipped team, by name.

    >>> sorted(shipped())
    ['analyst_coder_tester', 'example']
    """
    found: dict[str, Path] = {}
    for place in PLACES:
        for path in sorted(place.glob("*.yaml")):
            found.setdefault(path.stem, path)
    return found
