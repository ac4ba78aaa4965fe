"""Memory across sessions: what is kept, for whom, and how it is found again.

store      `MemoryStore`: remember, recall, forget
intake     from what is said to what may be kept: `admission` (rules), `redaction`, `credentials`, `screening`
database   the file; `rows`, `words` and `eviction` beside it
block      what a session starts with
recall     the tool `recall`
kinds      what may be remembered

Every name is imported when it is first asked for: SQLite is loaded with the first store only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opencollab_nb.budget.memory.answers import Forgotten, Kept, Refused
    from opencollab_nb.budget.memory.from_handoff import memories_of
    from opencollab_nb.budget.memory.kinds import KINDS
    from opencollab_nb.budget.memory.memory import Memory
    from opencollab_nb.budget.memory.recall import RECALL, recall_text
    from opencollab_nb.budget.memory.store import MemoryStore

_WHERE = {
    "Forgotten": "answers",
    "Kept": "answers",
    "Refused": "answers",
    "KINDS": "kinds",
    "Memory": "memory",
    "memories_of": "from_handoff",
    "RECALL": "recall",
    "recall_text": "recall",
    "MemoryStore": "store",
}

__all__ = [
    "KINDS",
    "RECALL",
    "Forgotten",
    "Kept",
    "Memory",
    "MemoryStore",
    "Refused",
    "memories_of",
    "recall_text",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
