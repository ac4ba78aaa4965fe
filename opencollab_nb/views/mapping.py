"""The context map as bytes: one small row for each message, whatever became of it.

A row holds measured tokens, not calibrated ones: the ratio goes beside the rows, so that a new
calibration costs nothing a message. What is new of a map goes to a browser as splices.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection
from typing import Any

from opencollab_nb.messages import covers_of, is_pinned
from opencollab_nb.session.accounts import CATEGORIES, category
from opencollab_nb.views.reasons import Reasons
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
    "offloaded",
)
GONE = ("snipped", "shed", "summarized")
BY_PRIORITY, BY_HAND = 1, 2


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
