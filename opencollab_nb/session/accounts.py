"""Where the tokens of a request go, by category, and what fills one that is too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opencollab_nb.messages import Message, covers_of, is_pinned, is_system, meta_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.keep import is_verbatim

CATEGORIES = ("system", "task", "tool", "assistant", "user", "summary", "restatement")


def category(message: Message) -> str:
    """Which part of a request a message belongs to.

    >>> category({"role": "tool", "tool_call_id": "a", "content": ""}), category({"role": "user"})
    ('tool', 'user')
    """
    source = meta_of(message).get("source")
    if is_system(message):
        return "system"
    if covers_of(message):
        return "summary"
    if source in ("restatement", "steering"):
        return "restatement"
    if source == "task":
        return "task"
    role = message.get("role")
    return role if role in ("tool", "assistant") else "user"


def by_category(messages: Sequence[Message], pressure: Pressure, total_tokens: int) -> dict[str, int]:
    """Tokens by category; they add up to `total_tokens`.

    Tool schemas and framing count as system. Weights are rounded once a category, so what is over
    or missing in the sum, a few tokens, goes to the largest one.
    """
    lists: dict[str, list[Message]] = {name: [] for name in CATEGORIES}
    for message in messages:
        lists[category(message)].append(message)
    tokens = {name: pressure.weight(those) for name, those in lists.items()}
    tokens["system"] += pressure.overhead_tokens
    largest = max(tokens, key=lambda name: tokens[name])
    tokens[largest] += total_tokens - sum(tokens.values())
    return tokens


def overflow_cause(
    messages: Sequence[Message], pressure: Pressure, newest: Sequence[Message], skipped: Sequence[str] = ()
) -> str:
    """Why a request is too long although nothing more was removed.

    Args:
        messages: as sent.
        pressure: with the weights in force.
        newest: the newest group, which is always kept.
        skipped: layers that were skipped, each with its reason.
    """
    pinned = [m for m in messages if is_pinned(m) and not is_system(m)]
    system = [m for m in messages if is_system(m)]
    rest = [m for m in newest if not is_pinned(m)]
    listed = {id(m) for m in (*pinned, *system, *rest)}
    words = [m for m in messages if is_verbatim(m) and id(m) not in listed]
    parts: dict[str, int] = {
        "the system message": pressure.weight(system),
        "the tool schemas": pressure.overhead_tokens,
        "pinned messages, the task among them": pressure.weight(pinned),
        "the user's words, which are never summarized,": pressure.weight(words),
        "the newest messages": pressure.weight(rest),
    }
    if sum(parts.values()) <= pressure.target:
        why = f"; skipped were {'; '.join(skipped)}" if skipped else ""
        return f"no layer of this chain could remove more: swap it, use('default') say, and go on{why}"
    ordered = sorted(parts.items(), key=lambda part: -part[1])
    window = f" of a window of {pressure.window:,}" if pressure.window else ""
    told = ", ".join(f"{name} {tokens:,} tokens" for name, tokens in ordered if tokens)
    return f"what must stay fills the request: {told}{window}"


def one_line(text: Any, limit_chars: int = 160) -> str:
    r"""The beginning of a text as one line that can be shown anywhere.

    >>> one_line("a\n  b" + "c" * 9, 8)
    'a bcccc…'
    """
    head = str(text)[: 4 * limit_chars].encode("utf-8", "replace").decode()
    line = " ".join(head.split())
    return line if len(line) <= limit_chars else line[: limit_chars - 1] + "…"
