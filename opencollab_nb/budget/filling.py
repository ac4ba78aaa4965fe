"""What fills each quota of a context budget at the moment, by the counter in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from opencollab_nb.budget.quotas import CATEGORIES, category_of
from opencollab_nb.budget.settings import Settings
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import Message
from opencollab_nb.pressure import Pressure
from opencollab_nb.tokens.exact import Encoder, encoding_for
from opencollab_nb.tokens.measure import measured, measured_schemas
from opencollab_nb.tokens.weights import Weights

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "tool": "tool_result",
        "tools": "system",
        "schema": "system",
        "task": "system",
        "goal": "system",
        "constraints": "system",
        "anchor": "system",
        "user": "history",
        "assistant": "history",
        "reply": "history",
        "summary": "history",
        "restatement": "restate",
        "milestones": "restate",
        "handoff": "restate",
        "memory": "restate",
    }
)
"""Other words for the four categories, as they stand in messages."""


class Filling:
    """Tokens in use, by category.

    >>> filling = Filling(Settings())
    >>> filling.charge("tool", "3 passed in 0.1 s")
    {'kind': 'tool_result', 'cost': 8, 'quota_ratio': 0.0002777777777777778}
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.quota_tokens = settings.quotas.tokens(settings.total_budget)
        self.tools_tokens = 0
        """Of the tool schemas, which are in no message."""
        self._used = dict.fromkeys(CATEGORIES, 0)

    @cached_property
    def encoder(self) -> Encoder:
        """What counts: that of the model, where it is known."""
        return encoding_for(self.settings.model)

    @cached_property
    def weights(self) -> Weights:
        """Tokens of messages, each measured once."""
        return Weights(lambda message: measured(message, self.count))

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return self.encoder.count(text)

    @property
    def used(self) -> dict[str, int]:
        """Tokens by category."""
        return dict(self._used)

    @property
    def total(self) -> int:
        """Tokens of all categories."""
        return sum(self._used.values())

    @property
    def ratios(self) -> dict[str, float]:
        """How full each quota is; more than 1.0 is over."""
        return {category: self.ratio(category) for category in CATEGORIES}

    def ratio(self, kind: str) -> float:
        """How full the quota of this kind is."""
        category = category_named(kind)
        return self._used[category] / max(1, self.quota_tokens[category])

    def charge(self, kind: str, text: str, sign: int = 1) -> dict[str, Any]:
        """Count a text that enters, or with the sign -1 one that leaves.

        Raises:
            UnknownName: (a ValueError) no such kind.
        """
        if not isinstance(text, str):
            raise UsageProblem(f"a text is charged; got {type(text).__name__}")
        category = category_named(kind)
        cost = sign * self.count(text)
        self._used[category] = max(0, self._used[category] + cost)
        return {"kind": category, "cost": cost, "quota_ratio": self.ratio(category)}

    def weigh_tools(self, tools: Iterable[Mapping[str, Any]]) -> None:
        """Take these schemas for those that go with every request."""
        self.tools_tokens = measured_schemas(tools, self.count)

    def weigh(self, labelled: Sequence[Message], sent: Sequence[Message]) -> dict[str, int]:
        """Take what is really in a request instead of what was charged; returns tokens by category.

        Args:
            labelled: the messages with `meta`, which says where each counts.
            sent: the same messages as they are sent, which are weighed.
        """
        tokens = dict.fromkeys(CATEGORIES, 0)
        tokens["system"] = self.tools_tokens
        for label, message in zip(labelled, sent, strict=True):
            tokens[category_of(label)] += self.weights(message)
        self._used = tokens
        return self.used

    def pressure(self) -> Pressure:
        """The limits of compaction: it begins over the trigger and works down to three quarters of it."""
        return Pressure.of(
            self.settings.total_budget,
            weigh=self.weights,
            overhead_tokens=self.tools_tokens,
            reserve_tokens=self.settings.total_budget - self.settings.trigger_tokens,
            buffer_tokens=0,
        )

    def over(self) -> dict[str, int]:
        """The categories over their quota, and by how many tokens."""
        over = {name: used - self.quota_tokens[name] for name, used in self._used.items()}
        return {name: tokens for name, tokens in over.items() if tokens > 0}


def category_named(kind: str) -> str:
    """The category that a word stands for.

    Raises:
        UnknownName: (a ValueError) none; the nearest word is named.
    """
    category = ALIASES.get(kind, kind) if isinstance(kind, str) else None
    if category is None or category not in CATEGORIES:
        raise UnknownName("kind", kind, [*CATEGORIES, *ALIASES])
    return category
