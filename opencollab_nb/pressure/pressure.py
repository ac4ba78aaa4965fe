"""How full a request is, at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from opencollab_nb.pressure.limits import TARGET_RATIO, check_tokens, history_trigger_target
from opencollab_nb.tokens.estimate import weigh as local_estimate
from opencollab_nb.tokens.weights import Weights


@dataclass(frozen=True, slots=True)
class Pressure:
    """The limits and weights that shapers act by: a value, made anew for each request.

    >>> pressure = Pressure.of(16_000)
    >>> pressure.trigger, pressure.target
    (10000, 7500)
    >>> long = [{"role": "user", "content": "word " * 4_800}]
    >>> pressure.tokens(long), pressure.over(long), pressure.in_round().over(long)
    (8004, False, True)
    """

    window: int | None
    """Context window in tokens; None where it is unknown."""
    trigger: int
    """Input tokens above which a round of shaping begins."""
    target: int
    """Input tokens that a round works down to."""
    weigh: Weights = field(default_factory=Weights, compare=False, repr=False)
    """Tokens of one message."""
    overhead_tokens: int = 0
    """Tokens of every request that are in no message: tool schemas and framing."""
    forced: bool = False
    """True after a refusal: every layer removes all it may."""
    round_open: bool = False
    """True inside a round: the limit is the target."""
    _known: tuple[object, int] = field(default=(None, 0), compare=False, repr=False)

    @classmethod
    def of(
        cls,
        window: int | None = None,
        *,
        weigh: Callable[[Any], int] | None = None,
        max_output_tokens: int = 0,
        overhead_tokens: int = 0,
        target_ratio: float = TARGET_RATIO,
        reserve_tokens: int | None = None,
        buffer_tokens: int | None = None,
        forced: bool = False,
    ) -> Pressure:
        """The pressure of a context window; see `history_trigger_target` for the arguments.

        Args:
            window: tokens, or None where it is unknown.
            weigh: message -> tokens; by default the local estimate.
            max_output_tokens: limit of one reply.
            overhead_tokens: tokens of every request that are in no message.
            target_ratio: the target's share of the trigger.
            reserve_tokens: kept free for the reply, instead of the computed reserve.
            buffer_tokens: kept free for what estimates miss, instead of the computed buffer.
            forced: ask every layer to remove all it may.

        Raises:
            UsageProblem: (a ValueError) numbers that leave nothing to fill.
        """
        trigger, target = history_trigger_target(
            window,
            max_output_tokens=max_output_tokens,
            target_ratio=target_ratio,
            reserve_tokens=reserve_tokens,
            buffer_tokens=buffer_tokens,
        )
        overhead_tokens = check_tokens("overhead_tokens", overhead_tokens)
        weights = weigh if isinstance(weigh, Weights) else Weights(weigh or local_estimate)
        return cls(None if window is None else int(window), trigger, target, weights, overhead_tokens, forced)

    def __post_init__(self) -> None:
        given: Any = self.weigh
        if not isinstance(given, Weights):
            object.__setattr__(self, "weigh", Weights(given))

    @property
    def limit(self) -> int:
        """What `over` compares with: the trigger, inside a round or a forced pass the target."""
        return self.target if self.round_open or self.forced else self.trigger

    def tokens(self, messages: Iterable[Mapping[str, Any]]) -> int:
        """Input tokens of a request with these messages: overhead and all weights."""
        known, total = self._known
        return total if messages is known else self.overhead_tokens + self.weigh.total(messages)

    def weight(self, messages: Iterable[Mapping[str, Any]]) -> int:
        """Tokens of these messages alone, without the overhead."""
        return self.weigh.total(messages)

    def over(self, messages: Iterable[Mapping[str, Any]]) -> bool:
        """True when there is something to remove: more than the limit, and always when forced."""
        return self.forced or self.tokens(messages) > self.limit

    def in_round(self) -> Pressure:
        """The same pressure inside a round: over means over the target."""
        return self if self.round_open else replace(self, round_open=True)

    def knowing(self, messages: Iterable[Mapping[str, Any]], total: int) -> Pressure:
        """The same pressure, told the tokens of one list, so that a chain adds up each list once."""
        return replace(self, _known=(messages, total))

    def after_refusal(self, messages: Iterable[Mapping[str, Any]]) -> Pressure:
        """The forced pressure for a request that the provider refused as too long.

        The target is at most half of what was refused, by our own measure: a provider that refuses
        what we thought to be under the trigger counts more than we do.
        """
        return replace(self, forced=True, target=max(1, min(self.target, self.tokens(messages) // 2)))
