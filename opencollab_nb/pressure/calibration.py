"""Weights corrected by the provider's own counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opencollab_nb.pressure.limits import TARGET_RATIO, check_window
from opencollab_nb.pressure.pressure import Pressure
from opencollab_nb.pressure.windows import window_of
from opencollab_nb.tokens.estimate import estimate, weigh
from opencollab_nb.tokens.measure import measured_schemas
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.tokens.weights import Weights

LEAST_REPORT_TOKENS = 8_000


class ContextPressure:
    """First version; see the room's list of files."""

    def __init__(
        self,
        window: int | None = None,
        *,
        model: str | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        max_output_tokens: int = 0,
        target_ratio: float = TARGET_RATIO,
    ) -> None:
        known = window if window is not None else window_of(model)
        self.window = known
        self.window_source = "argument" if window is not None else "known" if known else "guess"
        self.max_output_tokens, self.target_ratio = max_output_tokens, target_ratio
        self.ratio, self.observed, self.source = 1.0, 0, "estimated"
        self._local = self._weights = Weights(weigh)
        self._local_overhead = measured_schemas(list(tools), estimate)
        self.overhead_tokens = self._local_overhead
        self.snapshot()

    def snapshot(self, *, forced: bool = False) -> Pressure:
        """The pressure of this moment."""
        return Pressure.of(
            self.window,
            weigh=self._weights,
            max_output_tokens=self.max_output_tokens,
            overhead_tokens=self.overhead_tokens,
            target_ratio=self.target_ratio,
            forced=forced,
        )

    def learn(self, window: int) -> None:
        """Take the window an overflow error named."""
        check_window(window)
        self.window, self.window_source = window, "learnt"

    def observe(self, request: Any, usage: Usage | None) -> str | None:
        """Use one report; returns why it was not used, or None."""
        messages = getattr(request, "messages", request)
        reported = usage.input_tokens if usage else 0
        local = self._local_overhead + self._local.unscaled(messages)
        if not reported or reported < local / 4:
            return None
        if reported >= min(LEAST_REPORT_TOKENS, self.snapshot().trigger / 2):
            ratio = reported / local
            self.overhead_tokens = round(self._local_overhead * ratio)
            self.ratio = (reported - self.overhead_tokens) / (local - self._local_overhead)
            self._weights = self._local.scaled(self.ratio)
            self.source = "calibrated"
        self.observed += 1
        return None

    def to_dict(self) -> dict[str, Any]:
        """What `restore` needs."""
        return {
            "window": self.window,
            "window_source": self.window_source,
            "ratio": self.ratio,
            "overhead_tokens": self.overhead_tokens,
            "observed": self.observed,
            "source": self.source,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """The same weights as in the process that wrote `state`."""
        for key, value in state.items():
            setattr(self, key, value)
        self._weights = self._local.scaled(self.ratio)
