"""The chain of a session, given as shapers, by name or as a mapping."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.errors import SpecificationError
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline, default_pipeline
from opencollab_nb.summarizers import ExtractiveSummarizer
from tests.session.build import a_session

SUMMARIZING = [
    ["summarize"],
    [default_pipeline("summarize")],
    [default_pipeline("summarize", tool_result_budget=900)],
    [*default_pipeline("summarize").shapers],
    [list(default_pipeline("summarize").shapers)],
    [{"policy": "summarize", "tool_result_budget": 900}],
]


def compacting(chain: ShaperPipeline) -> Any:
    (layer,) = (s for s in chain.shapers if isinstance(s, AutoCompactShaper))
    return layer.summarizer


@pytest.mark.parametrize("parts", SUMMARIZING, ids=lambda parts: type(parts[0]).__name__)
def test_the_summarizing_chain_has_a_summarizer_however_it_is_given(parts: list[Any]) -> None:
    session = a_session()
    session.use(*parts)
    assert isinstance(session.summarizer, ExtractiveSummarizer)
    assert compacting(session.chain) is session.summarizer


@pytest.mark.parametrize(
    "given",
    [
        {"shapers": default_pipeline("summarize")},
        {"shapers": default_pipeline("summarize").shapers},
        {"policy": {"policy": "summarize"}},
    ],
    ids=["a chain", "its shapers", "a policy"],
)
def test_so_it_has_from_the_start(given: dict[str, Any]) -> None:
    session = a_session(**given)
    assert isinstance(session.summarizer, ExtractiveSummarizer)
    assert compacting(session.chain) is session.summarizer


def mine(request: Any) -> str:
    return "short"


def test_the_summarizer_of_the_session_or_of_the_layer_comes_first() -> None:
    session = a_session(summarizer=mine)
    session.use(default_pipeline("summarize"))
    assert compacting(session.chain) is session.summarizer is mine
    other = a_session(shapers=default_pipeline("summarize", summarizer=mine))
    assert compacting(other.chain) is mine
    assert other.summarizer is None


def test_another_chain_without_a_summarizer_stays_without() -> None:
    assert a_session(shapers=[AutoCompactShaper()]).summarizer is None
    assert a_session(shapers=default_pipeline()).summarizer is None
    assert a_session(shapers=[]).summarizer is None


def test_a_mapping_is_a_policy_and_its_keys_are_checked() -> None:
    session = a_session(policy={"policy": "no_history_compaction", "mode": "stateless"})
    assert (session.policy, session.mode) == ("no_history_compaction", "stateless")
    session.use({"policy": "default", "tool_result_budget": 900, "target_ratio": 0.5})
    assert session.chain == default_pipeline(tool_result_budget=900)
    assert (session.policy, session.pressure.target_ratio) == ("default", 0.5)
    for bad in ({"polcy": "default"}, {"policy": "defualt"}, {1: 2}):
        with pytest.raises(SpecificationError):
            session.use(bad)
    assert session.policy == "default"
