"""The context map as bytes: one small row for each message, whatever became of it.

A row holds measured tokens, not calibrated ones: the ratio goes beside the rows, so that a new
calibration costs nothing a message. What is new of a map goes to a browser as splices.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from opencollab_nb.messages import call_name, covers_of, each, is_pinned, tool_calls_of
from opencollab_nb.session.accounts import CATEGORIES, category
from opencollab_nb.shaping import ContextShedShaper
from opencollab_nb.views.labels import clean, human
from opencollab_nb.views.sent import Sent

ROW = struct.Struct("<iIIHBBBB")
"""Id, tokens sent, tokens stored, why, kind, state, tool, pin: 18 bytes.

The id of a tail is -1, that of a summary -1 minus the number of messages that it stands for.
"""
STATES = (
    "verbatim",
    "capped",
    "cleared",
    "rewritten",
    "snipped",
    "shed",
    "summarized",
    "summary",
    "tail",
)
GONE = ("snipped", "shed", "summarized")
BY_PRIORITY, BY_HAND = 1, 2
SHED = ContextShedShaper.__name__

Splice = tuple[int, int, int]
"""At which row, how many rows leave there, how many come."""


class Reasons:
    """Which layer changed which message last, and at which step; the names of tools.

    Both are tables that only grow: a row holds a place in them.
    """

    def __init__(self) -> None:
        self.whys: list[str] = [""]
        self.tools: list[str] = [""]
        self._why_of: dict[int, int] = {}
        self._shed: set[int] = set()
        self._tool_at: dict[str, int] = {"": 0}
        self._tool_of: list[int] = []
        self._calls: dict[str, int] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        """Remember what one layer did."""
        changed = list(each([*event["removed"], *event["rewritten"], *event["covered"]]))
        if not changed:
            return
        if len(self.whys) < 2**16:
            self.whys.append(f"{clean(human(event['layer']), 60)}, step {event['step']:,}")
        self._why_of.update(dict.fromkeys(changed, len(self.whys) - 1))
        removed = each(event["removed"])
        if event["layer"] == SHED:
            self._shed.update(removed)
        else:
            self._shed.difference_update(removed)

    def read(self, stored: Sequence[Any]) -> None:
        """Learn the tools of messages that are new in the transcript."""
        for message in stored[len(self._tool_of) :]:
            calls = tool_calls_of(message)
            if calls:
                self._calls = {str(c.get("id")): self._place(call_name(c)) for c in calls}
                self._tool_of.append(self._place(call_name(calls[0])))
            elif message.get("role") == "tool":
                self._tool_of.append(self._calls.get(str(message.get("tool_call_id")), 0))
            else:
                self._tool_of.append(0)

    def _place(self, name: str) -> int:
        name = clean(name, 40)
        if name not in self._tool_at and len(self.tools) < 2**8:
            self._tool_at[name] = len(self.tools)
            self.tools.append(name)
        return self._tool_at.get(name, 0)

    def state_of(self, sent: Sent) -> str:
        """The word for it; a message that was shed is told from one that was snipped."""
        return "shed" if sent.state == "snipped" and sent.id in self._shed else sent.state

    def why(self, sent: Sent) -> int:
        """The place of its reason; 0 for what is as it came."""
        return 0 if sent.id is None or sent.state == "verbatim" else self._why_of.get(sent.id, 0)

    def tool(self, sent: Sent) -> int:
        """The place of its tool; 0 for none."""
        return self._tool_of[sent.id] if sent.id is not None and sent.id < len(self._tool_of) else 0


def row_of(sent: Sent, reasons: Reasons, by_hand: Collection[int | None]) -> bytes:
    """One message of the map."""
    covers = covers_of(sent.shown)
    number = sent.id
    if number is None:
        number = -1 - sum(last - first + 1 for first, last in covers)
    pin = BY_HAND if sent.id in by_hand else BY_PRIORITY if is_pinned(sent.shown) else 0
    return ROW.pack(
        number,
        sent.sent_tokens,
        sent.stored_tokens,
        reasons.why(sent),
        CATEGORIES.index(category(sent.shown)),
        STATES.index(reasons.state_of(sent)),
        reasons.tool(sent),
        pin,
    )


def splices(before: Sequence[bytes], after: Sequence[bytes], same: int = 0) -> list[Splice]:
    """What turns one list of rows into the other, in order; later places count what came before them.

    Args:
        before: rows a browser has.
        after: rows it shall have.
        same: so many at the beginning are known to be the same.

    >>> a, b, c = (ROW.pack(i, 5, 5, 0, 2, 0, 0, 0) for i in range(3))
    >>> cleared = ROW.pack(1, 1, 5, 1, 2, 2, 0, 0)
    >>> splices([a, b], [a, cleared, c])
    [(1, 1, 2)]
    """
    out: list[Splice] = []
    old, new = same, same
    while old < len(before) or new < len(after):
        if old < len(before) and new < len(after) and before[old] == after[new]:
            old, new = old + 1, new + 1
            continue
        at, gone, come = new, old, new
        while old < len(before) or new < len(after):
            if old < len(before) and new < len(after) and before[old] == after[new]:
                break
            step_old, step_new = _next(before, old, after, new)
            old, new = old + step_old, new + step_new
        out.append((at, old - gone, new - come))
    return out


def _next(before: Sequence[bytes], old: int, after: Sequence[bytes], new: int) -> tuple[int, int]:
    """How far to go on in each list from two rows that differ; summaries have no place of their own."""
    if old >= len(before):
        return 0, 1
    if new >= len(after):
        return 1, 0
    was, now = _id(before[old]), _id(after[new])
    if was == now or (was < 0 and now < 0):
        return 1, 1
    if was < 0 or now < 0:
        return (1, 0) if was < 0 else (0, 1)
    return (1, 0) if was < now else (0, 1)


def _id(row: bytes) -> int:
    number: int = ROW.unpack_from(row)[0]
    return number


def raw_weigher(session: Any) -> Callable[[Any], int]:
    """Measured tokens of one message, before calibration."""
    weights = session.pressure.snapshot().weigh
    return lambda message: weights.unscaled([message])


def ratio_of(tokens: int, overhead_tokens: int, measured: int) -> float:
    """What measured tokens are multiplied by, so that they add up to the number shown.

    >>> ratio_of(1_100, 100, 2_000)
    0.5
    """
    return max(tokens - overhead_tokens, 0) / measured if measured else 1.0
