"""Summarizers for tests: programs, so that what they are asked can be looked at."""

from __future__ import annotations

import random

from opencollab_nb.shaping import SummaryRequest


def first_words(request: SummaryRequest) -> str:
    """The same answer to the same question, in any process."""
    return f"Summary: {(request.former or '')[:40]} {request.text[:60]}"


class Counting:
    """Answers with its number and keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[SummaryRequest] = []

    @property
    def calls(self) -> int:
        return len(self.requests)

    def __call__(self, request: SummaryRequest) -> str:
        self.requests.append(request)
        return f"summary {self.calls}: {request.text[:60]}"


class Unreliable(Counting):
    """Fails one time in five, and varies in length."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._rng = random.Random(seed)

    def __call__(self, request: SummaryRequest) -> str:
        if self._rng.random() < 0.2:
            self.requests.append(request)
            raise RuntimeError("rate limit")
        return super().__call__(request) + " fact" * self._rng.choice((3, 50))
