"""Three members that send each other numbered messages, in threads; run as a script to be killed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.tokens.usage import Usage
from tests.team.build import a_team, reply, seats, send, wait

NAMES = ("a", "b", "c")
MANY = 8
"""Messages from each to each."""
_SENT = re.compile(r"Message \d+ is on its way to (\w)\.")
_HEARD = re.compile(r"(?:\[Message \d+ from (\w)\]\n)?note (\d+) of (\w)")


def models() -> dict[str, ScriptedModel]:
    """Each counts in its request what it has sent, sends what is missing, and waits for the rest."""
    return {name: ScriptedModel(speaker(name), usage=lambda _: Usage(90, 0, 10)) for name in NAMES}


def speaker(name: str) -> Any:
    others = [other for other in NAMES if other != name]

    def line(request: Request) -> Any:
        said = [text_of(message) for message in request.messages]
        sent = [m[1] for text in said if (m := _SENT.fullmatch(text))]
        missing = [
            send(other, f"note {sent.count(other) + 1} of {name}")
            for other in others
            if sent.count(other) < MANY
        ]
        if missing:
            return reply(*missing)
        whole = all(len(numbers) >= MANY for numbers in heard(said).values()) and len(heard(said)) == 2
        return "I have heard all." if whole else reply(wait())

    return line


def heard(said: list[str]) -> dict[str, list[str]]:
    """The numbers that came from each other member, in order."""
    found: dict[str, list[str]] = {}
    for text in said:
        if m := _HEARD.fullmatch(text):
            found.setdefault(m[3], []).append(m[2])
    return dict(sorted(found.items()))


if __name__ == "__main__":
    team = a_team(Path(sys.argv[1]), models(), seats(*NAMES, tokens=10_000_000))
    print("begun", flush=True)
    team.start().wait()
