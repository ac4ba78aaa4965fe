"""Which reports of a provider are believed."""

from __future__ import annotations

from dataclasses import dataclass, replace

LEAST_REPORT_TOKENS = 8_000
"""Below it (or below half the trigger) a report says more about framing than about weights."""
_FURTHEST = (0.4, 4.0)
"""Reported / measured: no tokenizer is further from our measure, so no report beyond it is ever used."""
_SURE = 2.5
"""Reported / measured: a first report above it is used only if the next one says the same."""
_FURTHER = (0.6, 1.6)
"""Reported / predicted once calibrated; the worst of 469 recorded usages was 16 % off."""
_GROWTH = 1.1
_FLAT = (0.95, 1.01)
"""A request that grew by a tenth while its reports stood still: the server has reached its own limit."""
_SAME = 0.05


@dataclass(frozen=True)
class Seen:
    """What is remembered of earlier reports; plain numbers, stored with the calibration."""

    measured_tokens: int = 0
    """Our own measure of the request at which reports reached their present height."""
    reported_tokens: int = 0
    """The report for it."""
    refused_ratio: float = 0.0
    """Reported / measured of the report refused just before; 0 where the last one was used."""

    def used(self, reported: int, measured: int) -> Seen:
        """After a report that was used; where reports stand still, the mark stays at the first of them."""
        stays = measured >= self.measured_tokens and self.flat(reported)
        return replace(self, refused_ratio=0.0) if stays else Seen(measured, reported)

    def refused(self, reported: int, measured: int) -> Seen:
        """After a report that was not used."""
        return replace(self, refused_ratio=reported / measured)

    def flat(self, reported: int) -> bool:
        """True where a report is no more than the one before."""
        return _FLAT[0] * self.reported_tokens <= reported <= _FLAT[1] * self.reported_tokens


def doubt(reported: int, measured: int, ratio: float | None, seen: Seen) -> str | None:
    """Why a report should not be used, as a sentence; None if it should.

    Args:
        reported: input tokens of one request, as the provider says.
        measured: the same request by our own measure, before any calibration.
        ratio: the calibration so far; None if there is none.
        seen: what is remembered of earlier reports.
    """
    raw, expected = reported / measured, measured * (ratio or 1.0)
    low, high = _FURTHER if ratio else (_FURTHEST[0], _SURE)
    believable = ratio is not None and _FURTHER[0] <= raw <= _FURTHER[1]
    stuck = measured > _GROWTH * seen.measured_tokens and seen.flat(reported)
    most = _SURE if ratio else _FURTHEST[1]
    repeated = raw <= most and seen.refused_ratio and abs(raw / seen.refused_ratio - 1) <= _SAME
    counted = f"the provider counted {reported:,} input tokens where about {expected:,.0f} were sent: "
    if stuck or raw < _FURTHEST[0] or (reported < low * expected and not believable):
        return counted + (
            "it seems to have cut the prompt in silence, so this report is not used; "
            "give the server a larger context"
        )
    if raw > _FURTHEST[1] or (reported > high * expected and not (believable or repeated)):
        return counted + "a sum over several calls, it seems, so this report is not used"
    return None
