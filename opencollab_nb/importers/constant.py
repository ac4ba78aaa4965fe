"""The part of every request that a file does not show: system prompt, tool schemas, framing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from opencollab_nb.messages import Messages, parts_of
from opencollab_nb.tokens.estimate import estimate, weigh
from opencollab_nb.tokens.measure import measured_schemas
from opencollab_nb.transcript import Compacted, Sent

EARLY_CALLS = 9
"""Early requests are small beside the constant part, so the error of the estimate is small in them."""
SMALL_RATIO = 0.1
"""What is shown, as a share of the reported input, that is small: a tenth of it is one in a hundred."""


def constant_tokens(
    messages: Messages,
    sent: Sequence[Sent],
    compactions: Sequence[Compacted] = (),
    tools: Sequence[Mapping[str, Any]] = (),
) -> int | None:
    """Reported input less the local estimate of what the file shows.

    An estimate is off by a share of what it weighs, so early requests are taken that show little beside what
    was reported, and of these the median; where none shows little, the one that shows least.

    Returns:
        Tokens, 0 where the estimate is above what was reported; None where no usage is reported.

    >>> from opencollab_nb.tokens.usage import Usage
    >>> hi = {"role": "user", "content": "x" * 30}
    >>> constant_tokens([hi], [Sent(1, None, Usage(input_tokens=1_014))])
    1000
    """
    first_compaction = min((one.at for one in compactions), default=len(messages))
    early = [
        call
        for call in sent
        if call.usage
        and call.usage.input_tokens
        and call.before <= first_compaction
        and not is_sum(call, messages)
    ][:EARLY_CALLS]
    if not early:
        return None
    schemas = measured_schemas(tools, estimate)
    weights = [weigh(message) for message in messages[: max(call.before for call in early)]]
    shown = [sum(weights[: call.before]) for call in early]
    reported = [call.usage.input_tokens for call in early if call.usage]
    shares = [part / whole for part, whole in zip(shown, reported, strict=True)]
    enough = max(SMALL_RATIO, min(shares))
    left = [
        whole - part for part, whole, share in zip(shown, reported, shares, strict=True) if share <= enough
    ]
    return max(0, round(median(left)) - schemas)


def is_sum(call: Sent, messages: Messages) -> bool:
    """True where the provider ran tools of its own within the reply: it reports a sum over several turns."""
    parts = parts_of(messages[call.reply].get("content")) if call.reply is not None else []
    return any(isinstance(part, dict) and part.get("type") == "server_tool_use" for part in parts)
