"""The fixed costs of every request, weighed at the start: system prompt and tool schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from opencollab_nb.budget.quotas import category_of
from opencollab_nb.messages import Message, is_system, meta_of
from opencollab_nb.tokens.measure import measured, measured_schemas

_LISTED = 3


class Item(NamedTuple):
    """One fixed cost."""

    name: str
    tokens: int


def fixed_costs(
    messages: Iterable[Message], tools: Iterable[Mapping[str, Any]], count: Callable[[str], int]
) -> list[Item]:
    """What stands in every request, the largest first.

    >>> fixed_costs([{"role": "system", "content": "Be brief."}], [], len)
    [Item(name='system prompt', tokens=13)]
    """
    items = [Item(_name_of(m), measured(m, count)) for m in messages if category_of(m) == "system"]
    items += [Item(f"tool {_tool_name(tool)}", measured_schemas([tool], count)) for tool in tools]
    return sorted(items, key=lambda item: -item.tokens)


def over_quota(items: list[Item], quota_tokens: int) -> str | None:
    """A sentence where the fixed costs are over their quota, with the largest; None where they are not.

    >>> over_quota([Item("system prompt", 900), Item("tool bash", 200)], 1_000)
    'fixed costs of 1,100 tokens are over their quota of 1,000; the largest: system prompt 900, tool bash 200'
    """
    total = sum(item.tokens for item in items)
    if total <= quota_tokens:
        return None
    largest = ", ".join(f"{item.name} {item.tokens:,}" for item in items[:_LISTED])
    return f"fixed costs of {total:,} tokens are over their quota of {quota_tokens:,}; the largest: {largest}"


def _name_of(message: Message) -> str:
    if is_system(message):
        return "system prompt"
    return str(meta_of(message).get("source") or "head")


def _tool_name(tool: Mapping[str, Any]) -> str:
    return str((tool.get("function") or tool).get("name") or "without a name")
