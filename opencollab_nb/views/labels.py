"""How views name things: shapers, their parameters, categories, the model, the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from opencollab_nb.shaping.report import name_of
from opencollab_nb.views.text import visible

CATEGORIES = ("system", "task", "tool", "assistant", "user", "summary", "restatement")
"""The categories of a request, in the order in which they are stacked."""

CATEGORY_NAMES = {
    "system": "system and tools",
    "task": "task",
    "tool": "tool results",
    "assistant": "assistant",
    "user": "user",
    "summary": "summary",
    "restatement": "restatement",
}

_SHAPERS = {
    "OffloadShaper": ("Offload long results", "offload"),
    "ToolResultBudgetShaper": ("Cap one result", "cap"),
    "ContextShedShaper": ("Shed low-priority context", "shed"),
    "ToolOutputClearShaper": ("Clear old results", "clear"),
    "OldHistorySnipShaper": ("Snip old groups", "snip"),
    "AutoCompactShaper": ("Compact", "compact"),
    "SegmentCompactShaper": ("Compact by milestones", "segments"),
    "EagerToolOutputClearShaper": ("Clear eagerly", "eager"),
}

_COMPACTING = ("AutoCompactShaper", "SegmentCompactShaper")
_SUMMARIZERS = {"ExtractiveSummarizer": "extractive summarizer", "ModelSummarizer": "summaries by the model"}

layer_of = name_of
"""Views name a layer as its report does."""


def human(layer: str) -> str:
    """The name of a layer on screen.

    >>> human("ToolOutputClearShaper"), human("my_shaper")
    ('Clear old results', 'my_shaper')
    """
    return _SHAPERS.get(layer, (layer, layer))[0]


def short(layer: str) -> str:
    """One word for a mark in a chart.

    >>> short("OldHistorySnipShaper"), short("my_shaper")
    ('snip', 'my_shaper')
    """
    return _SHAPERS.get(layer, (layer, layer))[1]


def words(shaper: Any) -> str:
    """The parameters of a shaper as a reader would say them."""
    say = _WORDS.get(layer_of(shaper))
    if say is not None:
        return say(shaper)
    if is_dataclass(shaper):
        shown = [f"{f.name} {getattr(shaper, f.name)!r}" for f in fields(shaper) if f.repr and f.init]
        return ", ".join(shown)
    return "a function of this notebook"


def is_off(shaper: Any) -> bool:
    """True for a layer that cannot act as it stands: compaction without a summarizer."""
    return layer_of(shaper) in _COMPACTING and shaper.summarizer is None


def _offload(shaper: Any) -> str:
    return f"results over {shaper.max_chars:,} characters, digest of {shaper.summary_chars:,}"


def _cap(shaper: Any) -> str:
    return f"at most {shaper.max_chars:,} characters a result"


def _clear(shaper: Any) -> str:
    text = f"keeps newest {shaper.keep_recent} of {len(shaper.compactable_tools)} tools"
    if shaper.clear_at_least:
        text += f", {shaper.clear_at_least:,} tokens or nothing"
    return text


def _eager(shaper: Any) -> str:
    return f"at each request, keeps newest {shaper.keep_recent}"


def _snip(shaper: Any) -> str:
    return f"protects newest {shaper.keep_recent_groups} groups"


def _compact(shaper: Any) -> str:
    if shaper.summarizer is None:
        return "needs a summarizer"
    return f"{summarizer_name(shaper.summarizer)}, protects newest {shaper.keep_recent_groups} groups"


def _shed(_shaper: Any) -> str:
    return "lowest priority first, below 70"


_WORDS = {
    "OffloadShaper": _offload,
    "ToolResultBudgetShaper": _cap,
    "ContextShedShaper": _shed,
    "ToolOutputClearShaper": _clear,
    "EagerToolOutputClearShaper": _eager,
    "OldHistorySnipShaper": _snip,
    "AutoCompactShaper": _compact,
    "SegmentCompactShaper": _compact,
}


def summarizer_name(summarizer: Any) -> str:
    """A summarizer on screen.

    >>> def shorten(request): ...
    >>> summarizer_name(shorten)
    'shorten'
    """
    return _SUMMARIZERS.get(layer_of(summarizer), layer_of(summarizer))


def spec_name(spec: Mapping[str, Any] | None) -> str:
    """A shaper or summarizer on screen, from its written form in the trace.

    >>> spec_name({"shaper": "my.module:shorten", "fields": None}), spec_name(None)
    ('shorten', 'none')
    """
    name = str((spec or {}).get("shaper") or "none").rpartition(":")[2]
    return _SUMMARIZERS.get(name, name)


def model_label(model: Any) -> str:
    """The model on screen. One that is no model always says so.

    >>> class Plays:
    ...     name, simulated, label = "simulated", True, "plain profile"
    >>> model_label(Plays())
    'simulated agent (plain profile)'
    """
    if model is None:
        return "no model given"
    label = str(getattr(model, "label", None) or getattr(model, "name", None) or type(model).__name__)
    if not getattr(model, "simulated", False) or "simulated agent" in label.lower():
        return label
    return "simulated agent" if label.lower() == "simulated" else f"simulated agent ({label})"


def window_label(window: int | None, source: str) -> str:
    """The context window on screen, and whether it is only a guess.

    >>> window_label(16_000, "argument"), window_label(None, "guess")
    ('16k window', 'window unknown, limits guessed')
    """
    if window is None or source == "guess":
        return "window unknown, limits guessed"
    size = f"{window / 1000:g}k" if window % 100 == 0 else f"{window:,}"
    return f"{size} window" + (" (learnt)" if source == "learnt" else "")


def clean(text: object, at_most_chars: int = 160) -> str:
    r"""One bounded line that every wire takes, with nothing in it that acts on a terminal or a reader.

    >>> clean("a\n b\x1b[31m", 20), clean("words and words", 8)
    ('a b\\x1b[31m', 'words a…')
    """
    line = visible(" ".join(str(text)[: 4 * at_most_chars].split()))
    return line if len(line) <= at_most_chars else line[: at_most_chars - 1] + "…"
