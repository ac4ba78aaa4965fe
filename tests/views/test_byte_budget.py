"""How much goes to the browser: little, and no more late than early."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.panel import Panel
from tests.build import call
from tests.views.wire import Browser, CountingComm

STEPS = 2_000
MOST_BYTES_A_STEP = 2_000
MOST_BYTES_OF_A_FULL = 120_000
WORDS = "what the agent has to say about the files it has read, and so on, at length " * 4


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


def keep_calling(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    calls = [call("bash", {"command": WORDS}, f"a{number}"), call("grep", {"pattern": WORDS}, f"b{number}")]
    return {"content": WORDS, "tool_calls": calls}


def test_a_step_costs_the_browser_little_however_long_the_session() -> None:
    session = Session("Go on.", model=ScriptedModel(keep_calling, usage="count"), window=16_000)
    panel = Panel(session)
    browser = Browser(panel)
    browser.ready()
    at = [browser.bytes]
    session.subscribe(lambda event: panel.flush() and None)  # a flush at every event: no two share one
    for _ in range(4):
        session.run(STEPS // 4)
        at.append(browser.bytes)
    quarters = [(b - a) / (STEPS // 4) for a, b in pairwise(at)]
    print("bytes a step by quarter:", quarters, "full:", len(json.dumps(browser.ready())))
    assert max(quarters) <= MOST_BYTES_A_STEP
    assert quarters[-1] <= 1.1 * quarters[0]
    assert len(json.dumps(browser.ready())) <= MOST_BYTES_OF_A_FULL
    saved = json.dumps(panel.widget.get_state(), default=str)
    assert WORDS[:30] not in saved
    assert len(saved) < 116_000
    panel.close()
    session.close()
