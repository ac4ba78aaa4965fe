"""An agent that never tires, for very long runs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.workspace import Workspace
from tests.session.build import calling, tool_call


class Hauling:
    """Reads parts of files, one to three a step, and writes one now and then."""

    name, window = "scripted", None
    simulated = True

    def __init__(self) -> None:
        self.chance = random.Random(0)
        self.number = 0

    def reply(self, request: Request, *, cancel: Any = None) -> Reply:
        self.number += 1
        calls = [
            tool_call(
                "file_read",
                f"c{self.number}-{n}",
                path=f"{self.chance.randrange(4)}.log",
                offset=self.chance.randint(1, 400),
                limit=self.chance.randint(5, 60),
            )
            for n in range(self.chance.randint(1, 3))
        ]
        if self.number % 50 == 0:
            calls.append(
                tool_call("file_write", f"w{self.number}", path="notes.md", content=f"step {self.number}")
            )
        usage = Usage(sum(len(str(m)) for m in request.messages) * 3 // 8, 0, 60)
        return Reply(calling(*calls, text=f"Step {self.number}. " + "I look. " * 5), usage, "tool_calls")


def at_work(name: str) -> Workspace:
    folder = Path(name).resolve()
    folder.mkdir()
    for number in range(4):
        text = "".join(
            f"{number}:{line} GET /shop/item/{line * 7} 200 in {line % 90} ms\n" for line in range(600)
        )
        (folder / f"{number}.log").write_text(text)
    return Workspace(folder)
