"""Runs for the tests of known faults: every chain of the house, under limits that the transcript breaks."""

from __future__ import annotations

from collections.abc import Iterator

from opencollab_nb.messages import Message, Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import OldHistorySnipShaper, ShaperPipeline, default_pipeline
from opencollab_nb.shaping.check import broken_laws
from opencollab_nb.shaping.groups import groups
from tests.build import numbered
from tests.shaping.summarizers import first_words

LONG = "a line of output\n" * 60


def chains() -> list[ShaperPipeline]:
    return [
        default_pipeline(),
        default_pipeline(summarizer=first_words),
        default_pipeline("summarize", summarizer=first_words),
        ShaperPipeline(OldHistorySnipShaper(1)),
    ]


def tight(messages: Messages) -> Iterator[Pressure]:
    """Over the trigger, in a round, and forced."""
    total = Pressure.of().tokens(messages)
    wide = Pressure.of(200_000)
    over = Pressure.of(200_000, overhead_tokens=wide.trigger - total + 1)
    yield over
    yield over.in_round()
    yield wide.after_refusal(messages)
    yield Pressure.of(1_024, overhead_tokens=700, forced=True)


def outcomes(messages: list[Message]) -> Iterator[tuple[Messages, Messages]]:
    """(input, output) of every chain under every pressure; no law is broken on the way."""
    transcript = numbered(messages)
    for chain in chains():
        for pressure in tight(transcript):
            assert broken_laws(chain, transcript, pressure) == {}
            yield transcript, chain.shape(transcript, pressure)


def whole(messages: Messages) -> bool:
    """Every group is closed and no result is a stray."""
    return not any(group.open or group.stray for group in groups(messages))
