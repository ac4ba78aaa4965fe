"""Branches by name: those made from a panel, and how each is opened again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.session.folder import OPEN
from opencollab_nb.views.labels import clean

if TYPE_CHECKING:
    from opencollab_nb.session import Session


def keep_branch(session: Session, branch: Session, step: int) -> str:
    """Register a branch under a name made of its origin's and the step; returns the name."""
    stem = clean(f"{session.name or 'agent'}-at-{step}", 60)
    names = names_of_shell()
    if names is None:
        return stem
    name = names.free_name(stem, "")
    names.put(name, branch, current=False)
    return name


def names_of_shell() -> Any:
    """The named agents of the running shell; None without the extension."""
    from opencollab_nb.views import names_of

    shell = shell_here()
    return None if shell is None else names_of(shell)


def shell_here() -> Any:
    """The running shell, or None."""
    from IPython.core.getipython import get_ipython

    return get_ipython()


def named_as(path: Path) -> tuple[str, Any]:
    """What shows this folder's run when a cell holds it, and the session itself; `("", None)` for none."""
    from opencollab_nb.session import Session

    names, shell = names_of_shell(), shell_here()
    for name, session in names.items() if names is not None else ():
        if session.path == path and not session.closed:
            return f"%oc {at_name(name)} panel", session
    for name, value in list(getattr(shell, "user_ns", {}).items()):
        if not name.startswith("_") and isinstance(value, Session) and value.path == path:
            return name, value
    return "", None


def at_name(name: str) -> str:
    """A name behind `@`, in quotes where it holds blanks.

    >>> at_name("a-at-3"), at_name("two words")
    ('@a-at-3', '@"two words"')
    """
    return f'@"{name}"' if any(letter.isspace() for letter in name) else f"@{name}"


def open_line(path: Path) -> str:
    """A line for a cell that shows this run's panel; empty for one that is open and has no name."""
    opened = OPEN.get(path.resolve())
    if opened is None or opened.closed:
        return f'%oc resume "{path}"'
    return named_as(path)[0]
