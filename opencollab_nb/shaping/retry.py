"""When a round that failed may be tried again: not at every step, since it may cost a model call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.report import LayerReport


class Retry(NamedTuple):
    """The view size from which the next round may open, and the growth that was asked for last."""

    from_tokens: int = 0
    gap_tokens: int = 0

    def after(self, total_tokens: int, reports: Sequence[LayerReport], pressure: Pressure) -> Retry:
        """The state after a round that left `total_tokens`.

        A failed round waits until the view has grown by a quarter of (trigger - target), and twice
        as much at each further failure.

        >>> from opencollab_nb.pressure import Pressure
        >>> pressure = Pressure.of(16_000)
        >>> first = Retry().after(11_000, [], pressure)
        >>> tuple(first), tuple(first.after(12_000, [], pressure)), tuple(first.after(7_000, [], pressure))
        ((11625, 625), (13250, 1250), (0, 0))
        """
        if not _failed(total_tokens, reports, pressure):
            return Retry()
        gap_tokens = max(2 * self.gap_tokens, max(1, (pressure.trigger - pressure.target) // 4))
        return Retry(total_tokens + gap_tokens, gap_tokens)


def _failed(total_tokens: int, reports: Sequence[LayerReport], pressure: Pressure) -> bool:
    """Over the trigger still; or over the target because a layer, such as compaction, had to step back."""
    stepped_back = any(report.problem for report in reports)
    return total_tokens > pressure.trigger or (stepped_back and total_tokens > pressure.target)
