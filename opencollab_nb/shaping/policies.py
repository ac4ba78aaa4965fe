"""The chains that come with the house, by name."""

from __future__ import annotations

from opencollab_nb.errors import UnknownName
from opencollab_nb.shaping.clear import ToolOutputClearShaper
from opencollab_nb.shaping.compact import AutoCompactShaper
from opencollab_nb.shaping.pipeline import ShaperPipeline
from opencollab_nb.shaping.shed import ContextShedShaper
from opencollab_nb.shaping.snip import OldHistorySnipShaper
from opencollab_nb.shaping.summary import Summarizer
from opencollab_nb.shaping.tool_budget import MAX_CHARS, ToolResultBudgetShaper

POLICIES = ("default", "summarize", "no_history_compaction")


def default_pipeline(
    policy: str = "default", *, summarizer: Summarizer | None = None, tool_result_budget: int = MAX_CHARS
) -> ShaperPipeline:
    """The chain of a policy.

    - `default`: cap, shed, clear, snip, compact; snipping leaves compaction little to do
    - `summarize`: cap, shed, clear, compact; so compaction gets its turn
    - `no_history_compaction`: cap only

    Args:
        policy: one of these names.
        summarizer: what compaction asks; without one it is off.
        tool_result_budget: characters one tool result may have.

    Raises:
        UnknownName: (a ValueError) another policy; names the nearest.
        UsageProblem: (a ValueError) a budget that is no whole number above 0.

    >>> default_pipeline("no_history_compaction", tool_result_budget=4_000)
    ShaperPipeline(ToolResultBudgetShaper(max_chars=4000))
    """
    if policy not in POLICIES:
        raise UnknownName("policy", policy, POLICIES)
    cap = ToolResultBudgetShaper(tool_result_budget)
    if policy == "no_history_compaction":
        return ShaperPipeline(cap)
    cheap = (cap, ContextShedShaper(), ToolOutputClearShaper())
    if policy == "summarize":
        return ShaperPipeline(*cheap, AutoCompactShaper(summarizer))
    return ShaperPipeline(*cheap, OldHistorySnipShaper(), AutoCompactShaper(summarizer))
