"""Weights corrected by the provider's own counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message
from opencollab_nb.pressure.limits import TARGET_RATIO, check_tokens, check_window
from opencollab_nb.pressure.pressure import Pressure
from opencollab_nb.pressure.reports import LEAST_REPORT_TOKENS, Seen, doubt
from opencollab_nb.pressure.windows import window_of
from opencollab_nb.tokens.estimate import estimate
from opencollab_nb.tokens.exact import Encoder, encoding_for
from opencollab_nb.tokens.measure import measured, measured_schemas
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.tokens.weights import Weights


class ContextPressure:
    """The pressure of a session's requests: it learns from each reported usage and makes snapshots.

    Reported input tokens are shared out over the messages of the request, and one entry for tool
    schemas, in proportion to our own measure of them: the exact count where the encoding of the
    model is known, else an estimate. So each weight is that measure times one ratio, and
    `snapshot().tokens(request.shaped)` is the reported number itself.

    >>> calibrated = ContextPressure(200_000)
    >>> messages = [{"role": "user", "content": "word " * 12_000}]
    >>> calibrated.snapshot().tokens(messages), calibrated.source
    (20004, 'estimated')
    >>> calibrated.observe(messages, Usage(input_tokens=15_003))
    >>> calibrated.snapshot().tokens(messages), calibrated.source
    (15003, 'calibrated')
    """

    def __init__(
        self,
        window: int | None = None,
        *,
        model: str | None = None,
        tools: Iterable[Mapping[str, Any]] = (),
        max_output_tokens: int = 0,
        target_ratio: float = TARGET_RATIO,
        unseen_tokens: int = 0,
    ) -> None:
        """See `history_trigger_target` for the limits.

        Args:
            window: context window in tokens; by default that of the model, if it is known.
            model: name of the model, for its encoding and window.
            tools: schemas that go with every request.
            max_output_tokens: limit of one reply.
            target_ratio: the target's share of the trigger.
            unseen_tokens: of every request, in no message and no schema that is known here: the system
                prompt of a recording that does not hold it.

        Raises:
            UsageProblem: (a ValueError) numbers that leave nothing to fill.
        """
        if window is not None:
            self.window: int | None = check_window(window)
            self.window_source = "argument"
        else:
            self.window = window_of(model)
            self.window_source = "known" if self.window else "guess"
        self.max_output_tokens, self.target_ratio = max_output_tokens, target_ratio
        self.encoder = encoding_for(model) if model else Encoder("local", None, exact=False)
        self._count = count = self.encoder.count if model else estimate
        self._measured = self._weights = Weights(lambda message: measured(message, count))
        self._unseen_tokens = check_tokens("unseen_tokens", unseen_tokens)
        self._measured_overhead = self.overhead_tokens = unseen_tokens + measured_schemas(tools, count)
        self._seen = Seen()
        self.observed = 0
        """How many reports were used."""
        self.snapshot()

    @property
    def ratio(self) -> float:
        """What our measure is multiplied by; 1.0 before the first report."""
        return self._weights.ratio

    @property
    def source(self) -> str:
        """Where the numbers come from: `counted`, `calibrated` or `estimated`."""
        if self.observed:
            return "calibrated"
        return "counted" if self.encoder.exact else "estimated"

    def snapshot(self, *, forced: bool = False) -> Pressure:
        """The pressure of this moment, for one request."""
        return Pressure.of(
            self.window,
            weigh=self._weights,
            max_output_tokens=self.max_output_tokens,
            overhead_tokens=self.overhead_tokens,
            target_ratio=self.target_ratio,
            forced=forced,
        )

    def observe(self, request: Any, usage: Usage | Mapping[str, Any] | None) -> str | None:
        """Learn from the usage reported for one request.

        A report below min(8,000 tokens, half the trigger) changes nothing. Not used either, with
        the reason returned: a missing or zero report, one far below what was sent (the server cut
        the prompt) and one far above (a sum over several calls).

        Args:
            request: what was sent: a `Request`, anything with `.messages`, or a list of messages.
            usage: what the provider reported for this one request, a `Usage` or a mapping with its names;
                None if nothing.

        Returns:
            Why the report was refused, as a sentence to show; None otherwise.

        Raises:
            UsageProblem: a report of another form.
        """
        given = getattr(request, "shaped", None)
        messages: list[Message] = list(getattr(request, "messages", request) if given is None else given)
        reported = _input_tokens(usage)
        if reported <= 0:
            return "the provider reported no input tokens for this request: the weights stay as they were"
        in_messages = self._measured.unscaled(messages)
        total = in_messages + self._measured_overhead
        least = min(LEAST_REPORT_TOKENS, self.snapshot().trigger / 2)
        if not in_messages or max(reported, total * self.ratio) < least:
            return None
        reason = doubt(reported, total, self.ratio if self.observed else None, self._seen)
        if reason:
            self._seen = self._seen.refused(reported, total)
        elif reported >= least:
            self._take(reported, in_messages, total)
        return reason

    def __repr__(self) -> str:
        limits = self.snapshot()
        window = f"{self.window:,} tokens ({self.window_source})" if self.window else "unknown"
        return (
            f"ContextPressure(window {window}, trigger {limits.trigger:,}, target {limits.target:,}, "
            f"{self.source}, ratio {self.ratio:.3f} by {self.observed} reports)"
        )

    def learn(self, window: int) -> None:
        """Take the window that the provider named when it refused a request.

        Raises:
            UsageProblem: (a ValueError) a window under 1,024 tokens.
        """
        self.window, self.window_source = check_window(window), "learnt"

    def offer(self, tools: Iterable[Mapping[str, Any]]) -> None:
        """Take the schemas that go with every request from now on."""
        measured_tokens = self._unseen_tokens + measured_schemas(tools, self._count)
        if measured_tokens != self._measured_overhead:
            self._measured_overhead = measured_tokens
            self.overhead_tokens = round(measured_tokens * self.ratio)

    def to_dict(self) -> dict[str, Any]:
        """All that was learnt, as plain data for `restore`."""
        return {
            "window": self.window,
            "window_source": self.window_source,
            "measure": self.encoder.name,
            "ratio": self.ratio,
            "overhead_tokens": self.overhead_tokens,
            "observed": self.observed,
            "seen": asdict(self._seen),
        }

    def restore(self, state: Mapping[str, Any]) -> str | None:
        """Take over what another process had learnt: the weights are then exactly the same.

        Returns:
            A sentence to show if the messages were measured otherwise there, so that its ratio
            means nothing here and only the window is taken over; None otherwise.

        Raises:
            UsageProblem: `state` is not what `to_dict` gives.
        """
        try:
            window, source, measure = state["window"], state["window_source"], state["measure"]
            ratio, overhead = float(state["ratio"]), int(state["overhead_tokens"])
            observed, seen = int(state["observed"]), Seen(**state["seen"])
        except (KeyError, TypeError, ValueError) as problem:
            raise UsageProblem(f"not a stored pressure ({problem!r}): {state!r}") from problem
        self.window, self.window_source = None if window is None else check_window(window), source
        if measure != self.encoder.name:
            return (
                f"the stored weights were measured by {measure}, these by {self.encoder.name}: "
                "the calibration starts anew"
            )
        self.overhead_tokens, self.observed, self._seen = overhead, observed, seen
        self._weights = self._measured.scaled(ratio)
        return None

    def _take(self, reported: int, in_messages: int, total: int) -> None:
        # The overhead is a whole number, so the ratio is that of the rest: then both add up exactly.
        self.overhead_tokens = round(self._measured_overhead * reported / total)
        self._weights = self._measured.scaled((reported - self.overhead_tokens) / in_messages)
        self._seen = self._seen.used(reported, total)
        self.observed += 1


def _input_tokens(usage: Any) -> int:
    if usage is None:
        return 0
    reported = (
        usage.get("input_tokens") if isinstance(usage, Mapping) else getattr(usage, "input_tokens", None)
    )
    if isinstance(reported, bool) or not isinstance(reported, int):
        raise UsageProblem(f"a usage with input_tokens, a whole number, is needed; got {usage!r}")
    return reported
