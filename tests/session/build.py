"""Small sessions for tests: scripted models, a workspace of plain functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.ticket import Ticket

Act = Callable[[Mapping[str, Any], Ticket | None], Any]


class Tools:
    """A workspace whose tools are the given functions of (arguments, ticket)."""

    shell = "off"
    question = None

    def __init__(self, **acts: Act) -> None:
        self.acts = acts
        self.calls: list[tuple[str, Any]] = []

    def schemas(self) -> list[dict[str, Any]]:
        return [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
            for name in self.acts
        ]

    def call(self, name: str, arguments: str, *, ticket: Ticket | None = None) -> Any:
        self.calls.append((name, arguments))
        return self.acts[name](json.loads(arguments or "{}"), ticket)

    def close(self) -> None:
        self.acts = {}


def echo(arguments: Mapping[str, Any], ticket: Ticket | None) -> str:
    """A tool that gives a text as long as it is asked for."""
    return str(arguments.get("text", "ok")) * int(arguments.get("times", 1))


def tool_call(name: str = "echo", call_id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def calling(*calls: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """A reply that calls tools."""
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


def working(steps: int, *, chars: int = 20, end: str | None = "All done.") -> list[Any]:
    """So many replies with one call each, and one that hands back."""
    replies: list[Any] = [
        calling(tool_call(call_id=f"c{n}", text=f"line {n} ", times=max(1, chars // 8)))
        for n in range(1, steps + 1)
    ]
    return replies + ([end] if end is not None else [])


def a_session(path: Path | None = None, replies: Any = None, **settings: Any) -> Session:
    """A session with a scripted model and one tool, `echo`."""
    model = settings.pop("model", None)
    if model is None:
        model = ScriptedModel(
            working(3) if replies is None else replies, usage=settings.pop("usage", "count")
        )
    settings.setdefault("workspace", Tools(echo=echo))
    settings.setdefault("window", 16_000)
    settings.setdefault("system", "You are a coder.")
    return Session("Fix the bug.", model=model, path=path, **settings)


def kinds(session: Session) -> list[str]:
    return [event["kind"] for event in session.trace.events]
