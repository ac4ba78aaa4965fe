"""What OpenHands reports of its model calls, wherever a version puts it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import count, mapping, sequence, text
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.tokens.usage import Usage

_COUNTS = (
    "prompt_tokens",
    "completion_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)


class Reports:
    """The reports of a run: rows by the id of the response, or running sums on its events.

    Args:
        beside: what stands beside the events: `metrics` of an evaluation, `stats` of a conversation's state.
        events: the events; some state updates hold `stats` too.

    >>> row = {"prompt_tokens": 90, "completion_tokens": 5, "cache_read_tokens": 80, "response_id": "r1"}
    >>> Reports({"metrics": {"token_usages": [row]}}, []).of("r1").cached_input_tokens
    80
    """

    def __init__(self, beside: Mapping[str, Any], events: list[dict[str, Any]]) -> None:
        self._by_id: dict[str, dict[str, Any]] = {}
        self._without_id: list[dict[str, Any]] = []
        self._metrics(mapping(beside.get("metrics")))
        self._stats(mapping(beside.get("stats")))
        for event in events:
            value = mapping(event.get("value"))
            self._stats(value if event.get("key") == "stats" else mapping(value.get("stats")))
        self._sum: dict[str, Any] = {}

    @property
    def window(self) -> int | None:
        """The context window, where a row tells it."""
        rows = [*self._by_id.values(), *self._without_id]
        return max((count(row.get("context_window")) or 0 for row in rows), default=0) or None

    def of(self, response_id: Any) -> Usage | None:
        """What was reported for a response."""
        return usage_of(self._by_id.get(text(response_id)))

    def model_of(self, response_id: Any) -> str | None:
        """The model that a row names."""
        return text(mapping(self._by_id.get(text(response_id))).get("model")) or None

    def since(self, running: Any) -> Usage | None:
        """What one call added to the running sum on its event; None where more than one call did.

        The sum says how many tokens its last call took, which tells one call from several.

        >>> sums = {"prompt_tokens": 90, "completion_tokens": 5, "per_turn_token": 95}
        >>> Reports({}, []).since({"accumulated_token_usage": sums}).input_tokens
        90
        """
        total = mapping(mapping(running).get("accumulated_token_usage"))
        if not total:
            return None
        added = {key: (count(total.get(key)) or 0) - (count(self._sum.get(key)) or 0) for key in _COUNTS}
        self._sum = total
        last = count(total.get("per_turn_token"))
        if min(added.values()) < 0 or (last and last != added["prompt_tokens"] + added["completion_tokens"]):
            return None
        return usage_of(added)

    def put_in_order(self, draft: Draft) -> None:
        """Rows without ids belong to the replies in order, where there is one for each."""
        replies = [
            message["meta"]["id"] for message in draft.messages if message["meta"]["source"] == "reply"
        ]
        if len(self._without_id) == len(replies) and not self._by_id:
            for reply, row in zip(replies, self._without_id, strict=True):
                draft.usage(reply, usage_of(row))

    def _stats(self, stats: Mapping[str, Any]) -> None:
        for metrics in mapping(stats.get("usage_to_metrics")).values():
            self._metrics(mapping(metrics))

    def _metrics(self, metrics: Mapping[str, Any]) -> None:
        rows = [row for row in sequence(metrics.get("token_usages")) if isinstance(row, dict)]
        self._by_id |= {text(row["response_id"]): row for row in rows if text(row.get("response_id"))}
        plain = [row for row in rows if not text(row.get("response_id"))]
        # A later state repeats the rows of those before it.
        self._without_id = max(self._without_id, plain, key=len)
