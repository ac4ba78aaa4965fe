"""How much goes to the page and into the file: a tutorial run ten times, a long stream, one huge result."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.panel import Panel
from tests.build import call
from tests.views.wire import Browser, CountingComm

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
MOST_SAVED_BYTES = 200_000
MOST_BYTES_A_POINT = 200
POINTS, STEPS_A_FLUSH = 5_000, 10
FIVE_MB = 5_000_000


@pytest.fixture(scope="module")
def ten_times(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tutorial, all of its cells run ten times in one kernel; the state of all widgets kept."""
    book = nbformat.read(NOTEBOOKS / "01_quickstart.ipynb", as_version=4)
    for cell in book.cells:
        cell.source = cell.source.replace(" --pace 0.1", "")
    folder = tmp_path_factory.mktemp("tutorial")
    client = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENCOLLAB_NB_HOME", str(folder))
        with client.setup_kernel():
            for _ in range(10):
                for number, cell in enumerate(book.cells):
                    client.execute_cell(cell, number)
        client.set_widgets_metadata()
    return book


def test_fault_17_a_tutorial_run_ten_times_stays_under_200_kb(ten_times: Any) -> None:
    state = ten_times.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert len(state) >= 10, "the state of every panel that ever was is there"
    size = len(nbformat.writes(ten_times).encode())
    print(
        f"saved after ten runs: {size:,} bytes, {len(json.dumps(state)):,} of them for {len(state)} widgets"
    )
    assert size < MOST_SAVED_BYTES


def test_fault_17_no_bundle_and_no_transcript_is_in_the_state_of_widgets(ten_times: Any) -> None:
    saved = json.dumps(ten_times.metadata.widgets)
    state = ten_times.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert max(len(json.dumps(one)) for one in state.values()) < 5_000
    for word in ("oc-panel", "parcelkit", "file_read", "tool_calls"):
        assert word not in saved


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


def keep_calling(request: Any) -> dict[str, Any]:
    return {"content": "on", "tool_calls": [call("grep", {"pattern": "x"}, f"a{len(request.messages)}")]}


def test_fault_20_five_thousand_points_cost_the_same_early_and_late(wire: None) -> None:
    session = Session("Go on.", model=ScriptedModel(keep_calling, usage="count"), window=16_000)
    session.run(2)
    events = [event for event in session.trace.events if event["step"] == 2]
    number = len(session.trace.events)
    panel = Panel(session)
    browser = Browser(panel)
    browser.ready()
    at, first = [browser.bytes], len(browser.messages)
    for step in range(3, POINTS + 3):
        for event in events:
            number += 1
            panel.feed.inbox.append(another(event, step, number))
        if step % STEPS_A_FLUSH == 2:
            panel.flush()
        if (step - 2) % (POINTS // 4) == 0:
            at.append(browser.bytes)
    quarters = [(b - a) / (POINTS // 4) for a, b in pairwise(at)]
    print("bytes a point by quarter:", quarters)
    assert max(quarters) < MOST_BYTES_A_POINT
    assert max(quarters) < 1.1 * min(quarters)
    added = browser.messages[first:]
    assert len(added) == POINTS // STEPS_A_FLUSH, "one message a flush"
    assert [row[0] for message in added for row in message["rows"]] == list(range(3, POINTS + 3))
    panel.close()
    session.close()


def another(event: dict[str, Any], step: int, number: int) -> dict[str, Any]:
    """The event as a later step would have written it."""
    if event["kind"] != "request":
        return {**event, "step": step, "n": number}
    shares = {**event["by_category"], "tool": 4_000 + 7 * (step % 900), "assistant": 900 + step % 50}
    return {**event, "step": step, "n": number, "by_category": shares, "tokens": sum(shares.values())}


class Files:
    """A workspace with one tool that answers with five megabytes."""

    shell, question = "off", None

    def schemas(self) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}]

    def call(self, name: str, arguments: Any, *, ticket: Any = None) -> str:
        return f"begin {'x y ' * (FIVE_MB // 4)} end"

    def close(self) -> None:
        pass


def test_fault_19_of_a_huge_result_head_and_tail_go_to_the_page_and_python_has_all(wire: None) -> None:
    session = Session("Go on.", model=ScriptedModel(keep_calling), workspace=Files(), window=16_000)
    panel = Panel(session)
    browser = Browser(panel)
    browser.ready()
    session.run(2)
    panel.flush()
    [stored] = [m for m in session.transcript.messages if m["role"] == "tool"][:1]
    assert len(stored["content"]) > FIVE_MB
    sent = browser.bytes
    browser.say(kind="ask", page=7, number=1, what="message", numbers=[0, stored["meta"]["id"]])
    [answer] = browser.of("answer")
    assert answer["ok"], answer
    body = answer["body"]
    assert body["stored"].startswith("begin")
    assert body["stored"].rstrip().endswith("end")
    assert "session.transcript.messages" in body["stored"]
    assert browser.bytes - sent < 40_000
    assert sent < 200_000
    panel.close()
    session.close()
