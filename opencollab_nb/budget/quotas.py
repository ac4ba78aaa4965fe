"""Quotas: the share of the window that each category of a request may fill."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any, ClassVar

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import is_system, meta_of
from opencollab_nb.pressure.limits import check_tokens

CATEGORIES = ("system", "tool_result", "history", "restate")
MEMORY_SHARE_OF_RESTATE = 0.5
"""Memory brought in at the start fills at most this part of what restatement may fill."""
_SUM_TOLERANCE = 1e-9
_HEAD_KINDS = ("goal", "constraints")
_RESTATED_SOURCES = ("restatement", "memory", "handoff", "anchor")


@dataclass(frozen=True)
class Quotas:
    """The shares of a context budget; they add up to 1.

    Raises:
        UsageProblem: (a ValueError) a share that is no number between 0 and 1, or shares that do not
            add up to 1; they are named.

    >>> Quotas().tokens(64_000)
    {'system': 6400, 'tool_result': 28800, 'history': 22400, 'restate': 6400}
    >>> Quotas.named("log_heavy") is Quotas.LOG_HEAVY
    True
    """

    LOG_HEAVY: ClassVar[Quotas]
    """For tasks that read long logs and test runs: more for tool results."""
    CODE_HEAVY: ClassVar[Quotas]
    """For tasks that write much code: calls and replies are history, so more for that."""

    system: float = 0.10
    """System prompt, tool schemas, and the head: task, goal and constraints."""
    tool_result: float = 0.45
    """What tools answered."""
    history: float = 0.35
    """Replies with their calls, what users said, summaries."""
    restate: float = 0.10
    """What keeps the direction: restatement, finished milestones, handoff, memory brought in."""

    def __post_init__(self) -> None:
        shares = asdict(self)
        for name, share in shares.items():
            if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
                raise UsageProblem(f"Quotas.{name} is {share!r}: give a share between 0 and 1, such as 0.1")
        total = math.fsum(shares.values())
        if abs(total - 1) > _SUM_TOLERANCE:
            told = " + ".join(f"{name} {share:.10g}" for name, share in shares.items())
            raise UsageProblem(f"the quotas add up to {total:.10g}, not to 1: {told}")

    @classmethod
    def named(cls, name: str) -> Quotas:
        """The quotas of this name: `default`, `log_heavy` or `code_heavy`.

        Raises:
            UnknownName: (a ValueError) another name; the nearest is named.
        """
        presets = {"default": DEFAULT, "log_heavy": cls.LOG_HEAVY, "code_heavy": cls.CODE_HEAVY}
        if name not in presets:
            raise UnknownName("quotas", name, presets)
        return presets[name]

    def tokens(self, total: int) -> dict[str, int]:
        """The tokens of each category where all together may have `total`; they add up to it.

        Raises:
            UsageProblem: (a ValueError) a total that is no whole number above 0.
        """
        total = check_tokens("total", total, least=1)
        shares = {f.name: math.floor(total * getattr(self, f.name) + _SUM_TOLERANCE) for f in fields(self)}
        shares["history"] += total - sum(shares.values())
        return shares

    def memory_tokens(self, total: int) -> int:
        """What memory brought in at the start may fill of `total`.

        >>> Quotas().memory_tokens(64_000)
        3200
        """
        return math.floor(self.tokens(total)["restate"] * MEMORY_SHARE_OF_RESTATE)


DEFAULT = Quotas()
# A class attribute of a frozen dataclass can only be filled once the class is there.
Quotas.LOG_HEAVY = Quotas(system=0.10, tool_result=0.60, history=0.20, restate=0.10)
Quotas.CODE_HEAVY = Quotas(system=0.10, tool_result=0.30, history=0.50, restate=0.10)


def category_of(message: Mapping[str, Any]) -> str:
    """Which quota a message counts against.

    What stands at the head of every request is fixed cost and counts as `system`, the task and the
    anchors of goal and constraints with it. What the harness puts in to keep the direction is `restate`.

    >>> category_of({"role": "tool"}), category_of({"role": "user", "meta": {"source": "task"}})
    ('tool_result', 'system')
    >>> category_of({"role": "user", "meta": {"source": "anchor", "kind": "milestones"}})
    'restate'
    """
    meta = meta_of(message)
    source = meta.get("source")
    if is_system(message) or source == "task":
        return "system"
    if message.get("role") == "tool":
        return "tool_result"
    if source == "anchor" and meta.get("kind") in _HEAD_KINDS:
        return "system"
    return "restate" if source in _RESTATED_SOURCES else "history"
