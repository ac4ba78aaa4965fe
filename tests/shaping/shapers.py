"""Every shaper and chain of the house, in the settings that the laws are run for."""

from __future__ import annotations

from typing import Any

from opencollab_nb.shaping import (
    AutoCompactShaper,
    ContextShedShaper,
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    ShaperPipeline,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
    default_pipeline,
)
from tests.shaping.summarizers import first_words


def all_shapers() -> list[Any]:
    """New ones at each call: a compacting shaper remembers its summaries."""
    return [
        ToolResultBudgetShaper(),
        ToolResultBudgetShaper(60),
        ContextShedShaper(),
        ToolOutputClearShaper(),
        ToolOutputClearShaper(keep_recent=0),
        ToolOutputClearShaper(keep_recent=1, clear_at_least=500),
        OldHistorySnipShaper(),
        OldHistorySnipShaper(keep_recent_groups=1),
        AutoCompactShaper(),
        AutoCompactShaper(first_words),
        AutoCompactShaper(first_words, keep_recent_groups=1),
        EagerToolOutputClearShaper(),
        EagerToolOutputClearShaper(keep_recent=1),
        default_pipeline(),
        default_pipeline(summarizer=first_words, tool_result_budget=200),
        default_pipeline("summarize", summarizer=first_words),
        default_pipeline("no_history_compaction"),
        ShaperPipeline(EagerToolOutputClearShaper(2), OldHistorySnipShaper(), ToolResultBudgetShaper(300)),
        ShaperPipeline(),
    ]


NAMES = [f"{number}-{type(shaper).__name__}" for number, shaper in enumerate(all_shapers())]
