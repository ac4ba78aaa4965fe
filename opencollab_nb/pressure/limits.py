"""From the context window to the two limits of shaping: trigger and target."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from numbers import Integral, Real

from opencollab_nb.errors import UsageProblem

RESERVE_TOKENS = 20_000
"""Kept free for the reply; on small windows a quarter of the window."""
BUFFER_TOKENS = 13_000
"""Kept free for what estimates miss; on small windows an eighth of the window."""
TARGET_RATIO = 0.75
"""The target's share of the trigger: the headroom that one round makes."""
LEAST_WINDOW_TOKENS = 1_024
UNKNOWN_TRIGGER_TOKENS = 120_000
"""The trigger where the window is not known: that of a window of about 150,000."""


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
    share = _share(target_ratio)
    asked = Fraction(check_tokens("max_output_tokens", max_output_tokens))
    reserve = None if reserve_tokens is None else Fraction(check_tokens("reserve_tokens", reserve_tokens))
    buffer = None if buffer_tokens is None else Fraction(check_tokens("buffer_tokens", buffer_tokens))
    if window is None:
        return _checked(window, UNKNOWN_TRIGGER_TOKENS, floor(UNKNOWN_TRIGGER_TOKENS * share))
    window = check_window(window)
    if reserve is None:
        reserve = max(min(Fraction(RESERVE_TOKENS), Fraction(window, 4)), min(asked, Fraction(window, 2)))
    if buffer is None:
        buffer = min(Fraction(BUFFER_TOKENS), Fraction(window, 8))
    effective = window - reserve - buffer
    return _checked(window, floor(effective), floor(effective * share))


def check_window(window: object) -> int:
    """The window in tokens, if it can be one.

    Raises:
        UsageProblem: not a whole number, or under 1,024.
    """
    return check_tokens(
        "window", window, least=LEAST_WINDOW_TOKENS, otherwise=", or None where it is unknown"
    )


def check_tokens(name: str, value: object, *, least: int = 0, otherwise: str = "") -> int:
    """The value, if it is a number of tokens.

    Raises:
        UsageProblem: not a whole number, or under `least`; names the argument and its value.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageProblem(f"{name} {value!r}: a whole number of at least {least:,} tokens{otherwise}")
    return int(value)


def reply_limit(window: int | None, max_output_tokens: int) -> int:
    """The reply's own limit in tokens: never more than half the window.

    >>> reply_limit(8_000, 64_000), reply_limit(None, 64_000)
    (4000, 64000)
    """
    return max_output_tokens if window is None else min(max_output_tokens, window // 2)


def _checked(window: int | None, trigger: int, target: int) -> tuple[int, int]:
    if 0 < target < trigger and (window is None or trigger < window):
        return trigger, target
    of_what = "an unknown window" if window is None else f"a window of {window:,} tokens"
    raise UsageProblem(
        f"{of_what} leaves a trigger of {trigger:,} and a target of {target:,} tokens; needed is "
        "0 < target < trigger < window: change reserve_tokens, buffer_tokens or target_ratio"
    )


def _share(target_ratio: object) -> Fraction:
    if (
        isinstance(target_ratio, bool)
        or not isinstance(target_ratio, Real)
        or not 0 < float(target_ratio) < 1
    ):
        raise UsageProblem(f"target_ratio {target_ratio!r}: a share between 0 and 1, such as {TARGET_RATIO}")
    return Fraction(str(float(target_ratio)))
