"""What became of each message of the transcript in a request: one word for it, and its tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.budget.offload.pointer import points_at
from opencollab_nb.messages import (
    call_arguments,
    call_name,
    covers_of,
    each,
    id_of,
    is_pinned,
    meta_of,
    text_of,
    tool_calls_of,
    wire,
)


@dataclass(frozen=True)
class Sent:
    """One message as it was sent, or was not."""

    id: int | None
    """Place in the transcript; None for a summary and for the tail."""
    state: str
    """`verbatim offloaded capped cleared rewritten snipped summarized summary tail`."""
    message: Any
    """As sent; None where nothing of it was."""
    original: Any
    """As stored; None for a summary and for the tail."""
    sent_tokens: int
    stored_tokens: int

    @property
    def shown(self) -> Any:
        """What there is to show of it."""
        return self.message if self.message is not None else self.original

    @property
    def source(self) -> str:
        """Where the message came from, `pinned` if no shaper may change it."""
        source = meta_of(self.shown).get("source") or ""
        return f"{source}, pinned" if is_pinned(self.shown) else source


def fates(request: Any, stored: Sequence[Any], weigh: Callable[[Any], int]) -> list[Sent]:
    """Every message of the transcript and every one that was only sent, in the order of the request."""
    places = {i: n for n, m in enumerate(stored) if (i := id_of(m)) is not None}
    covered = {i for m in request.shaped for i in each(covers_of(m))}
    out: list[Sent] = []
    at = 0

    def pass_over(end: int) -> None:
        for original in stored[at:end]:
            state = "summarized" if id_of(original) in covered else "snipped"
            out.append(Sent(id_of(original), state, None, original, 0, weigh(original)))

    for message in request.shaped:
        number = id_of(message)
        place = None if number is None else places.get(number)
        if place is None:
            first = next(iter(each(covers_of(message))), None)
            if first in places and places[first] > at:
                pass_over(places[first])
                at = places[first]
            state = "summary" if covers_of(message) else "tail"
            out.append(Sent(id_of(message), state, message, None, weigh(message), 0))
            continue
        pass_over(place)
        at = max(at, place + 1)
        original = stored[place]
        state = how(original, message)
        out.append(Sent(id_of(message), state, message, original, weigh(message), weigh(original)))
    pass_over(len(stored))
    return out


def how(original: Any, sent: Any) -> str:
    """The word for what happened to a message that was sent.

    >>> how({"role": "tool", "content": "long" * 9}, {"role": "tool", "content": "[cleared]"})
    'cleared'
    """
    if sent is original or wire(sent) == wire(original):
        return "verbatim"
    before, after = text_of(original), text_of(sent)
    if points_at(after, id_of(sent)) and not points_at(before, id_of(sent)):
        return "offloaded"
    if before != after and after[:40] and before.startswith(after[:40]):
        return "capped"
    if original.get("role") == "tool" and len(after) < len(before):
        return "cleared"
    return "rewritten"


def content_of(message: Any) -> str:
    """The text of a message, then its calls as they would be typed."""
    if message is None:
        return ""
    calls = [f"{call_name(c)}({call_arguments(c)})" for c in tool_calls_of(message)]
    return "\n".join(t for t in [text_of(message), *calls] if t)
