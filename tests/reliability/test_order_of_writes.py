"""What must be on the disk before something else happens, read from the calls that reach it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from tests.reliability.agent import Agent, tools
from tests.reliability.disk import Watched, watching
from tests.session.remote import short_summary

TRANSCRIPT, EVENTS = "transcript.jsonl", "events.jsonl"


class Marking(Agent):
    def __init__(self, disk: Watched) -> None:
        super().__init__()
        self.disk = disk

    def reply(self, request: Request, *, cancel: Any = None) -> Reply:
        self.disk.mark("model")
        return super().reply(request, cancel=cancel)


class Told:
    """A workspace that says when it is called."""

    shell, question = "off", None

    def __init__(self, within: Any, disk: Watched) -> None:
        self.within, self.disk = within, disk

    def schemas(self) -> Any:
        return self.within.schemas()

    def call(self, name: str, arguments: str, *, ticket: Any = None) -> str:
        self.disk.mark("tool")
        return str(self.within.call(name, arguments, ticket=ticket))

    def close(self) -> None:
        self.within.close()


@pytest.fixture
def log(tmp_path: Path) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """What happened, in order; each write as the values of its lines."""
    disk = Watched()
    session = Session(
        "Tidy the log.",
        model=Marking(disk),
        workspace=Told(tools("functions", tmp_path / "work"), disk),
        window=12_000,
        policy="summarize",
        summarizer=short_summary,
        path=tmp_path / "run",
    )
    watching(session, disk)
    session.run(8)
    session.close()
    assert session.trace.of("session.history_compaction"), "no round: the run is too easy"
    return [(what, name, [json.loads(line) for line in data.splitlines()]) for what, name, data in disk.log]


def on_disk_before(log: list[Any], mark: str) -> list[tuple[list[Any], list[Any], list[Any]]]:
    """At each mark: what of transcript and events is surely on the disk, and what is not yet."""
    found = []
    sure: dict[str, list[Any]] = {TRANSCRIPT: [], EVENTS: []}
    waiting: dict[str, list[Any]] = {TRANSCRIPT: [], EVENTS: []}
    for what, name, values in log:
        if what == "write":
            waiting[name] += values
        elif what == "sync":
            sure[name] += waiting[name]
            waiting[name] = []
        elif name == mark:
            found.append((list(sure[TRANSCRIPT]), list(sure[EVENTS]), waiting[TRANSCRIPT] + waiting[EVENTS]))
    assert found
    return found


def test_a_request_and_all_it_is_made_of_are_on_the_disk_before_the_model_is_asked(log: list[Any]) -> None:
    for number, (_, events, waiting) in enumerate(on_disk_before(log, "model")):
        assert not waiting
        assert events[-1]["kind"] == "request"
        assert sum(event["kind"] == "request" for event in events) == number + 1


def test_a_reply_and_its_usage_are_on_the_disk_before_its_first_tool_runs(log: list[Any]) -> None:
    for transcript, events, waiting in on_disk_before(log, "tool"):
        assert {value.get("kind") for value in waiting} <= {"reply", "tool"}, (
            "only what is told again elsewhere"
        )
        replies = [m for m in transcript if m["entry"] == "message" and m["message"]["role"] == "assistant"]
        assert len(replies) == sum(e["kind"] == "usage" and e["purpose"] == "step" for e in events)
        assert replies


def test_each_result_is_on_the_disk_before_the_next_call_begins(log: list[Any]) -> None:
    for number, (transcript, _, _) in enumerate(on_disk_before(log, "tool")):
        results = [m for m in transcript if m["entry"] == "message" and m["message"]["role"] == "tool"]
        assert len(results) == number


def test_every_line_of_the_transcript_is_waited_for_before_anything_else_is_written(log: list[Any]) -> None:
    for (what, name, _), (then, then_name, _) in itertools.pairwise(log):
        if (what, name) == ("write", TRANSCRIPT):
            assert (then, then_name) == ("sync", TRANSCRIPT)


def test_a_message_is_on_the_disk_before_an_event_speaks_of_it(log: list[Any]) -> None:
    held = 2  # the system message and the task came before the disk was watched
    for what, name, values in log:
        for value in values if what == "write" else ():
            if name == TRANSCRIPT:
                held += value["entry"] == "message"
            else:
                assert max(value.get("stored", 0), value.get("message_id", -1) + 1) <= held
