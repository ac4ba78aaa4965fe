"""A summarizer whose calls are booked like every other model call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from opencollab_nb.budget.offload import OffloadShaper
from opencollab_nb.errors import LayerDeclined
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.originals import Originals
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline, Summary, SummaryRequest
from opencollab_nb.shaping.summary import fingerprint_of
from opencollab_nb.ticket import current_ticket
from opencollab_nb.tokens.estimate import estimate
from opencollab_nb.tokens.usage import Usage

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench


class Booked:
    """Stands between a compacting layer and its summarizer.

    Each call is looked at before (the token budget) and booked after, before anything that uses its
    answer. A call whose step was cancelled books nothing: that was done when it was left behind.
    """

    def __init__(self, summarizer: Any, bench: Bench) -> None:
        self.summarizer, self._bench = summarizer, bench
        self.fingerprint = fingerprint_of(summarizer)
        self.window = getattr(summarizer, "window", None)

    def __repr__(self) -> str:
        return f"Booked({self.summarizer!r})"

    def summarize(self, request: SummaryRequest) -> str | Summary:
        """The summarizer's answer, its usage booked as `summary`.

        Raises:
            LayerDeclined: the token budget is spent.
            StepCancelled: the step was cancelled meanwhile.
        """
        bench, ticket = self._bench, current_ticket()
        asked_tokens = estimate(request.text) + estimate(request.former or "")
        with bench.lock:
            if ticket:
                ticket.check()
            refusal = bench.ledger.refusal(asked_tokens)
            if refusal:
                raise LayerDeclined(f"no summary: {refusal}")
            outer, bench.ledger.flying = bench.ledger.flying, ("summary", asked_tokens)
        try:
            ask: Any = getattr(self.summarizer, "summarize", self.summarizer)
            answer = without_secrets(ask(request))
        except Exception:
            with bench.lock:
                if ticket:
                    ticket.check()
                bench.ledger.flying = outer
            raise
        with bench.lock:
            if ticket:
                ticket.check()
            self._book(answer, asked_tokens)
            bench.ledger.flying = outer
        return answer  # type: ignore[no-any-return]

    def _book(self, answer: Any, asked_tokens: int) -> None:
        reported = getattr(answer, "usage", None)
        if reported is not None:
            self._bench.book("summary", reported, reported=True)
        elif not isinstance(answer, Summary):
            text = answer if isinstance(answer, str) else ""
            self._bench.book("summary", Usage(asked_tokens, 0, estimate(text)), reported=False)
        elif answer.model is not None:
            self._bench.book("summary", Usage(asked_tokens, 0, estimate(answer.text)), reported=False)
        # A `Summary` of no model and without usage was written by a program: it costs no tokens.


def without_secrets(answer: Any) -> Any:
    """A summarizer may know what the transcript does not hold."""
    if isinstance(answer, Summary) and isinstance(answer.text, str):
        return replace(answer, text=KNOWN.struck(answer.text))
    return KNOWN.struck(answer) if isinstance(answer, str) else answer


def with_summarizer(chain: ShaperPipeline, summarizer: Any, *, only_empty: bool = False) -> ShaperPipeline:
    """The chain with this summarizer in every `AutoCompactShaper`, or in those that have none."""

    def fitted(shaper: Any) -> Any:
        if not isinstance(shaper, AutoCompactShaper) or (only_empty and shaper.summarizer is not None):
            return shaper
        return shaper if shaper.summarizer is summarizer else replace(shaper, summarizer=summarizer)

    return ShaperPipeline(*map(fitted, chain.shapers))


def booked(chain: ShaperPipeline, bench: Bench, made: dict[int, tuple[Any, Any]]) -> ShaperPipeline:
    """The chain as it runs: every summarizer behind a `Booked`, every pointer read back from the transcript.

    Args:
        chain: as the user gave it.
        bench: where usage is booked.
        made: shapers wrapped before, by their id, so that a chain taken up again finds its summaries.
    """

    def wrapped(shaper: Any) -> Any:
        offloads = isinstance(shaper, OffloadShaper)
        if not offloads and (not isinstance(shaper, AutoCompactShaper) or shaper.summarizer is None):
            return shaper
        if id(shaper) not in made:
            more: dict[str, Any] = (
                {"read_back": Originals(bench.transcript).text}
                if offloads
                else {"summarizer": Booked(shaper.summarizer, bench)}
            )
            made[id(shaper)] = (shaper, replace(shaper, **more))
        return made[id(shaper)][1]

    return ShaperPipeline(*map(wrapped, chain.shapers))
