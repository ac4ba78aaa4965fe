"""The tokens of a view that mostly grows: a step adds up its new messages, not the whole."""

from __future__ import annotations

from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.tokens.weights import Weights


class Total:
    """Remembers the sum of one list, before calibration, so that the result is exact.

    >>> total, pressure = Total(), Pressure.of()
    >>> view = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    >>> total.of(view, pressure) == pressure.tokens(view)
    True
    """

    def __init__(self) -> None:
        self._weigh: Weights | None = None
        self._view: Messages | None = None
        self._sum = 0

    def grow(self, before: Messages, view: Messages, start: int, pressure: Pressure) -> None:
        """The list `before` has become `view`, which differs from position `start` on."""
        come = pressure.weigh.unscaled(view[start:])
        if before is self._view and pressure.weigh is self._weigh:
            self._sum += come - pressure.weigh.unscaled(before[start:])
            self._view = view

    def of(self, view: Messages, pressure: Pressure) -> int:
        """Input tokens of a request with this view, as `pressure.tokens(view)` gives them."""
        weigh = pressure.weigh
        if view is not self._view or weigh is not self._weigh:
            self._view, self._weigh, self._sum = view, weigh, weigh.unscaled(view)
        return pressure.overhead_tokens + round(self._sum * weigh.ratio)
