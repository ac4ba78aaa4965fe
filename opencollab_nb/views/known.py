"""The shapers and summarizers that can be chosen by name: shipped ones and those of the notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import opencollab_nb
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.branches import names_of_shell
from opencollab_nb.views.chains import shaper_names


def known_shapers() -> dict[str, Any]:
    """Shapers, or what makes them, by name: shipped ones, then those written in cells."""
    return {name: getattr(opencollab_nb, name) for name in shaper_names()} | written("shaper")


def known_summarizers() -> dict[str, Any]:
    """Summarizers written in cells, by name."""
    return written("summarizer")


def written(kind: str) -> dict[str, Any]:
    """What cells of the running notebook have defined."""
    names = names_of_shell()
    found = dict(getattr(names, "written", {}))
    return {name: one.part for name, one in found.items() if one.kind == kind}


def made(known: Mapping[str, Any], name: str) -> Any:
    """A shaper of that name, with its default settings.

    Raises:
        UnknownName: there is none; the nearest is named.
        UsageProblem: it cannot be made without arguments.
    """
    if name not in known:
        raise UnknownName("shaper", name, known)
    found = known[name]
    if not isinstance(found, type):
        return found
    try:
        return found()
    except TypeError as problem:
        raise UsageProblem(f"{name} cannot be added with default settings: {problem}") from problem
