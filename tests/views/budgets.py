"""Sessions with a context budget, small and scripted: long results, a hostile page, a todo that is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opencollab_nb.budget import ContextBudget
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.workspace import Workspace
from tests.build import call

HOSTILE = "<img src=x onerror=alert(1)>\u202eevil\x1b[31m"
LOG_LINES = 700


def calls(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    """A reply with one call."""
    return {"content": "", "tool_calls": [call(name, arguments, f"c{number}")]}


def replies() -> list[Any]:
    """Two long logs, the todo, a short file, the end."""
    return [
        calls("file_read", 1, path="a.log", limit=LOG_LINES),
        calls("file_read", 2, path="b.log", limit=LOG_LINES),
        calls("todo", 3, updates=[{"id": "t1", "status": "done"}], add=["look at the <i>mail</i>"]),
        calls("file_read", 4, path="c.txt"),
        "Done.",
    ]


def budgeted(folder: Path, *, window: int = 64_000, **settings: Any) -> Session:
    """A session that has not begun: a goal, a hostile constraint, two todos."""
    place = folder / "work"
    place.mkdir(parents=True)
    for name in ("a.log", "b.log"):
        lines = (f"12:{n % 60:02} request {n} of the shop was served in 12 ms" for n in range(LOG_LINES))
        (place / name).write_text("\n".join(lines))
    (place / "c.txt").write_text("short")
    session = Session(
        "Read the logs.",
        model=ScriptedModel(replies(), usage="count"),
        workspace=Workspace(place),
        path=folder / "run",
        window=window,
        budget=settings.pop("budget", None) or ContextBudget(window, restate_every=2),
        **settings,
    )
    session.register("goal", "Find out why the login fails.")
    session.register("constraints", f"Leave {HOSTILE} alone.")
    session.register("house_style", "Short words.")
    session.update_todos(["read the logs", f"name {HOSTILE[:20]}"])
    return session
