"""What the provider's prompt cache can serve of the next request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opencollab_nb.messages import wire
from opencollab_nb.tokens.estimate import weigh as local_estimate


def prefix_kept(before: Any, after: Any, *, weigh: Callable[[Any], int] = local_estimate) -> int:
    """Tokens of the longest common beginning of two requests.

    Args:
        before: the request sent before: its list of messages, or anything with `.messages`.
        after: the request sent next.
        weigh: message -> tokens; by default the local estimate.

    >>> one, two = {"role": "user", "content": "x" * 30}, {"role": "user", "content": "y" * 30}
    >>> prefix_kept([one, two], [one, one]) == local_estimate(one)
    True
    """
    total_tokens = 0
    lists = (getattr(request, "messages", request) for request in (before, after))
    for old, new in zip(*lists, strict=False):
        if old is not new and wire(old) != wire(new):
            break
        total_tokens += weigh(new)
    return total_tokens
