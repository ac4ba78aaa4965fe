"""What a store answers when something is to be kept or forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from opencollab_nb.budget.memory.memory import Memory


@dataclass(frozen=True)
class Kept:
    """It is remembered."""

    memory: Memory
    new: bool = True
    """False where the same was known already; it is trusted as the more trusted of the two."""
    evicted: tuple[int, ...] = ()
    """Ids that had to leave to make room."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class Refused:
    """It is not remembered."""

    rule: str
    """Name of the rule that spoke against it."""
    reason: str
    """Why, and what would be let in."""

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Forgotten:
    """What was deleted."""

    ids: tuple[int, ...]
    erased: bool = True
    """True once it is out of the files' bytes too; False while another process is reading them: then that
    is done by whoever opens, purges, forgets in or closes the store next."""

    @property
    def count(self) -> int:
        """How many."""
        return len(self.ids)

    def __bool__(self) -> bool:
        return bool(self.ids)
