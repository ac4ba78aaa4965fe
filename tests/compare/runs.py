"""Runs under pressure, small and fast, for comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opencollab_nb.session import Session
from tests.session.build import Tools, a_session, calling, echo, tool_call


def pressed(path: Path | None = None, steps: int = 24, **settings: Any) -> Session:
    """A session whose results cross the trigger several times."""
    settings.setdefault("window", 12_000)
    session = a_session(path, replies=reading(steps + 30), workspace=Tools(bash=echo), **settings)
    session.run(steps)
    return session


def reading(steps: int, chars: int = 3_000) -> list[Any]:
    """Replies that call a tool whose results may be cleared."""
    return [
        calling(tool_call("bash", f"c{n}", text=f"line {n} ", times=chars // 8)) for n in range(1, steps + 1)
    ]


def footprint(session: Session) -> tuple[Any, ...]:
    """All that a run is made of, on disk and in memory."""
    files = sorted(p for p in session.path.rglob("*") if p.is_file())
    return (
        [(p.name, p.read_bytes()) for p in files],
        list(session.trace.events),
        list(session.transcript.messages),
        session.pressure.to_dict(),
        session.pressure.target_ratio,
        session.chain,
        session.mode,
        session.state,
        session.spent_tokens,
    )
