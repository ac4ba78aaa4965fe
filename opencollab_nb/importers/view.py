"""What the original agent sent for one of its requests."""

from __future__ import annotations

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, covers_of, each, id_of
from opencollab_nb.transcript import Compacted, Transcript


def view_sent(transcript: Transcript, n: int) -> Messages:
    """The messages of the n-th request of an imported transcript, the compactions of its file applied.

    Args:
        transcript: one that was loaded.
        n: counted from 1, as steps are: `transcript.origin.sent[n - 1]`.

    Raises:
        UsageProblem: (a ValueError) it has no such request, or was not loaded.
    """
    origin = transcript.origin
    calls = len(origin.sent) if origin else 0
    if origin is None or not 1 <= n <= calls:
        raise UsageProblem(
            f"request {n!r} is not one of the {calls} that this transcript tells of, from 1 on"
        )
    before = origin.sent[n - 1].before
    return compacted_view(transcript.stored[:before], [one for one in origin.compactions if one.at <= before])


def compacted_view(messages: Messages, compactions: list[Compacted]) -> Messages:
    """The messages with every compaction applied, in order: each summary at the first place it covers.

    >>> both = [{"role": "user", "content": text, "meta": {"id": i}} for i, text in enumerate("ab")]
    >>> [m["content"] for m in compacted_view(both, [Compacted(1, [[0, 0]], "a was said")])]
    ['a was said', 'b']
    >>> [m["content"] for m in compacted_view(both, [Compacted(2, [[1, 1]], "")])]
    ['a']
    """
    view = messages
    for one in compactions:
        gone = set(each(one.covers))
        kept: Messages = []
        placed = False
        for message in view:
            number = id_of(message)
            covered = set(each(covers_of(message))) if number is None else {number}
            if not covered or not covered <= gone:
                kept.append(message)
                continue
            if not placed and one.text:
                kept.append(shortened(message, one) if len(gone) == 1 else summary(one))
                placed = True
        view = kept
    return view


def summary(one: Compacted) -> Message:
    """The message that stood in place of those a compaction covers."""
    return {"role": "user", "content": one.text, "meta": {"covers": one.covers, "source": "summary"}}


def shortened(message: Message, one: Compacted) -> Message:
    """What stood for one message alone: a result stays the result of its call."""
    if message.get("role") != "tool":
        return summary(one)
    return {**message, "content": one.text, "meta": {"covers": one.covers, "source": "summary"}}
