"""An empty answer to a huge prompt: some servers say so, and only so, that the window is full."""

from __future__ import annotations

from opencollab_nb.errors import Overflow
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.models import Reply

FULL = frozenset({"model_context_window_exceeded", "context_window_exceeded", "context_length_exceeded"})
"""Finish reasons that say it outright."""
NO_ROOM = frozenset({"length", "max_tokens", "model_length"})
HUGE_RATIO = 0.5
"""Of the window, where it is known: an answer to less than this is empty for another reason."""
HUGE_TOKENS = 16_000
"""Where it is not known: many servers are started with a window of this size or less."""


def starved(reply: Reply, input_tokens: int, window: int | None) -> Overflow | None:
    """The overflow that this reply is, or None for a reply.

    It is one if its finish reason says so; if it is empty and was cut off before the first token; or
    if it is empty, nothing was generated, and the prompt was huge.

    Args:
        reply: what came with HTTP 200.
        input_tokens: of the request, by our own count; a larger report counts more.
        window: context window in tokens, None where it is not known.

    >>> from opencollab_nb.tokens.usage import Usage
    >>> empty = Reply({"role": "assistant", "content": ""}, Usage(120_000))
    >>> starved(empty, 118_000, 128_000) is not None, starved(empty, 118_000, 1_000_000) is None
    (True, True)
    """
    usage, finish = reply.usage, str(reply.finish_reason).lower()
    sent = max(input_tokens, usage.input_tokens if usage else 0)
    generated = usage.output_tokens if usage else 0
    if finish in FULL:
        why = f"it ended its reply with {reply.finish_reason!r}"
    elif not says_nothing(reply) or generated > 1:
        return None
    elif finish in NO_ROOM and usage is not None:
        why = "its reply was cut off before the first token"
    elif sent >= (window * HUGE_RATIO if window else HUGE_TOKENS):
        why = "its reply was empty"
    else:
        return None
    error = Overflow(f"too long for the model: {why}, to about {sent:,} input tokens")
    error.usage = usage
    return error


def odd(reply: Reply) -> bool:
    """True for a reply that `starved` has to look at; the count of its prompt is not needed for others."""
    return says_nothing(reply) or str(reply.finish_reason).lower() in FULL


def says_nothing(reply: Reply) -> bool:
    """True for a reply without text, calls, or any other key that holds something (reasoning, a refusal)."""
    message = reply.message
    rest = [v for k, v in message.items() if k not in ("role", "content", "tool_calls", "meta") and v]
    return not (text_of(message).strip() or tool_calls_of(message) or rest)
