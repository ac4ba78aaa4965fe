"""Layers that can do nothing on a transcript, since they go by the names of tools and know none of its."""

from __future__ import annotations

from opencollab_nb.compare.subject import Subject
from opencollab_nb.messages import call_name, tool_calls_of
from opencollab_nb.shaping import ShaperPipeline, name_of

NAMED_AT_MOST = 5


def unmatched(subject: Subject, chain: ShaperPipeline) -> str | None:
    """Which layers these are and how to tell them the names; None where there are none.

    >>> from opencollab_nb.compare.subject import of_messages
    >>> from opencollab_nb.shaping import ToolOutputClearShaper
    >>> call = {"id": "a", "type": "function", "function": {"name": "shell", "arguments": "{}"}}
    >>> talk = of_messages([{"role": "assistant", "content": "", "tool_calls": [call]}])
    >>> unmatched(talk, ShaperPipeline(ToolOutputClearShaper()))
    "ToolOutputClearShaper knows no tool of this transcript: give compactable_tools=frozenset({'shell'})"
    """
    called = {call_name(call): None for message in subject.messages for call in tool_calls_of(message)}
    names = [name for name in called if name]
    idle = [
        name_of(shaper)
        for shaper in chain.shapers
        if names and (known := getattr(shaper, "compactable_tools", None)) and not known & set(names)
    ]
    if not idle:
        return None
    told = ", ".join(map(repr, names[:NAMED_AT_MOST])) + (", ..." if len(names) > NAMED_AT_MOST else "")
    knows = "knows" if len(idle) == 1 else "know"
    return (
        f"{', '.join(idle)} {knows} no tool of this transcript: give compactable_tools=frozenset({{{told}}})"
    )
