"""Shape the context of long-running coding agents, step by step, in the notebook.

Every public name is imported when it is first asked for, so importing the package is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "KEEP_KEYS": "messages",
    "PIN_FLOOR": "messages",
    "Usage": "tokens.usage",
    "history_trigger_target": "pressure",
    "Pressure": "pressure",
    "ContextPressure": "pressure",
    "affordable_groups": "shaping",
    "ToolResultBudgetShaper": "shaping",
    "ContextShedShaper": "shaping",
    "ToolOutputClearShaper": "shaping",
    "OldHistorySnipShaper": "shaping",
    "AutoCompactShaper": "shaping",
    "EagerToolOutputClearShaper": "shaping",
    "ShaperPipeline": "shaping",
    "LayerReport": "shaping",
    "LawReport": "shaping",
    "Projection": "shaping",
    "Projected": "shaping",
    "SummaryRequest": "shaping",
    "Summary": "shaping",
    "check_shaper": "shaping",
    "default_pipeline": "shaping",
    "prefix_kept": "shaping",
    "ExtractiveSummarizer": "summarizers",
    "ModelSummarizer": "summarizers",
    "Reply": "models",
    "Model": "models",
    "OpenAIModel": "models.openai_chat",
    "LocalModel": "models.local",
    "RoutedModel": "models.routed",
    "SimulatedModel": "models.simulated",
    "ReplayModel": "compare.replay_model",
    "replay": "compare.replaying",
    "ContextBudget": "budget",
    "Quotas": "budget",
    "KEEP_RULES": "budget",
    "Todo": "budget",
    "OffloadShaper": "budget",
    "SegmentCompactShaper": "budget",
    "MemoryStore": "budget",
    "Handoff": "budget",
    "Policy": "policy",
    "Session": "session",
    "ExtraTool": "session",
    "Workflow": "team",
    "WorkflowBudgetExceeded": "errors",
    "keep_secret": "secrecy",
    "Run": "session",
    "Step": "session",
    "Team": "team",
    "Workspace": "workspace",
    "compare": "compare",
    "sweep": "compare.sweeping",
    "Grid": "compare.grid",
    "what_if": "compare",
    "what_survives": "compare",
    "predictions": "compare",
    "pressure_curve": "compare",
    "load_task": "tasks",
    "Task": "tasks",
    "load": "importers",
    "export": "importers",
    "figures": "views.figures",
    "ComparePanel": "views.compare_panel",
}

__all__ = [*_WHERE, "load_ipython_extension", "unload_ipython_extension"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_WHERE[name]}")
    return module if _WHERE[name].rpartition(".")[2] == name else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext opencollab_nb`: make the magics known to this shell."""
    from opencollab_nb.views import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext opencollab_nb`: take the magics back and leave the shell as it was."""
    from opencollab_nb.views import unload

    unload(shell)
