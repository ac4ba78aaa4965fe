"""A summarizer that asks a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from opencollab_nb.errors import LayerDeclined, ModelError, Overflow, UsageProblem
from opencollab_nb.models import Model, Reply
from opencollab_nb.models.asking import reply_of
from opencollab_nb.request import Request
from opencollab_nb.shaping.asking import added
from opencollab_nb.shaping.guarded import uncounted
from opencollab_nb.shaping.summary import Summary, SummaryRequest, refusal
from opencollab_nb.summarizers.pieces import pieces
from opencollab_nb.summarizers.prompt import PROMPT_VERSION, SYSTEM, question
from opencollab_nb.ticket import current_ticket
from opencollab_nb.tokens.estimate import estimate
from opencollab_nb.tokens.usage import Usage

INPUT_RATIO = 0.7
"""Share of the window that one call fills: the estimate errs by some percent, and framing comes on top."""
LEAST_PIECE_TOKENS = 200
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True)
class ModelSummarizer:
    """Asks `model` for the summary, without tools, and stops waiting when the step is cancelled.

    A text over the model's window goes in pieces, each summarized together with the summary of those
    before it; a refusal as too long halves the pieces. Nothing is left out of the question.

    Loss: all that the model leaves out. Model calls: one, more for a text over its window.

    Raises:
        UsageProblem: the model is the simulated agent, which writes no summaries.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> summarizer = ModelSummarizer(ScriptedModel(["The bug is in a.py."]))
    >>> summarizer.summarize(SummaryRequest("USER: where is the bug?", [])).text
    'The bug is in a.py.'
    """

    model: Model
    max_tokens: int = 2_000
    """Tokens the model is asked to keep to, where the request allows more; it may think in the rest."""

    def __post_init__(self) -> None:
        if getattr(self.model, "simulated", False):
            raise UsageProblem("the simulated agent writes no summaries; take ExtractiveSummarizer() instead")
        if self.max_tokens < 1:
            raise UsageProblem(f"max_tokens is a positive number of tokens, not {self.max_tokens!r}")

    @property
    def name(self) -> str:
        """The model's name."""
        return str(getattr(self.model, "name", type(self.model).__name__))

    @property
    def window(self) -> int | None:
        """The model's window in tokens, where it says so."""
        window: int | None = getattr(self.model, "window", None)
        return window

    @property
    def version(self) -> str:
        """Of the prompt."""
        return f"prompt {PROMPT_VERSION}"

    @property
    def fingerprint(self) -> str:
        """What the answers depend on besides the request: endpoint, model, prompt."""
        kind = type(self.model)
        source = f"{kind.__module__}.{kind.__qualname__}"
        endpoint = getattr(self.model, "base_url", "")
        return f"{source} {self.name} {endpoint} prompt {PROMPT_VERSION} {self.max_tokens}"

    @uncounted()
    def summarize(self, request: SummaryRequest) -> Summary:
        """The model's summary, with the usage of all its calls and the last finish reason.

        Raises:
            ModelError: from the model, where nothing was spent before.
            LayerDeclined: the same, with what the calls before it cost.
            StepCancelled: the current ticket was cancelled.
        """
        writing = _Writing(self, request)
        try:
            return writing.all_of(request.text, self.piece_tokens(request))
        except ModelError as problem:
            if writing.spent is None:
                raise
            cost = Summary("", writing.spent, model=writing.writer)
            raise LayerDeclined(f"the summarizer failed: {problem}", summary=cost) from problem

    def piece_tokens(self, request: SummaryRequest) -> int:
        """Tokens of the conversation that go into one call."""
        whole = estimate(request.text)
        if self.window is None:
            return whole
        beside = estimate(SYSTEM) + sum(map(estimate, request.anchors)) + 2 * request.max_tokens
        room = int(self.window * INPUT_RATIO) - beside
        return min(whole, max(room, LEAST_PIECE_TOKENS))


class _Writing:
    """One summary in the making."""

    def __init__(self, summarizer: ModelSummarizer, request: SummaryRequest) -> None:
        self.summarizer, self.request = summarizer, request
        self.former = request.former
        self.spent: Usage | None = None
        self.writer = summarizer.name

    def all_of(self, text: str, piece_tokens: int) -> Summary:
        """Piece after piece; what a refusal left over goes on in smaller ones."""
        parts = pieces(text, piece_tokens)
        summary = Summary("", None, "stop", self.writer)
        for number, part in enumerate(parts, 1):
            try:
                reply = self._ask(part, more=number < len(parts))
            except Overflow as problem:
                smaller = smaller_than(estimate(part), problem)
                if smaller is None:
                    raise
                return self.all_of("".join(parts[number - 1 :]), smaller)
            summary = self._read(reply)
            if refusal(summary):
                return summary
            self.former = summary.text
        return summary

    def _ask(self, text: str, *, more: bool) -> Reply:
        limit = self.request.max_tokens
        asked = question(
            text,
            former=self.former,
            anchors=self.request.anchors,
            max_tokens=min(limit, self.summarizer.max_tokens),
            more=more,
        )
        view: Any = ({"role": "system", "content": SYSTEM}, {"role": "user", "content": asked})
        call = Request(view, tools=(), max_output_tokens=limit, purpose="summary")
        return reply_of(self.summarizer.model, call, current_ticket())

    def _read(self, reply: Reply) -> Summary:
        if reply.usage is not None:
            self.spent = added(self.spent, reply.usage)
        message = reply.message
        finish = "tool_calls" if message.get("tool_calls") else reply.finish_reason
        content = message.get("content")
        text = _THOUGHTS.sub("", content if isinstance(content, str) else "").strip()
        self.writer = reply.model or self.writer
        return Summary(text, self.spent, finish, self.writer)


def smaller_than(refused_tokens: int, problem: Overflow) -> int | None:
    """Pieces for a model that refused one: half, or what its numbers allow; None when it is no use."""
    half = refused_tokens // 2
    if problem.window and problem.input_tokens and problem.input_tokens > problem.window:
        half = min(half, int(refused_tokens * problem.window / problem.input_tokens * INPUT_RATIO))
    return half if half >= LEAST_PIECE_TOKENS else None
