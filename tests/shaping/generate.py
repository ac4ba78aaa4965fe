"""Seeded sessions of a coding agent, for measuring: a 200k window is crossed every few hundred steps."""

from __future__ import annotations

import random
from collections.abc import Iterator

from opencollab_nb.messages import Message, Messages

WORDS = ("def", "return", "self", "error", "in", "file", "x", "=", "path", "test", "assert", "import")
RESULT_WORDS = (30, 100, 400, 1_500)


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(count))


def session(steps: int, seed: int = 1, tool: str = "bash") -> Iterator[Messages]:
    """The growing transcript after each step: the same list, appended to."""
    rng = random.Random(seed)
    messages: Messages = [
        {"role": "system", "content": "You are a coder.", "meta": {"id": 0, "source": "system"}},
        {"role": "user", "content": "Fix the bug.", "meta": {"id": 1, "source": "task", "priority": 80}},
    ]
    for number in range(steps):
        messages += step(rng, number, len(messages), tool)
        yield messages


def step(rng: random.Random, number: int, first_id: int, tool: str = "bash") -> list[Message]:
    function = {"name": tool, "arguments": '{"command": "ls"}'}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {
            "role": "assistant",
            "content": words(rng, 20),
            "tool_calls": [call],
            "meta": {"id": first_id, "source": "reply"},
        },
        {
            "role": "tool",
            "tool_call_id": f"c{number}",
            "content": words(rng, rng.choice(RESULT_WORDS)),
            "meta": {"id": first_id + 1, "source": "tool"},
        },
    ]


def talk(count: int, first_id: int = 2, count_words: int = 120, seed: int = 3) -> Messages:
    """User and assistant text only: clearing and snipping cannot help."""
    rng = random.Random(seed)
    return [
        {
            "role": ("user", "assistant")[at % 2],
            "content": words(rng, count_words),
            "meta": {"id": first_id + at},
        }
        for at in range(count)
    ]


def mixed(count: int, first_id: int = 2, seed: int = 5) -> Messages:
    """Tool steps of very different sizes, and talk."""
    rng = random.Random(seed)
    out: Messages = []
    for number in range(count):
        if rng.random() < 0.5:
            tool = rng.choice(("bash", "apply_patch"))
            call = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
            out.append({"role": "assistant", "content": None, "tool_calls": [call]})
            text = words(rng, rng.choice((3, 50, 4_000)))
            out.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
        else:
            out.append({"role": ("user", "assistant")[number % 2], "content": words(rng, 120)})
    return [{**m, "meta": {"id": at}} for at, m in enumerate(out, first_id)]
