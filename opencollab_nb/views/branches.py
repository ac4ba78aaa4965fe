"""Branches that were made from a panel: named, so that `%oc @name` and a cell can go on with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opencollab_nb.views.labels import clean

if TYPE_CHECKING:
    from opencollab_nb.session import Session


def keep_branch(session: Session, branch: Session, step: int) -> str:
    """Register a branch under a name made of its origin's and the step; returns the name."""
    stem = clean(f"{session.name or 'agent'}-at-{step}", 60)
    names = names_of_shell()
    if names is None:
        return stem
    current = names.current
    name = names.free_name(stem, "")
    names.put(name, branch)
    if current is not None:
        names.put(current, names.find(current))
    return name


def names_of_shell() -> Any:
    """The named agents of the running shell; None without the extension."""
    from IPython.core.getipython import get_ipython

    from opencollab_nb.views import names_of

    shell = get_ipython()
    return None if shell is None else names_of(shell)


def branch_rows(session: Session) -> list[list[Any]]:
    """Step and folder of each branch, as a panel shows them."""
    return [[step, clean(path, 160)] for step, path in session.branches]
