"""The laws, and whole projections, on recorded conversations."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.messages import Messages, covers_of, tool_calls_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, ToolOutputClearShaper, check_shaper, default_pipeline
from opencollab_nb.shaping.laws import accounted, paired
from tests.shaping.recorded import pi, tau_bench
from tests.shaping.shapers import NAMES, all_shapers
from tests.shaping.summarizers import first_words


@pytest.fixture(scope="module")
def conversations(shared: Path) -> list[Messages]:
    return [*tau_bench(shared), pi(shared)[:300]]


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_every_shaper_keeps_all_laws_on_recorded_conversations(
    number: int, conversations: list[Messages]
) -> None:
    report = check_shaper(all_shapers()[number], examples=0, transcripts=conversations, seed=number)
    assert report, report


@pytest.mark.parametrize("policy", ["default", "summarize"])
def test_the_pi_session_is_projected_step_by_step_and_stays_under_the_trigger(
    shared: Path, policy: str
) -> None:
    messages, pressure = pi(shared), Pressure.of(64_000)
    chain = default_pipeline(policy, summarizer=first_words)
    # Pi names its tools in its own way.
    named = [
        ToolOutputClearShaper(compactable_tools=frozenset({"read", "bash", "grep"}))
        if isinstance(s, ToolOutputClearShaper)
        else s
        for s in chain.shapers
    ]
    projection = Projection(type(chain)(*named))
    rounds = summaries = 0
    for end in range(1, len(messages) + 1):
        if tool_calls_of(messages[end - 1]) or (end < len(messages) and messages[end]["role"] == "tool"):
            continue
        got = projection.project(messages[:end], pressure)
        assert got.tokens <= pressure.trigger
        if got.changed:
            rounds += 1
            summaries += any(covers_of(m) for m in got.messages)
            assert accounted(messages[:end], got.messages) is None
            assert paired(messages[:end], got.messages) is None
    assert rounds >= 5
    assert summaries > 0 or policy == "default"
