"""What a context budget is made with: a value, checked, and as plain data for the record of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from opencollab_nb.budget.anchors import NEVER_FOLDS_TOKENS
from opencollab_nb.budget.moves import ALL_MOVES, checked_moves
from opencollab_nb.budget.quotas import CATEGORIES, DEFAULT, Quotas
from opencollab_nb.budget.restate import STATE_TOKENS
from opencollab_nb.errors import UsageProblem
from opencollab_nb.pressure.limits import LEAST_WINDOW_TOKENS, check_tokens

_LEAST_NEVER_FOLDS_TOKENS = 400
_NAMES = ("total_budget", "trigger", "restate_every", "quotas", "moves", "model")


@dataclass(frozen=True)
class Settings:
    """The settings of a context budget.

    Raises:
        UsageProblem: (a ValueError) a value that cannot be used; it is named.

    >>> settings = Settings(quotas="log_heavy")
    >>> settings.trigger_tokens, settings.never_folds_tokens
    (51200, 2000)
    >>> Settings.from_dict(settings.to_dict()) == settings
    True
    """

    total_budget: int = 64_000
    """Tokens that one request may have."""
    trigger: float = 0.8
    """The share of it from which compaction is due."""
    restate_every: int | None = 8
    """Steps between two restatements; None for none by interval."""
    quotas: Quotas = DEFAULT
    moves: frozenset[str] = ALL_MOVES
    model: str | None = None
    """Name of the model, for its encoding."""

    def __post_init__(self) -> None:
        checked = {
            "total_budget": check_tokens("total_budget", self.total_budget, least=LEAST_WINDOW_TOKENS),
            "trigger": _checked_share(self.trigger),
            "restate_every": _checked_interval(self.restate_every),
            "quotas": _checked_quotas(self.quotas),
            "moves": checked_moves(self.moves),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, quotas: Quotas | str, moves: Collection[str], **others: Any) -> Settings:
        """The settings, with quotas by name and moves in any collection."""
        return cls(quotas=quotas, moves=moves, **others)  # type: ignore[arg-type]

    @property
    def trigger_tokens(self) -> int:
        """The tokens above which compaction is due."""
        return int(self.total_budget * Fraction(str(self.trigger)))

    @property
    def never_folds_tokens(self) -> int:
        """What goal and constraints may have: half the quota of restatement without the state of the
        work, between 400 and 2,000 tokens.
        """  # noqa: D205 - one sentence
        tokens = self.quotas.tokens(self.total_budget)["restate"]
        half = tokens - self.quotas.memory_tokens(self.total_budget)
        return max(_LEAST_NEVER_FOLDS_TOKENS, min(NEVER_FOLDS_TOKENS, half - STATE_TOKENS))

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""
        plain = {name: getattr(self, name) for name in _NAMES}
        shares = {name: getattr(self.quotas, name) for name in CATEGORIES}
        return plain | {"quotas": shares, "moves": sorted(self.moves)}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Settings:
        """The settings that `to_dict` gave.

        Raises:
            UsageProblem: (a ValueError) something else.
        """
        try:
            return cls(**{**settings, "quotas": Quotas(**settings["quotas"])})
        except (KeyError, TypeError) as problem:
            raise UsageProblem(f"not the settings of a context budget ({problem}): {settings!r}") from problem


def _checked_share(trigger: object) -> float:
    if isinstance(trigger, bool) or not isinstance(trigger, (int, float)) or not 0 < trigger < 1:
        raise UsageProblem(f"trigger is {trigger!r}: give a share of the budget between 0 and 1, such as 0.8")
    return float(trigger)


def _checked_interval(steps: object) -> int | None:
    if steps is None:
        return None
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise UsageProblem(f"restate_every is {steps!r}: give a whole number of steps, at least 1, or None")
    return steps


def _checked_quotas(quotas: object) -> Quotas:
    if isinstance(quotas, str):
        return Quotas.named(quotas)
    if not isinstance(quotas, Quotas):
        raise UsageProblem(f"quotas is {quotas!r}: give Quotas(...), or the name of a preset")
    return quotas
