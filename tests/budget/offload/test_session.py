"""Offloading in a session: the pointer is read back from the transcript, and a resume sends the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opencollab_nb.budget.offload import OffloadShaper
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import ToolResultBudgetShaper, default_pipeline
from tests.budget.offload.texts import log
from tests.session.build import Tools, calling, tool_call

LONG = log(1_000)
RESULT = 3
"""The id of the long result: after system, task and call."""


def tools() -> Tools:
    return Tools(show=lambda arguments, ticket: LONG)


def script() -> list[Any]:
    return [
        calling(tool_call("show", "a")),
        calling(tool_call("read_result", "b", id=RESULT, pattern="ERROR", limit=1)),
        calling(tool_call("read_result", "c", id=99)),
        "done",
    ]


def opened(folder: Path, replies: list[Any]) -> tuple[Session, ScriptedModel]:
    model = ScriptedModel(replies)
    chain = (OffloadShaper(), *default_pipeline().shapers)
    given: dict[str, Any] = {"window": 200_000, "system": "You look.", "workspace": tools()}
    return Session("Look.", model=model, shapers=chain, path=folder, **given), model


def results(request: Any) -> list[str]:
    return [str(m["content"]) for m in request.messages if m["role"] == "tool"]


def names(request: Any) -> list[str]:
    return [tool["function"]["name"] for tool in request.tools]


def test_a_long_result_is_sent_once_then_pointed_at_and_read_from_the_transcript(tmp_path: Path) -> None:
    session, model = opened(tmp_path / "run", script())
    assert session.run() == "done"
    assert [names(request) for request in model.requests] == [["show", "read_result"]] * 4
    _, second, third, last = map(results, model.requests)
    assert second[0].startswith(LONG[:9_000])
    assert third[0].startswith(f"[offloaded: result {RESULT}, 1000 lines, {len(LONG)} chars, from show; ")
    assert third[1] == (
        "  500\t2026-01-01 10:08:19 ERROR lost connection to db 186\n"
        "[there may be more matches; go on with offset=501]"
    )
    assert last[:2] == third
    assert last[2].startswith("Error: there is no tool result 99; the results are 3, 5.")
    assert session.transcript.messages[RESULT]["content"] == LONG


def test_a_result_that_the_disk_no_longer_holds_is_not_pointed_at(tmp_path: Path) -> None:
    session, model = opened(tmp_path / "run", script())
    session.run(1)
    stored = tmp_path / "run" / "transcript.jsonl"
    stored.write_text(stored.read_text().replace("lost connection", "lost connectiom"))
    session.run()
    assert results(model.requests[2])[0].startswith(LONG[:9_000])


def test_without_the_layer_the_tool_is_not_offered(tmp_path: Path) -> None:
    session, model = opened(tmp_path / "run", ["done"])
    session.use(ToolResultBudgetShaper())
    session.run()
    assert names(model.requests[0]) == ["show"]


def test_a_resumed_session_sends_the_same_and_offloads_on(tmp_path: Path) -> None:
    session, _ = opened(tmp_path / "run", script())
    session.run(1)
    wanted = session.request()
    session.close()
    model = ScriptedModel(script()[1:])
    again = Session.resume(tmp_path / "run", model=model, workspace=tools())
    assert again.request() == wanted
    assert again.run() == "done"
    assert model.requests[0] == wanted
    assert results(model.requests[1])[0].startswith(f"[offloaded: result {RESULT}, ")
