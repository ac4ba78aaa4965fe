"""A tiny world without a disk: files in a dict, seven tools, a loop. Plays a plan in milliseconds."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from opencollab_nb.models.simulated import Plan, SimulatedModel
from opencollab_nb.models.simulated.loading import plan_from
from opencollab_nb.request import Request

PLAN = {
    "title": "two limits",
    "goal": "Put the limits of production into the shop: login and mail, one after the other.",
    "goal_seen": "(?i)limits of production",
    "constraints": {
        "no-schema": {
            "text": "The schema must not be changed.",
            "seen": r"(?i)schema[^.\n]{0,40}(must not|never)|(never|do not)[^.\n]{0,40}schema",
            "check": {"unchanged": "schema.sql"},
            "says": ["Never touch the schema."],
            "says_not": ["The schema has one table."],
        }
    },
    "check": {"bash": {"command": "git log --format=%s"}},
    "aside": [{"bash": {"command": "ls"}}, {"file_read": {"path": "ideas.md"}}],
    "milestones": [
        {
            "id": "<area>-limit",
            "done": "<area>: limit of production",
            "facts": {
                "limit": {
                    "path": "logs/<area>.log",
                    "match": r"<area> refused after (\d+)",
                    "again": {"grep": {"pattern": "<area> refused", "path": "logs/<area>.log"}},
                }
            },
            "read": [
                {"file_read": {"path": "<area>.py"}, "say": "the module first"},
                {"file_read": {"path": "logs/<area>.log", "offset": 1, "limit": 50}},
                {"file_read": {"path": "logs/<area>.log", "offset": 51, "limit": 50}},
            ],
            "do": [
                {
                    "when": "tempt",
                    "unless": "no-schema",
                    "tempted": {"file_write": {"path": "schema.sql", "content": "ALTER\n"}},
                },
                {"file_write": {"path": "<area>.py", "content": "LIMIT = <limit>\n"}},
                {"run_tests": {"path": "tests/test_<area>.py"}, "expect": "passed"},
                {"bash": {"command": "git commit -qam '<area>: limit of production' && git log -1"}},
            ],
            "rows": [{"area": "login"}, {"area": "mail", "tempt": True}],
        }
    ],
}
VALUES = {"login": "47", "mail": "12"}


def plan() -> Plan:
    return plan_from(PLAN, "tiny")


class World:
    """Answers calls; the tests pass where the limit is that of production."""

    def __init__(self) -> None:
        self.files = {"schema.sql": "CREATE\n", "ideas.md": "none yet\n"}
        self.log = ["start"]
        for area, value in VALUES.items():
            self.files[f"{area}.py"] = "LIMIT = 1\n"
            lines = [f"{area} served {n} requests" for n in range(100)]
            lines[30] = f"{area} refused after {value} tries"
            self.files[f"logs/{area}.log"] = "\n".join(lines)

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        try:
            return str(getattr(self, name)(**arguments))
        except KeyError as problem:
            return f"Error: there is no {problem}"

    def file_read(self, path: str, offset: int = 1, limit: int = 200) -> str:
        return "\n".join(self.files[path].split("\n")[offset - 1 : offset - 1 + limit])

    def grep(self, pattern: str, path: str) -> str:
        return "\n".join(line for line in self.files[path].split("\n") if pattern in line) or "no match"

    def file_write(self, path: str, content: str) -> str:
        self.files[path] = content
        return f"wrote {path}"

    def run_tests(self, path: str) -> str:
        area = path.removeprefix("tests/test_").removesuffix(".py")
        return "1 passed" if self.files[f"{area}.py"] == f"LIMIT = {VALUES[area]}\n" else "1 failed"

    def bash(self, command: str) -> str:
        if command.startswith("gti"):
            return "Error: exit status 127\ngti: command not found"
        if found := re.search("commit -qam '(.*?)'", command):
            self.log.append(found[1])
        return "\n".join(reversed(self.log))


Shape = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def play(
    model: Callable[[], SimulatedModel],
    *,
    text: str | None = None,
    shape: Shape = lambda messages: messages,
    max_steps: int = 60,
) -> tuple[list[dict[str, Any]], World]:
    """A run to its end: all messages and the world as it is then. The model is asked for at each step."""
    world = World()
    messages: list[dict[str, Any]] = [{"role": "user", "content": text or plan().task_text}]
    for _ in range(max_steps):
        message: Any = model().reply(Request(shape(messages))).message
        messages.append(message)
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            function = call["function"]
            result = world.call(function["name"], json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return messages, world


def cleared(keep: int) -> Shape:
    """All but the newest results are stubs."""

    def shape(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        places = [k for k, m in enumerate(messages) if m["role"] == "tool"]
        old = set(places[: max(0, len(places) - keep)])
        stub = "[Old tool result content cleared]"
        return [{**m, "content": stub} if k in old else m for k, m in enumerate(messages)]

    return shape


def digest(messages: Iterable[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(list(messages), ensure_ascii=False).encode()).hexdigest()


def first_lines(messages: Iterable[dict[str, Any]]) -> list[str]:
    return [m["content"].split("\n")[0] for m in messages if m["role"] == "assistant"]
