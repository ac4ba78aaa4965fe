"""Asking a summarizer: in one call, or in chunks, each carried on from the summary of those before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from opencollab_nb.errors import LayerDeclined, Overflow, StepCancelled
from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure, history_trigger_target
from opencollab_nb.shaping.flat import chunks
from opencollab_nb.shaping.summary import Summarizer, Summary, SummaryRequest, ask, refusal
from opencollab_nb.tokens.usage import Usage

_HALVINGS = 3
"""Smaller chunks to try after a refusal as too long, each half the last."""


@dataclass
class Asking:
    """One summary in the making, and what it has cost so far."""

    summarizer: Summarizer
    anchors: tuple[str, ...]
    max_tokens: int
    paid: Usage | None = None

    def about(self, messages: Messages, former: str | None, pressure: Pressure) -> Summary:
        """The summary of these messages, carried on from `former`; its usage is that of all calls.

        Raises:
            LayerDeclined: the summarizer failed, or its answer is no summary; with what it cost.
        """
        refused: Overflow | None = None
        for chunk_tokens in _chunk_sizes(self.summarizer, pressure):
            try:
                return self._chunk_by_chunk(messages, former, chunk_tokens, pressure)
            except Overflow as error:
                refused = error
        raise self._declined(f"the summarizer refused even short texts: {refused}") from refused

    def _chunk_by_chunk(
        self, messages: Messages, former: str | None, chunk_tokens: int | None, pressure: Pressure
    ) -> Summary:
        answer = Summary(former or "")
        for chunk in chunks(messages, chunk_tokens, pressure):
            carried = answer.text or None
            request = SummaryRequest(chunk.text, chunk.messages, self.anchors, carried, self.max_tokens)
            answer = self._answer(request)
        return answer

    def _answer(self, request: SummaryRequest) -> Summary:
        try:
            answer = ask(self.summarizer, request)
        except Overflow:
            raise
        except LayerDeclined as declined:
            if isinstance(declined.summary, Summary):
                self.paid = added(self.paid, declined.summary.usage)
            raise self._declined(str(declined)) from declined
        except (KeyboardInterrupt, StepCancelled):
            raise
        except BaseException as error:  # `sys.exit()`, or a task of theirs that was cancelled, ends no run
            raise self._declined(f"the summarizer failed: {type(error).__name__}: {error}") from error
        self.paid = added(self.paid, answer.usage)
        answer = replace(answer, usage=self.paid)
        if reason := refusal(answer):
            raise LayerDeclined(reason, summary=answer)
        return answer

    def _declined(self, reason: str) -> LayerDeclined:
        return LayerDeclined(reason, summary=Summary("", self.paid) if self.paid else None)


def _chunk_sizes(summarizer: Summarizer, pressure: Pressure) -> Iterator[int | None]:
    """Input tokens of one call, from the largest to try to the smallest.

    First the target of the summarizer's own window; where that is not known, all in one call, and
    in a forced pass the lowered target of the session.
    """
    window = getattr(summarizer, "window", None)
    first = history_trigger_target(window)[1] if window else pressure.target if pressure.forced else None
    yield first
    size = min(first or pressure.trigger, pressure.trigger)
    for _ in range(_HALVINGS):
        size //= 2
        yield size


def added(paid: Usage | None, more: Usage | None) -> Usage | None:
    """The sum of two usages, of which either may be unknown.

    >>> added(Usage(1, 0, 2), Usage(3)), added(None, None)
    (Usage(input_tokens=4, cached_input_tokens=0, output_tokens=2, reasoning_tokens=0), None)
    """
    if paid is None or more is None:
        return paid or more
    return Usage(*(getattr(paid, f.name) + getattr(more, f.name) for f in fields(Usage)))
