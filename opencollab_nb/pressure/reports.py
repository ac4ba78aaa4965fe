"""Which reports of a provider are believed."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_REPORT_TOKENS = 8_000
"""Below it (or below half the trigger) a report says more about framing than about weights."""
_FURTHEST = (0.4, 4.0)
"""Reported / measured, for a first report: no tokenizer is further from our measure."""
_FURTHER = (0.6, 1.6)
"""Reported / predicted once calibrated; the worst of 469 recorded usages was 12 % off."""
_GROWTH = 1.1
_SAME = 0.05


@dataclass(frozen=True)
class Seen:
    """What is remembered of earlier reports; plain numbers, stored with the calibration."""

    measured_tokens: int = 0
    """Our own measure of the last request whose report was used."""
    reported_tokens: int = 0
    """That report."""
    refused_ratio: float = 0.0
    """Reported / measured of the report refused just before; 0 where the last one was used."""


def doubt(reported: int, measured: int, ratio: float | None, seen: Seen) -> str | None:
    """Why a report should not be used, as a sentence; None if it should.

    Args:
        reported: input tokens of one request, as the provider says.
        measured: the same request by our own measure, before any calibration.
        ratio: the calibration so far; None if there is none.
        seen: what is remembered of earlier reports.
    """
    raw = reported / measured
    low, high = _FURTHER if ratio else _FURTHEST
    against = measured * (ratio or 1.0)
    believable = ratio is not None and _FURTHER[0] <= raw <= _FURTHER[1]
    grew = seen.reported_tokens and measured >= _GROWTH * seen.measured_tokens
    if (grew and reported <= seen.reported_tokens) or (reported < low * against and not believable):
        return (
            f"the provider counted {reported:,} input tokens where about {against:,.0f} were sent: it seems "
            "to have cut the prompt in silence, so this report is not used; give the server a larger context"
        )
    repeated = seen.refused_ratio and abs(raw / seen.refused_ratio - 1) <= _SAME
    if reported > high * against and not believable and not repeated:
        return (
            f"the provider counted {reported:,} input tokens where about {against:,.0f} were sent: "
            "a sum over several calls, it seems, so this report is not used"
        )
    return None
