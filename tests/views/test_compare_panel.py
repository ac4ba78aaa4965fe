"""The compare panel without a page: what is picked, run, stopped, and what goes wrong in it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.compare import compare
from opencollab_nb.errors import UsageProblem
from opencollab_nb.transcript import Transcript
from opencollab_nb.views.compare_live import CompareLive
from opencollab_nb.views.compare_orders import obey
from opencollab_nb.views.compare_panel import ComparePanel
from tests.build import numbered, task
from tests.views.loaded_files import loaded
from tests.views.wire import Browser, CountingComm

SECONDS = 60.0


def ran(panel: ComparePanel) -> ComparePanel:
    panel.run()
    panel.wait(SECONDS)
    return panel


def tell(panel: ComparePanel) -> dict[str, Any]:
    return panel.feed.state()


def test_what_is_picked_is_compared_as_compare_does_it() -> None:
    panel = ComparePanel([loaded("a"), loaded("b")])
    panel.choice.take_windows("8_000, 16000")
    panel.choice.take_mode("both")
    frame = ran(panel).frame
    expected = compare(
        [loaded("a"), loaded("b")], ["default", "no_history_compaction"], window=[8_000, 16_000]
    )
    assert frame.equals(expected)
    state = tell(panel)
    assert (state["run"], state["done"], state["total"]) == ("done", 16, 16)
    assert state["groups"] == ["a, 8,000", "a, 16,000", "b, 8,000", "b, 16,000"]
    assert len(state["results"]) == 16
    json.dumps(state)
    assert "compare: done, 16 of 16" in repr(panel)


def test_layers_are_edited_as_in_the_panel_of_a_session() -> None:
    panel = ComparePanel(loaded())
    obey(panel, "chain", ["add", "default"])
    keys = {row[2]: row[0] for row in tell(panel)["layers"]}
    obey(panel, "edit", ["set", keys["ToolOutputClearShaper"], "keep_recent", 1])
    obey(panel, "edit", ["off", keys["AutoCompactShaper"]])
    names = [name for _, name, _ in tell(panel)["chains"]]
    assert names[-1] == "default, ToolOutputClearShaper(keep_recent=1), without AutoCompactShaper"
    obey(panel, "target", 0.5)
    obey(panel, "windows", "8000")
    frame = ran(panel).frame
    assert set(frame["chain"]) == set(names)
    assert set(frame[frame["chain"] == names[-1]]["target"]) == {frame["trigger"][0] // 2}
    obey(panel, "edit", ["policy", "summarize"])
    assert tell(panel)["chosen_policy"] == "summarize"
    obey(panel, "chain", ["add", "no shaping"])
    assert tell(panel)["chains"][-1][1] == "no shaping"
    for name, order in (("unknown edit", ["burn", 1]), ("unknown layer", ["up", 99])):
        with pytest.raises(ValueError, match=name):
            obey(panel, "edit", order)


def test_a_chain_that_fails_is_told_and_is_not_the_end() -> None:
    panel = ComparePanel(loaded())
    panel.choice.take_windows("8000")

    def breaks(_messages: Any, _pressure: Any) -> Any:
        raise ValueError("<b>no</b>")

    editor = panel.choice.sketch.editor
    editor.edit(lambda _layers: editor._keyed([breaks], []))
    state = tell(ran(panel))
    assert state["done"] == 2
    assert any("breaks" in text and "<b>no</b>" in text for text in state["troubles"])


def test_stop_ends_before_the_next_request_and_keeps_what_is_finished() -> None:
    panel = ComparePanel([loaded(str(n)) for n in range(4)])
    panel.choice.take_mode("both")
    panel.run()
    panel.stop()
    panel.wait(SECONDS)
    state = tell(panel)
    assert state["run"] == "stopped"
    assert state["done"] == len(state["results"]) < state["total"]
    assert tell(ran(panel))["run"] == "done"


def test_nothing_picked_and_nonsense_are_answered_in_words() -> None:
    panel = ComparePanel(loaded())
    for verb, argument, says in (
        ("windows", "12", "1_024"),
        ("modes", "lazy", "unknown mode"),
        ("file", [77, True], "no transcript 77"),
        ("chain", ["remove", 77], "no chain 77"),
        ("chain", "x", "is a list"),
        ("draw", ["pie", None], "unknown curve"),
        ("draw", [None, -1], "by its number"),
        ("load", "", "load what?"),
        ("fly", None, "unknown order"),
    ):
        with pytest.raises(ValueError, match=says):
            obey(panel, verb, argument)
    obey(panel, "file", [None, False])
    with pytest.raises(UsageProblem, match="no transcript is ticked"):
        panel.run()
    with pytest.raises(UsageProblem, match="nothing has been compared yet"):
        _ = panel.frame
    with pytest.raises(UsageProblem, match="is no transcript"):
        ComparePanel(7)
    without = Transcript.of(numbered([task("x")]))
    assert tell(ComparePanel([without]))["files"] == []


def test_a_path_is_loaded_in_a_thread_and_what_fails_is_told(tmp_path: Path) -> None:
    lines = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "b.txt").write_text("nothing")
    panel = ComparePanel()
    for path in (str(tmp_path), "/nowhere/<b>"):
        panel.load(path)
        for _ in range(600):
            if not tell(panel)["loading"]:
                break
            time.sleep(0.05)
    state = tell(panel)
    assert [row[2] for row in state["files"]] == ["a.jsonl"]
    assert any("b.txt" in text for text in state["notices"])
    assert "nowhere" in state["problem"]


def test_a_page_is_told_once_what_changed_and_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)
    panel = ComparePanel(loaded())
    live = panel._live = CompareLive(panel)
    page = Browser(live)
    for _ in range(2):
        page.say(kind="ready", page=1, ask=1)
    for _ in range(2):
        page.say(kind="do", page=1, number=1, verb="modes", argument="both")
    page.say(kind="do", page=1, number=2, verb="fly")
    page.say(kind="ask", page=1, number=3, what="moment", numbers=[1])
    panel.flush()
    sent = page.messages
    assert [message["kind"] for message in sent] == ["full", "ack", "ack", "answer"]
    assert [message["seq"] for message in sent] == [1, 2, 3, 4]
    assert sent[1]["state"] == {"modes": "both"}
    assert [message["ok"] for message in sent[1:]] == [True, False, False]
    panel.close()
    panel.close()
    assert live.widget.comm is None


def test_a_fault_of_its_own_is_told_once_and_reaches_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)
    panel = ComparePanel(loaded())
    live = panel._live = CompareLive(panel)
    page = Browser(live)
    page.ready()
    for _ in range(2):
        panel.failed(RuntimeError("<b>broken</b>"))
    told = page.of("add")
    assert [message["state"] for message in told] == [
        {"problem": "The panel's own fault: RuntimeError: <b>broken</b>"}
    ]
    assert tell(panel)["problem"] == told[0]["state"]["problem"]
    panel.close()
