"""All laws hold for offloading, in any setting, alone and before the cap."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings

from opencollab_nb.budget.offload import OffloadShaper
from opencollab_nb.messages import Messages, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import ShaperPipeline, ToolResultBudgetShaper, check_shaper, default_pipeline
from opencollab_nb.shaping.check import broken_laws
from tests.shaping.strategies import cases
from tests.shaping.summarizers import first_words


def chains() -> list[Any]:
    return [
        OffloadShaper(),
        OffloadShaper(1, 0),
        OffloadShaper(60, 10),
        OffloadShaper(300, 100),
        OffloadShaper(3_000, read_back=lambda own: None),
        ShaperPipeline(OffloadShaper(300, 100), ToolResultBudgetShaper(100)),
        ShaperPipeline(
            OffloadShaper(900, 300), *default_pipeline("summarize", summarizer=first_words).shapers
        ),
    ]


NUMBERS = range(len(chains()))


@pytest.mark.parametrize("number", NUMBERS)
@given(case=cases())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_offloading_keeps_all_laws(number: int, case: tuple[Messages, Pressure]) -> None:
    messages, pressure = case
    assert broken_laws(chains()[number], messages, pressure) == {}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_seeded_samples_say_the_same(number: int) -> None:
    report = check_shaper(chains()[number], examples=60, seed=number)
    assert report, report


class ClearsAllButTwo:
    """Spares two groups and says that it spares one: it cannot be run group by group."""

    acts: ClassVar[str] = "each"
    spares_newest: ClassVar[bool] = True

    def shape(self, messages: Messages, pressure: Pressure) -> Messages:
        results = [at for at, m in enumerate(messages) if m.get("role") == "tool"]
        old = [at for at in results[:-2] if len(str(messages[at].get("content"))) > 99]
        return (
            [with_content(m, "gone") if at in old else m for at, m in enumerate(messages)]
            if old
            else messages
        )


def test_a_layer_that_spares_more_than_it_says_is_caught() -> None:
    assert "local" in check_shaper(ClearsAllButTwo(), examples=60).failures
