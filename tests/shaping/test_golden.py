"""Golden requests of whole chains over one small session; see `tests/golden/README.md`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.messages import Messages, tool_calls_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import POLICIES, Projection, default_pipeline
from tests.shaping.summarizers import first_words

GOLDEN = Path(__file__).parents[1] / "golden"
PRESSURE = Pressure.of(2_048)
REGENERATE = bool(os.environ.get("REGENERATE_GOLDEN"))


def transcript() -> Messages:
    messages: Messages = json.loads((GOLDEN / "shaping_transcript.json").read_text(encoding="utf-8"))
    return messages


def last_request(policy: str, mode: str) -> dict[str, Any]:
    """What is sent at the end, and which layers acted at which message."""
    projection = Projection(default_pipeline(policy, summarizer=first_words, tool_result_budget=700), mode)
    messages, acted = transcript(), []
    for end in range(2, len(messages) + 1):
        if tool_calls_of(messages[end - 1]) or (end < len(messages) and messages[end]["role"] == "tool"):
            continue
        got = projection.project(messages[:end], PRESSURE)
        acted += [[end, r.layer, r.tokens_before, r.tokens_after] for r in got.reports]
    return {"tokens": got.tokens, "acted": acted, "messages": [wire(m) for m in got.messages]}


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
@pytest.mark.parametrize("policy", POLICIES)
def test_the_last_request_of_the_session_is_the_golden_one(policy: str, mode: str) -> None:
    request = last_request(policy, mode)
    file = GOLDEN / f"shaping_{policy}_{mode}.json"
    if REGENERATE:
        file.write_text(json.dumps(request, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert request == json.loads(file.read_text(encoding="utf-8"))


def test_the_session_makes_every_layer_act() -> None:
    acted = {layer for policy in POLICIES for _, layer, *_ in last_request(policy, "sticky")["acted"]}
    assert acted == {
        "ToolResultBudgetShaper",
        "ContextShedShaper",
        "ToolOutputClearShaper",
        "OldHistorySnipShaper",
        "AutoCompactShaper",
    }
