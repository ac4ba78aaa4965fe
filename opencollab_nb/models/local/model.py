"""A small real language model, behind a server of its own on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from opencollab_nb.errors import ModelUnavailable, UsageProblem
from opencollab_nb.models import Reply
from opencollab_nb.models.local.server import Served, check_installed, server_for
from opencollab_nb.models.local.weights import NAME, TRAINED_WINDOW, found
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket, told

LEAST_WINDOW = 1_024
REPLY_TOKENS = 512
"""A small model does not always find an end."""


class LocalModel:
    """SmolLM2-135M-Instruct, or weights of your own in the GGUF format, run by llama.cpp in a child process.

    It has a tokenizer of its own, reports real usage, refuses what is over its window in a provider's
    words, and writes real if weak summaries. It is far too small to work as an agent: what it shows is
    how the rest behaves with a real model. The same request gets the same reply.

    The child is started at the first reply (seconds), listens on 127.0.0.1 with a key of its own, is
    shared by models with the same settings, and ends with this process.

    Args:
        weights: a GGUF file; else those that `python -m opencollab_nb.models.local` gets (98 MB, once).
        window: context window in tokens.
        max_output_tokens: limit of each reply that the request does not limit itself.
        threads: of the computation; by default half of the processors.
        timeout_seconds: how long a reply may take.

    Raises:
        UsageProblem: the extra `local` or the weights are not there, or a window that cannot be.
    """

    simulated = False

    def __init__(
        self,
        weights: str | Path | None = None,
        *,
        window: int = TRAINED_WINDOW,
        max_output_tokens: int = REPLY_TOKENS,
        threads: int | None = None,
        timeout_seconds: float = 600.0,
    ) -> None:
        check_installed()
        file = found() if weights is None else Path(weights).expanduser().resolve()
        if not file.is_file():
            raise UsageProblem(f"{file} is no file of weights")
        most = TRAINED_WINDOW if weights is None else None
        if isinstance(window, bool) or not isinstance(window, int) or window < LEAST_WINDOW:
            raise UsageProblem(f"window is a number of tokens from {LEAST_WINDOW:,} up, not {window!r}")
        if most is not None and window > most:
            raise UsageProblem(f"{NAME} was trained with a window of {most:,} tokens; {window:,} is too much")
        for what, value in (("max_output_tokens", max_output_tokens), ("threads", threads)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise UsageProblem(f"{what} is a positive number, not {value!r}")
        self.name = NAME if weights is None else file.stem
        self.window, self.max_output_tokens, self.timeout_seconds = window, max_output_tokens, timeout_seconds
        self._given = None if weights is None else str(file)
        self._server = server_for(Served(str(file), self.name, window, threads or half_of_the_processors()))

    @property
    def label(self) -> str:
        """How views name it."""
        return f"{self.name} on this machine"

    @property
    def server(self) -> Any:
        """The child process that answers."""
        return self._server

    def __repr__(self) -> str:
        return f"LocalModel({self._given or self.name!r}, window={self.window})"

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self._given, self.window, self.max_output_tokens, self.timeout_seconds)

    def __deepcopy__(self, memo: object) -> LocalModel:
        return self

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """Ask the child; one that has died is started again, once.

        Raises:
            Overflow: the request is over the window.
            MalformedHistory: the model's template does not take its form.
            ModelUnavailable: no usable answer.
            StepCancelled: the ticket was cancelled.
        """
        try:
            return self._asked(request, cancel)
        except ModelUnavailable as problem:
            if self._server.alive:
                raise
            told(cancel, f"the local server has ended ({problem}); it is started again")
            return self._asked(request, cancel)

    def close(self) -> None:
        """End the child, for all models that share it; the next reply starts another."""
        self._server.close()

    def _asked(self, request: Request, cancel: Ticket | None) -> Reply:
        address = self._server.address(cancel)
        asked = OpenAIModel(
            self.name,
            base_url=f"{address}/v1",
            api_key=self._server.key,
            window=self.window,
            max_output_tokens=self.max_output_tokens,
            timeout_seconds=self.timeout_seconds,
            retries=Retries(at_most=1),
        )
        return asked.reply(request, cancel=cancel)


def half_of_the_processors() -> int:
    """Those of this process. Threads that wait for each other are slow where something else runs too."""
    usable = getattr(os, "sched_getaffinity", None)
    return max(1, (len(usable(0)) if usable else os.cpu_count() or 1) // 2)


def restored(weights: str | None, window: int, max_output_tokens: int, timeout_seconds: float) -> LocalModel:
    """Unpickle: with a server of this process."""
    return LocalModel(
        weights, window=window, max_output_tokens=max_output_tokens, timeout_seconds=timeout_seconds
    )
