"""Small sessions with a budget, and models that keep or break its rules."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.messages import text_of
from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.usage import Usage
from tests.session.build import Tools, a_session, calling, echo, tool_call

GOAL = "Add tests for the shop's rules."
CONSTRAINTS = ("The schema must not be changed.", "Commits have at most 300 lines.")
TODOS = ("login: tests", "comment: tests", "mail: tests", "order: tests")


class Reporting:
    """A model that works at random: it reads, reads back, recalls, and says how far its todos are."""

    name, window = "scripted", None

    def __init__(self, seed: int, tools: tuple[str, ...] = ("echo", "read_result", "todo")) -> None:
        self.chance = random.Random(seed)
        self.tools = tools
        self.requests: list[Request] = []

    def reply(self, request: Request, *, cancel: Any = None) -> Reply:
        self.requests.append(request)
        number = len(self.requests)
        calls = [self.call(f"c{number}-{n}") for n in range(self.chance.randint(1, 3))]
        usage = Usage(int(sum(map(weigh, request.messages)) * 1.2), 0, 50)
        return Reply(calling(*calls, text="I think. " * self.chance.randint(1, 60)), usage, "tool_calls")

    def call(self, call_id: str) -> dict[str, Any]:
        name = self.chance.choice(self.tools)
        if name == "todo":
            update = {
                "id": f"t{self.chance.randint(1, 5)}",
                "status": self.chance.choice(["in_progress", "done"]),
            }
            return tool_call("todo", call_id, updates=[update])
        if name == "read_result":
            return tool_call("read_result", call_id, id=self.chance.randrange(40), limit=5)
        if name == "recall":
            return tool_call("recall", call_id, query="login")
        text = self.chance.choice(["a line of a log\n", "日本語のログの行です。 ", "wait_seconds = 1\n"])
        return tool_call("echo", call_id, text=text, times=self.chance.choice([20, 200, 800]))


def directed(path: Path | None = None, replies: Any = None, **settings: Any) -> Session:
    """A session with a goal, two constraints and four todos."""
    settings.setdefault("budget", ContextBudget(restate_every=4))
    settings.setdefault("workspace", Tools(echo=echo))
    session = a_session(path, replies, **settings)
    session.register("goal", GOAL)
    for text in CONSTRAINTS:
        session.register("constraints", text)
    session.update_todos(TODOS)
    return session


def in_full(request: Request) -> str:
    """All text of a request as it is sent."""
    return "\n".join(text_of(m) for m in request.messages)


def tails(session: Session) -> dict[int, str]:
    """The restatements that were sent, by step."""
    return {e["step"]: str(e["tail"]["content"]) for e in session.trace.of("request") if e["tail"]}
