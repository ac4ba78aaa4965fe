"""What the provider's prompt cache can serve of the next request."""

from __future__ import annotations

from collections.abc import Sequence

from opencollab_nb.messages import Message, wire
from opencollab_nb.tokens.estimate import weigh


def prefix_kept(before: Sequence[Message], after: Sequence[Message]) -> int:
    """Tokens, by the local estimate, of the longest common beginning of two requests.

    >>> one, two = {"role": "user", "content": "x" * 30}, {"role": "user", "content": "y" * 30}
    >>> prefix_kept([one, two], [one, one]) == weigh(one)
    True
    """
    total_tokens = 0
    for old, new in zip(before, after, strict=False):
        if old is not new and wire(old) != wire(new):
            break
        total_tokens += weigh(new)
    return total_tokens
