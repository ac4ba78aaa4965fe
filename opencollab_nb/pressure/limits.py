"""From the context window to the two limits of shaping: trigger and target."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from opencollab_nb.errors import UsageProblem

RESERVE_TOKENS = 20_000
"""Kept free for the reply; on small windows a quarter of the window."""
BUFFER_TOKENS = 13_000
"""Kept free for what estimates miss; on small windows an eighth of the window."""
TARGET_RATIO = 0.75
"""The target's share of the trigger: the headroom that one round makes."""
LEAST_WINDOW_TOKENS = 1_024
UNKNOWN_LIMITS = (120_000, 90_000)
"""Trigger and target where the window is not known: those of a window of about 150,000."""


def history_trigger_target(
    window: int | None,
    *,
    max_output_tokens: int = 0,
    target_ratio: float = TARGET_RATIO,
    reserve_tokens: int | None = None,
    buffer_tokens: int | None = None,
) -> tuple[int, int]:
    """The (trigger, target) of a context window, in tokens.

    Trigger = window - output reserve - buffer; target = `target_ratio` of that. Both are computed
    exactly and floored once.

    Args:
        window: context window of the model in tokens; None where it is unknown.
        max_output_tokens: limit of one reply; more than the reserve raises the reserve, up to half
            the window.
        target_ratio: the target's share of the trigger, between 0 and 1.
        reserve_tokens: instead of the reserve computed from the window.
        buffer_tokens: instead of the buffer computed from the window.

    Raises:
        UsageProblem: (a ValueError) a window under 1,024 tokens, negative or boolean numbers, or
            limits that leave nothing to fill.

    >>> history_trigger_target(200_000)
    (167000, 125250)
    >>> history_trigger_target(16_000)
    (10000, 7500)
    >>> history_trigger_target(None)
    (120000, 90000)
    """
    _check_tokens("max_output_tokens", max_output_tokens, least=0)
    share = _ratio(target_ratio)
    for name, value in (("reserve_tokens", reserve_tokens), ("buffer_tokens", buffer_tokens)):
        if value is not None:
            _check_tokens(name, value, least=0)
    if window is None:
        return UNKNOWN_LIMITS[0], floor(UNKNOWN_LIMITS[0] * share)
    check_window(window)
    reserve = Fraction(reserve_tokens) if reserve_tokens is not None else _reserve(window, max_output_tokens)
    buffer = (
        Fraction(buffer_tokens)
        if buffer_tokens is not None
        else min(Fraction(BUFFER_TOKENS), Fraction(window, 8))
    )
    effective = window - reserve - buffer
    trigger = floor(effective)
    target = floor(effective * share)
    if not 0 < target < trigger < window:
        raise UsageProblem(
            f"a window of {window:,} tokens with a reserve of {float(reserve):,.0f}, a buffer of "
            f"{float(buffer):,.0f} and a target ratio of {target_ratio} leaves trigger {trigger:,} and "
            f"target {target:,}; needed is 0 < target < trigger < window: lower the reserve or the buffer"
        )
    return trigger, target


def check_window(window: object) -> None:
    """Refuse what cannot be a context window in tokens.

    Raises:
        UsageProblem: not a whole number, or under 1,024.
    """
    _check_tokens("window", window, least=LEAST_WINDOW_TOKENS, otherwise=", or None where it is unknown")


def reply_limit(window: int | None, max_output_tokens: int) -> int:
    """The reply's own limit in tokens: never more than half the window.

    >>> reply_limit(8_000, 64_000), reply_limit(None, 64_000)
    (4000, 64000)
    """
    return max_output_tokens if window is None else min(max_output_tokens, window // 2)


def _reserve(window: int, max_output_tokens: int) -> Fraction:
    asked = min(Fraction(max_output_tokens), Fraction(window, 2))
    return max(min(Fraction(RESERVE_TOKENS), Fraction(window, 4)), asked)


def _check_tokens(name: str, value: object, *, least: int, otherwise: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageProblem(f"{name} {value!r}: a whole number of at least {least:,} tokens{otherwise}")


def _ratio(value: float) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)) or not 0 < value < 1:
        raise UsageProblem(f"target_ratio {value!r}: a share between 0 and 1, such as {TARGET_RATIO}")
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
