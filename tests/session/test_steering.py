"""The status line in a session: at the end of each request, never stored, and no cost to the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.session.build import Tools, a_session, calling, echo, tool_call, working
from tests.session.directed import directed


def reader(steps: int) -> list[Any]:
    return [calling(tool_call("file_read", f"c{n}", text="x", times=400)) for n in range(steps)]


def steered(path: Path | None, replies: list[Any], **settings: Any) -> Session:
    tools = settings.pop("tools", {"file_read": echo, "file_write": echo})
    return a_session(path, [*replies, "Done."], workspace=Tools(**tools), **settings)


def last_texts(session: Session) -> list[str]:
    return [text_of(request.messages[-1]) for request in session.model.requests]


def test_each_request_ends_with_it_and_the_transcript_has_none(tmp_path: Path) -> None:
    session = steered(tmp_path / "run", reader(3), steering=True, max_steps=9, budget_tokens=50_000)
    assert session.run() == "done"
    lines = last_texts(session)
    assert [line.partition("]")[0] for line in lines] == [
        f"[Status at step {n}, by the harness" for n in range(1, 5)
    ]
    assert ["Steps left: 9." in lines[0], "Steps left: 6." in lines[3]] == [True, True]
    assert "Tokens left: 50,000." in lines[0]
    first = session.trace.of("usage")[0]
    assert f"Tokens left: {50_000 - first['input_tokens'] - first['output_tokens']:,}." in lines[1]
    assert "Reads since your last edit: 3." in lines[3]
    assert not any("[Status" in text_of(m) for m in session.transcript.messages)
    assert not session.trace.of("restatement")


def test_it_is_off_by_default_and_changes_nothing_but_the_tail(tmp_path: Path) -> None:
    plain = steered(tmp_path / "off", reader(12), max_steps=20)
    told = steered(tmp_path / "on", reader(12), max_steps=20, steering=True)
    assert (plain.steering, told.steering) == (False, True)
    plain.run()
    told.run()
    for off, on in zip(plain.model.requests, told.model.requests, strict=True):
        assert off.tail is None
        assert on.tail is not None
        assert on.messages[:-1] == off.messages
    kept = [[e["prefix_kept_tokens"] for e in s.trace.of("request")] for s in (plain, told)]
    assert kept[0] == kept[1]


def test_the_view_under_pressure_is_that_of_a_run_without_it_but_for_the_room_it_takes(
    tmp_path: Path,
) -> None:
    told = steered(tmp_path / "on", [*reader(12)], max_steps=20, steering=True, window=2_000)
    assert told.run() == "done"
    assert told.trace.of("session.history_compaction")
    for event in told.trace.of("request"):
        assert event["tail"]["meta"]["source"] == "steering"
        assert event["tokens"] <= event["trigger"]
        assert sum(event["by_category"].values()) == event["tokens"]


def test_it_nudges_who_can_write_and_nobody_else(tmp_path: Path) -> None:
    writer = steered(tmp_path / "w", reader(17), steering=True)
    writer.run()
    told = last_texts(writer)
    assert ["If so, make it" in line for line in told] == [8 <= n < 16 for n in range(18)]
    assert ["Stop reading" in line for line in told] == [n >= 16 for n in range(18)]
    only_reads = steered(tmp_path / "r", reader(17), steering=True, max_steps=40, tools={"file_read": echo})
    only_reads.run()
    assert not any("Reads since" in line for line in last_texts(only_reads))


def test_without_limits_and_reads_there_is_no_line(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(2), steering=True)
    session.run()
    assert all(request.tail is None for request in session.model.requests)


def test_the_lower_of_budget_and_lease_is_told(tmp_path: Path) -> None:
    class Lease:
        left_tokens = 1_234

        def admit(self, tokens: int = 0) -> str | None:
            return None

        def book(self, tokens: int) -> None:
            return None

    session = steered(tmp_path / "run", [], steering=True, budget_tokens=9_000, lease=Lease())
    session.step()
    assert "Tokens left: 1,234." in last_texts(session)[0]


def test_it_joins_a_restatement_in_the_one_tail(tmp_path: Path) -> None:
    session = directed(
        tmp_path / "run", working(6), steering=True, max_steps=20, budget=ContextBudget(restate_every=2)
    )
    session.run()
    texts = last_texts(session)
    both = [text for text in texts if text.startswith("[Restatement")]
    assert both
    assert all(text.splitlines()[1].startswith("[Status at step") for text in both)
    assert all(text.splitlines()[-1].startswith("Open (") for text in both)
    assert len(both) == len(session.trace.of("restatement"))
    assert len(texts) - len(both) == sum(text.startswith("[Status") for text in texts)


def test_a_resumed_a_branched_and_a_continued_run_keep_the_switch(tmp_path: Path) -> None:
    session = steered(tmp_path / "run", reader(3), steering=True, max_steps=9)
    session.run(2)
    before = session.request().messages
    branch = session.fork(path=tmp_path / "branch", model=ScriptedModel(["Done."]))
    assert branch.steering
    branch.close()
    session.close()
    resumed = Session.resume(tmp_path / "run", model=ScriptedModel(["Done."]), workspace=session.workspace)
    assert resumed.request().messages == before
    assert resumed.request(1).messages[-1]["content"].startswith("[Status at step 1")
    resumed.close()
    following = Session.continued(tmp_path / "run", model=ScriptedModel(["Done."]), path=tmp_path / "next")
    assert following.steering
    following.close()


def test_a_switch_is_on_or_off(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="steering is 'yes': give True or False"):
        a_session(tmp_path / "run", steering="yes")


def test_what_a_layer_just_removed_is_restated_in_that_very_request(tmp_path: Path) -> None:
    session = directed(
        tmp_path / "run",
        working(14, chars=2_400),
        steering=True,
        max_steps=40,
        window=4_000,
        budget=ContextBudget(restate_every=None),
        policy="default",
    )
    session.run()
    removed = {e["step"] for e in session.trace.of("session.history_compaction") if e["removed"]}
    restated = {e["step"] for e in session.trace.of("restatement") if e["reason"] == "compaction"}
    assert removed
    assert removed <= restated
