"""The run folders below a folder, and which of them works in which workspace; nothing is opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opencollab_nb.session.folder import EVENTS, OPEN, TRANSCRIPT

FIRST_LINE_BYTES = 4_000_000
WORKSPACE = "workspace"
"""A workspace that was made for a run, in its folder."""


def run_folders(root: Path) -> Iterator[Path]:
    """The folders below `root` that hold a run; never one that is reached by a link."""
    if not root.is_dir():
        return
    for path in root.iterdir():
        if path.is_dir() and not path.is_symlink() and holds_a_run(path):
            yield path


def holds_a_run(path: Path) -> bool:
    """True where a transcript or events are there."""
    return any((path / name).is_file() for name in (EVENTS, TRANSCRIPT))


def first_event(path: Path) -> dict[str, Any]:
    """The event that a run begins with; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            event = json.loads(file.readline(FIRST_LINE_BYTES))
    except (OSError, ValueError):
        return {}
    known = isinstance(event, dict) and isinstance(event.get("at"), str)
    return event if known else {}


def workspace_of(path: Path) -> Path | None:
    """Where a run works: the workspace in its own folder, else the one it was begun with."""
    own = path / WORKSPACE
    begun = first_event(path / EVENTS).get("workspace")
    if own.is_dir():
        return own.resolve()
    return Path(begun).resolve() if isinstance(begun, str) and begun else None


def needed(workspace: Path, *, by_others_than: Path) -> bool:
    """True where a session of this process works there, or a run beside this one goes on there."""
    workspace, path = workspace.resolve(), by_others_than.resolve()
    roots = (getattr(b.workspace, "root", None) for b in list(OPEN.values()) if not b.closed)
    if any(isinstance(root, Path) and root.resolve() == workspace for root in roots):
        return True
    others = (other for other in run_folders(path.parent) if other.resolve() != path)
    return any(workspace_of(other) == workspace for other in others)
