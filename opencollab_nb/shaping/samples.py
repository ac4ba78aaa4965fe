"""Seeded random transcripts with everything that has broken a shaper before."""

from __future__ import annotations

import random
from typing import Any

from opencollab_nb.messages import Message, Messages, with_meta

_TOOLS = ("bash", "file_read", "grep", "git_diff", "run_tests", "apply_patch", "file_write", "ask")
_PIECES = (
    "line of output, ",
    "错误：找不到文件。",
    "x",
    "def f(x):\n    return x\n",
    "<|endoftext|> 🦊 ",
    "QUJD",
    "   ",
)
_CHARS = (9, 40, 200, 3_000, 30_000)
_STEPS = (0, 1, 3, 8, 20)


def sample(rng: random.Random) -> Messages:
    """A transcript as a session may hold it: sound, or cut off in the middle of a step.

    >>> sample(random.Random(1)) == sample(random.Random(1))
    True
    """
    out: Messages = []
    if rng.random() < 0.9:
        out.append({"role": rng.choice(("system", "developer")), "content": "You are a coder."})
    task: Message = {"role": "user", "content": "Fix the bug. " + _text(rng, 300)}
    out.append(with_meta(task, source="task", priority=80) if rng.random() < 0.8 else task)
    same_ids = rng.random() < 0.3
    for number in range(rng.choice(_STEPS)):
        out += _step(rng, number, same_ids) if rng.random() < 0.7 else [_spoken(rng)]
    if rng.random() < 0.1 and out[-1]["role"] == "tool":
        out.pop()
    return [_with_id(rng, message, number) for number, message in enumerate(out)]


def _step(rng: random.Random, number: int, same_ids: bool) -> Messages:
    calls, results = [], []
    for k in range(rng.choice((1, 1, 1, 2, 5))):
        own = "call_0" if same_ids else f"call_{number}_{k}"
        function = {"name": rng.choice(_TOOLS), "arguments": _arguments(rng)}
        calls.append({"id": own, "type": "function", "function": function})
        results.append({"role": "tool", "tool_call_id": own, "content": _content(rng)})
    head: dict[str, Any] = {"role": "assistant", "content": rng.choice((None, _text(rng, 200)))}
    head["tool_calls"] = calls
    if rng.random() < 0.2:
        head["reasoning_content"] = _text(rng, 500)
    if rng.random() < 0.05:
        results.pop()
    if rng.random() < 0.05:
        results.append({"role": "tool", "tool_call_id": "gone", "content": _content(rng)})
    return [head, *results]  # type: ignore[list-item]


def _spoken(rng: random.Random) -> Message:
    message: Message = {"role": rng.choice(("user", "assistant")), "content": _text(rng, 3_000)}
    kind = rng.random()
    if kind < 0.15:
        return with_meta(message, source="note", priority=85)
    if kind < 0.4 and message["role"] == "user":
        return with_meta(message, source="context", priority=rng.choice((0, 10, 30, 69)))
    if kind > 0.9 and message["role"] == "assistant":
        message["content"] = [{"type": "reasoning", "summary": [{"text": message["content"]}]}]
    return with_meta(message, source="user" if message["role"] == "user" else "reply")


def _with_id(rng: random.Random, message: Message, number: int) -> Message:
    if message["role"] == "tool" and rng.random() < 0.03:
        message = with_meta(message, priority=100)
    return with_meta(message, id=number)


def _arguments(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.02:
        return rng.choice(("", '{"path": '))
    if kind < 0.1:
        return '{"path": "a.py", "content": "' + "text " * rng.choice((9, 2_000)) + '"}'
    return '{"path": "a.py"}'


def _content(rng: random.Random) -> Any:
    kind = rng.random()
    if kind < 0.8:
        return _text(rng, rng.choice(_CHARS))
    parts: list[Any] = [{"type": "text", "text": _text(rng, 3_000)}]
    if kind > 0.9:
        parts.append({"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}})
    if kind > 0.95:
        parts.append({"type": "text", "text": _text(rng, 30_000)})
    return parts


def _text(rng: random.Random, most_chars: int) -> str:
    chars = int(most_chars ** rng.uniform(0.3, 1.0))
    piece = rng.choice(_PIECES)
    return (piece * (chars // len(piece) + 1))[:chars] or "ok"
