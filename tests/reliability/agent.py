"""A run that goes one way only: each reply follows from the bytes of its request, and from nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript.repair import INTERRUPTED
from opencollab_nb.workspace import Workspace
from tests.session.build import calling, tool_call
from tests.session.remote import short_summary

MOST_STEPS = 16
FORMS = ("functions", "folder")


def digest(request: Request) -> str:
    return sha256(json.dumps(request.wire).encode()).hexdigest()


class Agent:
    """Two runs of it that differ in one byte of one request differ in all that follows."""

    name, window = "scripted", None

    def __init__(self) -> None:
        self.requests: list[str] = []

    def reply(self, request: Request, *, cancel: Any = None) -> Reply:
        mark = digest(request)
        self.requests.append(mark)
        chance = random.Random(mark)
        usage = Usage(int(sum(map(weigh, request.messages)) * 1.2), 0, 50)
        if len(request.messages) > 8 and chance.random() < 0.1:
            return Reply({"role": "assistant", "content": f"All done: {mark[:8]}."}, usage, "stop")
        calls = [one_call(chance, f"{mark[:12]}{n}") for n in range(chance.randint(1, 3))]
        return Reply(calling(*calls, text="I think. " * chance.randint(1, 60)), usage, "tool_calls")


def one_call(chance: random.Random, mark: str) -> dict[str, Any]:
    limit = chance.randint(1, 800)
    if chance.random() < 0.5:
        return tool_call("file_write", mark, path=f"{mark}.txt", content=f"{mark}\n" * chance.randint(1, 900))
    return tool_call("file_read", mark, path="log.txt", offset=chance.randint(1, 97), limit=limit)


def known_as(arguments: str) -> str:
    """A call by its arguments, of which no two are the same in a run."""
    return sha256(arguments.encode()).hexdigest()


class Acting:
    """A workspace whose named calls did their work and were never answered, as after a crash."""

    def __init__(self, within: Any, cut_off: frozenset[str]) -> None:
        self.within, self.cut_off = within, cut_off
        self.shell, self.question = "off", None
        if hasattr(within, "root"):
            self.root = within.root

    def schemas(self) -> Any:
        return self.within.schemas()

    def call(self, name: str, arguments: str, *, ticket: Ticket | None = None) -> str:
        answer = self.within.call(name, arguments, ticket=ticket)
        return INTERRUPTED if known_as(arguments) in self.cut_off else str(answer)

    def close(self) -> None:
        self.within.close()


class Functions:
    """The same two tools without a folder that the session knows of."""

    shell, question = "off", None

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def schemas(self) -> list[dict[str, Any]]:
        return [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
            for name in ("file_write", "file_read")
        ]

    def call(self, name: str, arguments: str, *, ticket: Ticket | None = None) -> str:
        told: Mapping[str, Any] = json.loads(arguments)
        path = self.folder / told["path"]
        if name == "file_write":
            path.write_text(told["content"])
            return f"wrote {len(told['content'])} characters"
        return "\n".join(path.read_text().splitlines()[: told["limit"]])

    def close(self) -> None:
        pass


def tools(form: str, folder: Path, cut_off: frozenset[str] = frozenset()) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log.txt"
    if not log.exists():
        log.write_text("".join(f"line {n} of the log\n" for n in range(900)))
    within = Functions(folder) if form == "functions" else Workspace(folder)
    return Acting(within, cut_off)


def made(path: Path, form: str, cut_off: frozenset[str] = frozenset()) -> Session:
    """A new session in `path/run`, working in `path/work`."""
    return Session(
        "Tidy the log.",
        model=Agent(),
        workspace=tools(form, path / "work", cut_off),
        window=12_000,
        policy="summarize",
        summarizer=short_summary,
        max_steps=MOST_STEPS,
        path=path / "run",
    )


def resumed(path: Path, form: str) -> Session:
    return Session.resume(path / "run", model=Agent(), workspace=tools(form, path / "work"))
