"""What may become of a message, by its kind: the table that shapers and the map of a context read.

The kind is a label of the harness, in `meta`; nobody can give one by writing a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from opencollab_nb.messages import covers_of, is_system, meta_of

How = Literal["verbatim", "structured", "summarize", "offload", "drop"]
HOW: tuple[How, ...] = ("verbatim", "structured", "summarize", "offload", "drop")


class Rule(NamedTuple):
    """What may become of a message of one kind."""

    how: How
    """`verbatim`: never summarized; `structured`: its content lives on as state of the harness;
    `summarize`: may give way to a summary; `offload`: may give way to a pointer; `drop`: may leave."""
    why: str
    """The reason, as a sentence."""


KEEP_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "system": Rule("verbatim", "The instructions of the harness are no part of the conversation."),
        "goal": Rule("verbatim", "Whoever loses the goal works on something else."),
        "constraints": Rule("verbatim", "A constraint told in other words is another constraint."),
        "milestones": Rule("verbatim", "What is finished must not be done again."),
        "user_instructions": Rule("verbatim", "The user's words are orders; a summary would soften them."),
        "handoff": Rule("verbatim", "It is all that the session before left behind."),
        "todos": Rule("structured", "The harness holds their state and restates it."),
        "decisions": Rule("structured", "The decision and its reason are kept, not the talk before it."),
        "restatement": Rule("drop", "It is made anew from the harness's state whenever it is due."),
        "memory": Rule("drop", "The store holds it; `recall` brings it back."),
        "context": Rule("drop", "It was put beside the conversation and can be put there again."),
        "summary": Rule("summarize", "It is carried on into the next summary."),
        "process": Rule("summarize", "How a result was reached matters less than the result."),
        "conversation": Rule("summarize", "No label says whose words these are."),
        "intermediate_results": Rule("offload", "They are read once; the transcript holds them in full."),
        "file_content": Rule("offload", "The file can be read again."),
        "tool_output": Rule("offload", "The transcript holds it; a slice can be read back."),
        "errors": Rule("summarize", "The fix is what counts, and that the error was seen."),
    }
)
"""For each kind what may become of its messages."""

_KIND_OF_SOURCE: Mapping[str, str] = MappingProxyType(
    {
        "system": "system",
        "task": "goal",
        "anchor": "goal",
        "user": "user_instructions",
        "handoff": "handoff",
        "todos": "todos",
        "restatement": "restatement",
        "memory": "memory",
        "context": "context",
        "summary": "summary",
        "reply": "process",
        "note": "process",
    }
)
_FILE_TOOLS = frozenset({"file_read"})
_OWN_WORD = Rule("verbatim", "The user registered it under a word of their own.")
_UNKNOWN = Rule("summarize", "Nothing says that it must stay.")


def kind_of(message: Mapping[str, Any]) -> str:
    """What kind of thing a message holds: its label, else what its source and role say.

    >>> kind_of({"role": "user", "meta": {"source": "user"}}), kind_of({"role": "user"})
    ('user_instructions', 'conversation')
    >>> kind_of({"role": "user", "meta": {"source": "anchor", "kind": "constraints"}})
    'constraints'
    """
    meta = meta_of(message)
    if isinstance(meta.get("kind"), str) and meta["kind"]:
        return str(meta["kind"])
    if is_system(message):
        return "system"
    if covers_of(message):
        return "summary"
    role, source = message.get("role"), meta.get("source")
    if role == "tool":
        return _kind_of_result(message)
    if isinstance(source, str) and source in _KIND_OF_SOURCE:
        return _KIND_OF_SOURCE[source]
    return "process" if role == "assistant" else "conversation"


def rule_of(message: Mapping[str, Any]) -> Rule:
    """What may become of this message.

    >>> rule_of({"role": "user", "meta": {"source": "user"}}).how, rule_of({"role": "assistant"}).how
    ('verbatim', 'summarize')
    """
    kind = kind_of(message)
    if kind in KEEP_RULES:
        return KEEP_RULES[kind]
    return _OWN_WORD if meta_of(message).get("source") == "anchor" else _UNKNOWN


def is_verbatim(message: Mapping[str, Any]) -> bool:
    """True for a message that no layer may summarize, clear or leave out."""
    return rule_of(message).how == "verbatim"


def _kind_of_result(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str) and content.startswith("Error"):
        return "errors"
    return "file_content" if message.get("name") in _FILE_TOOLS else "tool_output"
