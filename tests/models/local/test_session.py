"""Sessions with the real local model: its usage, its window, its summaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import LocalModel, ModelSummarizer, RoutedModel, Session
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from tests.session.build import Tools, calling, echo, tool_call

pytestmark = pytest.mark.usefixtures("local_weights")
NAME = "SmolLM2-135M-Instruct"


def looking(steps: int, *, times: int = 6) -> ScriptedModel:
    """An agent that reads one file after the other."""
    said = "File notes_{0}.py holds the function parse_{0}, which returns the total of column {0}. "
    return ScriptedModel(
        [calling(tool_call(call_id=f"c{n}", text=said.format(n), times=times)) for n in range(1, steps + 1)],
        usage="count",
    )


def a_session(model: Any, **settings: Any) -> Session:
    settings.setdefault("workspace", Tools(echo=echo))
    settings.setdefault("system", "You are a coder.")
    return Session("Find the function parse_4.", model=model, **settings)


def test_its_usage_calibrates_the_pressure(local_weights: Path) -> None:
    model = LocalModel(window=1_024)
    session = a_session(model, workspace=None, system="rule 7: 数える λ_x. " * 30, max_output_tokens=4)
    assert session.pressure.source != "calibrated"
    step = session.step()
    reported = [e for e in session.trace.of("usage") if e["reported"]]
    assert len(reported) == 1
    assert session.pressure.source == "calibrated"
    assert session.pressure.ratio > 1.1, "its tokens are not those of tiktoken"
    weighed = session.pressure.snapshot().tokens(step.request.shaped)
    assert weighed == reported[0]["input_tokens"] == step.usage.input_tokens
    session.close()


def test_its_overflow_is_recovered_by_the_forced_pass_and_its_window_is_learnt(local_weights: Path) -> None:
    scripted, local = looking(7, times=14), LocalModel(window=2_048)

    def rule(request: Request) -> Any:
        read = sum(m["role"] == "assistant" for m in request.messages)
        return scripted if read < 7 and len(scripted.requests) < 7 else local

    session = a_session(RoutedModel(rule), window=100_000, max_output_tokens=8)
    session.run(8)
    assert session.state == "paused", session.detail
    [forced] = [e for e in session.trace.of("request") if e["forced"]]
    refused = session.trace.of("request")[forced["step"] - 1]
    assert refused["tokens"] > 2_048 > forced["tokens"]
    assert session.pressure.window == 2_048
    assert session.pressure.window_source == "learnt"
    assert any("2,048 tokens" in e["text"] for e in session.trace.of("notice"))
    assert [e["model"] for e in session.trace.of("reply")] == ["scripted"] * 7 + [NAME]
    assert session.trace.of("usage")[-1]["reported"]
    session.close()


def test_a_long_text_goes_to_it_in_pieces_that_fit(local_weights: Path) -> None:
    from opencollab_nb.shaping import SummaryRequest

    summarizer = ModelSummarizer(LocalModel(window=1_024))
    text = "USER: look at notes_1.py.\n\n" * 60
    summary = summarizer.summarize(SummaryRequest(text, [], max_tokens=60))
    assert summary.usage is not None
    assert summary.model == NAME
