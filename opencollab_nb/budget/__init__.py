"""The four moves: quotas with offload, anchors that are kept, restatement, memory across sessions.

Context is managed like memory: each category has a quota, big things live outside with a pointer,
direction is never compressed, and a session ends with a handoff. Everything here can be used alone,
with a loop of one's own, and is built into `Session`.

- `context_budget.py`  all of it together, for a loop of one's own; `settings.py` what it is made with,
  `filling.py` what fills each quota, `fixed.py` what does so from the start, `due.py` what is due,
  `plain_history.py` the loop's messages, `numbering.py` their ids, `holding.py` the anchors among them
- `quotas.py`          the share of the window each category may fill, and which message counts where
- `keep_rules.py`      what is kept word for word, and what may be lost (the table of `shaping/keep.py`)
- `anchors.py`         goal, constraints, milestones: an append-only register
- `todos.py`           the state of the work, changed by validated transitions only; `todo_tool.py` how the
  agent changes it
- `restate.py`         the restatement: a fixed format, made of the two by the harness
- `segments.py`        one summary for each stretch between two milestones
- `moves.py`           the moves by name, and the chain of shapers that they ask for
- `audit.py`           what was done to a run's context, and where the originals are; `trail.py` the record
  behind it, `proof.py` the proof that nothing is lost, `losses.py` what was lost when
- `bill.py`            what a run has cost; `savings.py` what each move saved, `still_open.py` what is left to
  save, `prices.py` dollars, `bill_sums.py` the sums, `bill_text.py` the page
- `checklist.py`       the checks before a long run; `checks.py` what answers them, `probe.py` a store put to
  the test, `measured.py` what is on record
- `calibrate.py`       other intervals of restatement on a recorded run
- `recorded.py`        the requests and weights of a run, from its record; `tabular.py` tables for reports

Every name is imported when it is first asked for: a store or a bill that is not used costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "ALL_MOVES": "moves",
    "Anchor": "anchors",
    "Anchors": "anchors",
    "Bill": "bill",
    "Checklist": "checklist",
    "ContextBudget": "context_budget",
    "Handoff": "handoff",
    "KEEP_RULES": "keep_rules",
    "MemoryStore": "memory",
    "OffloadShaper": "offload",
    "Prices": "prices",
    "Quotas": "quotas",
    "Rule": "keep_rules",
    "SegmentCompactShaper": "segments",
    "Todo": "todos",
    "Todos": "todos",
    "Verified": "trail",
    "TODO": "todo_tool",
    "anchor_message": "anchors",
    "category_of": "quotas",
    "chain_for": "moves",
    "changed_by_call": "todo_tool",
    "head_message": "anchors",
    "kind_of": "keep_rules",
    "rule_of": "keep_rules",
    "what_if_intervals": "calibrate",
}

__all__ = [*_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
