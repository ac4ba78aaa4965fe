"""Our chains as compactors of the outside suite `compaction-conformance-kit`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from opencollab_nb import Pressure, ShaperPipeline, default_pipeline
from opencollab_nb.messages import Message, Messages, text_of
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.tokens.estimate import estimate

LEAST_WINDOW = 1_024


CHAINS = ("default", "summarize")
"""The chains that can compact a conversation without tools."""


class ChainCompactor:
    """One chain, a forced pass a round.

    The suite hands each round the text of the round before as one system message; a chain goes on from its
    own view instead, which is what a session does. Every message is written out with its role.

    Args:
        policy: the chain's.
        said_by_user: label what users say as a session does; else as in a list from elsewhere.
        window: tokens; None for one as large as the suite's budget allows, or the least there is.
    """

    def __init__(self, policy: str, *, said_by_user: bool, window: int | None = None) -> None:
        self.name, self._said_by_user, self._window = policy, said_by_user, window
        self._chain, self._view, self._last = ShaperPipeline(), Messages(), ""

    def compact(self, turns: list[Any], round_num: int = 1, budget_chars: int | None = None) -> Any:
        from compaction_kit import CompactedContext

        if [turn.text for turn in turns] != [self._last]:
            # Another run begins: what was summarized in the one before is none of its business.
            self._chain = default_pipeline(self.name, summarizer=ExtractiveSummarizer())
            self._view = [self._message(at, turn) for at, turn in enumerate(turns)]
        pressure = Pressure.of(self._window or LEAST_WINDOW)
        if budget_chars is not None:
            room = estimate("x" * budget_chars)
            pressure = replace(pressure, trigger=max(2, room), target=max(1, room * 3 // 4))
        self._view = self._chain.shape(self._view, replace(pressure, forced=True))
        self._last = "\n".join(f"[{m['role']}] {text_of(m)}" for m in self._view)
        return CompactedContext(self._last, self.name, round_num)

    def _message(self, at: int, turn: Any) -> Message:
        meta: dict[str, Any] = {"id": at}
        if self._said_by_user and turn.role == "user":
            meta["source"] = "user"
        return {"role": turn.role, "content": turn.text, "meta": meta}
