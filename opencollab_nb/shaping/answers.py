"""Reading what a summarizer answered: what of it is the summary, and whether it was finished."""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHT = r"(think|thinking|thought|thoughts|reasoning)"
_THOUGHTS = re.compile(rf"\A\s*<{_THOUGHT}>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_REST_OF_THOUGHTS = re.compile(
    rf"\A(?:(?!<{_THOUGHT}>).)*?</{_THOUGHT}>[ \t]*(?:\n|\Z)", re.DOTALL | re.IGNORECASE
)
"""Some templates open the thoughts in the prompt, so that only their end is in the answer."""
_CALL_STARTS = (
    "<tool_call",
    "<function_call",
    "<function=",
    "<invoke ",
    "<|tool_call",
    "<|python_tag|>",
    "<｜tool",
    "[tool_call",
)
"""How models write a call where no tools were offered, in lower case."""
_CALL_SPOKEN = re.compile(
    r"\A(?:to=)?(?:functions|tools)\.[\w.-]+\s*(?:<\|[^|]*\|>\s*)*[({].*[)}]\Z", re.DOTALL
)
"""A call as one writes it in a program: `functions.bash({"command": "ls"})`."""
_FENCE = re.compile(r"\A```\w*\n(.*)\n```\Z", re.DOTALL)

_FINISHED = frozenset(
    {
        "",
        "none",
        "stop",
        "end",
        "end_turn",
        "eos",
        "eos_token",
        "stop_sequence",
        "complete",
        "completed",
        "finished",
    }
)
_CUT_OFF = frozenset(
    {
        "length",
        "max_tokens",
        "max_output_tokens",
        "max_completion_tokens",
        "model_length",
        "incomplete",
        "model_context_window_exceeded",
    }
)
_CALLED_A_TOOL = frozenset({"tool_call", "tool_calls", "tool_use", "function_call"})
_WITHHELD = frozenset(
    {
        "content_filter",
        "content_filtered",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "guardrail_intervened",
    }
)


def without_thoughts(text: str) -> str:
    r"""The answer without the reasoning before it; nothing where it never came to an answer.

    >>> without_thoughts("<think>well</think>\nFixed."), without_thoughts("<think>well, I should")
    ('Fixed.', '')
    >>> without_thoughts("so it is fixed\n</think>\n\nFixed.")
    'Fixed.'
    """
    opened = _THOUGHTS.sub("", text, count=1)
    return (opened if opened != text else _REST_OF_THOUGHTS.sub("", text, count=1)).strip()


def says_nothing(text: str) -> bool:
    """True for a text without a letter or a digit: blanks, marks that nobody sees, dots.

    >>> says_nothing("\u200b …"), says_nothing("完")
    (True, False)
    """
    return not any(map(str.isalnum, text))


def is_a_call(text: str) -> bool:
    """True for a call of a tool that was written out as text.

    >>> is_a_call('<tool_call>{"name": "ls", "arguments": {}}</tool_call>')
    True
    >>> is_a_call('{"name": "ls", "arguments": {}}'), is_a_call("It called `ls`.")
    (True, False)
    """
    text = text.strip()
    if text[:20].lower().startswith(_CALL_STARTS) or _CALL_SPOKEN.match(text):
        return True
    fenced = _FENCE.match(text)
    try:
        value: Any = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return False
    calls = value if isinstance(value, list) and value else [value]
    return all(
        isinstance(call, dict) and "name" in call and call.keys() & {"arguments", "parameters", "input"}
        for call in calls
    )


def not_finished(reason: object) -> str | None:
    """What is wrong with a text that ended for this reason, in words; None for one that was finished.

    >>> not_finished("stop"), not_finished("MAX_TOKENS")
    (None, 'the summary was cut off by its token limit')
    """
    # Some clients give members of an enumeration: "FinishReason.STOP".
    name = str(getattr(reason, "value", reason) or "").lower().rpartition(".")[2]
    if name in _FINISHED:
        return None
    if name in _CALLED_A_TOOL:
        return "the summarizer called a tool instead of answering"
    if name in _CUT_OFF:
        return "the summary was cut off by its token limit"
    if name in _WITHHELD:
        return f"the summary was withheld ({name})"
    return f"the summarizer ended its answer with {reason!r}"
