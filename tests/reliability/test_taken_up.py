"""Where a killed process had got to is where the next one begins: its request, its state, its traces."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.jsonl import read_lines
from opencollab_nb.models import Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.workspace import Workspace
from tests.reliability.disk import held_by, put
from tests.session.build import Tools, a_session, calling, echo, tool_call


def cut(folder: Path, into: Path, *, messages: int, events: int) -> Path:
    """A copy of a run as it was after so many messages, with the marks of their steps, and so many events."""
    lines = (folder / "transcript.jsonl").read_bytes().splitlines(keepends=True)
    values = read_lines(folder / "transcript.jsonl").values
    nth = [n for n, value in enumerate(values) if value["entry"] == "message"]
    told = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    return put(
        into,
        {"transcript.jsonl": b"".join(lines[: nth[messages]]), "events.jsonl": b"".join(told[:events])},
    )


class Growing:
    """Reports more than we measure from its third request on, so that a later one has to be shortened."""

    name, window = "scripted", None

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def reply(self, request: Request, *, cancel: Any = None) -> Reply:
        self.requests.append(request)
        measured = sum(map(weigh, request.messages))
        usage = Usage(int(measured * 1.5), 0, 20) if measured > 4_000 else None
        return Reply(
            calling(tool_call(call_id=f"c{measured}", text="word ", times=1_300)), usage, "tool_calls"
        )


def test_a_request_without_a_reply_is_sent_again_as_it_was_whatever_its_usage_taught(tmp_path: Path) -> None:
    model = Growing()
    session = a_session(tmp_path / "run", model=model)
    session.run(5)
    assert session.trace.of("session.history_compaction"), "the report changed nothing: the run is too easy"
    for event in session.trace.of("request"):
        usage = next(e for e in session.trace.of("usage") if e["n"] > event["n"])
        folder = tmp_path / f"at {event['n']}"
        crashed = cut(tmp_path / "run", folder, messages=event["stored"], events=usage["n"] + 1)
        again = Session.resume(crashed, model=Growing(), workspace=Tools(echo=echo))
        again.run(1)
        assert again.model.requests[0].wire == model.requests[event["step"] - 1].wire
        again.close()


@pytest.mark.parametrize("marked", [True, False])
def test_a_run_whose_last_reply_is_there_is_done_and_asks_for_nothing_more(
    tmp_path: Path, marked: bool
) -> None:
    session = a_session(tmp_path / "run", ["All done."])
    session.run()
    session.close()
    held = held_by(session)
    lines = held["transcript.jsonl"].splitlines(keepends=True)
    events = held["events.jsonl"].splitlines(keepends=True)
    put(
        tmp_path / "cut",
        {
            "transcript.jsonl": b"".join(lines if marked else lines[:-1]),
            "events.jsonl": b"".join(
                e for e in events if b'"state":"done"' not in e and b'"commit"' not in e
            ),
        },
    )
    again = Session.resume(tmp_path / "cut", model=ScriptedModel([]), workspace=Tools(echo=echo))
    assert again.state == ("done" if marked else "stopped(interrupted)")
    assert again.run() == "done"
    assert again.model.requests == []
    assert again.steps == 1


def test_something_said_after_a_last_reply_is_answered(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", ["All done."])
    session.run()
    session.close()
    held = held_by(session)
    lines = held["transcript.jsonl"].splitlines(keepends=True)
    events = [e for e in held["events.jsonl"].splitlines(keepends=True) if b'"commit"' not in e]
    put(tmp_path / "cut", {"transcript.jsonl": b"".join(lines[:-1]), "events.jsonl": b"".join(events[:-1])})
    again = Session.resume(tmp_path / "cut", model=ScriptedModel(["Yes."]), workspace=Tools(echo=echo))
    again.say("Really?")
    assert again.run() == "done"
    assert [m["content"] for m in again.transcript.messages[-2:]] == ["Really?", "Yes."]


def crashed_in_a_call(tmp_path: Path, change: str) -> Session:
    """A copy of a run as it was while its second step ran a command, and after that changed files."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "kept.txt").write_text("as it was")
    (work / "gone.txt").write_text("soon gone")

    def second(request: Request) -> Any:
        if len(request.messages) < 4:
            return calling(tool_call("file_write", "a", path="made.txt", content="first"))
        shutil.copytree(tmp_path / "run", tmp_path / "crashed")
        return "done"

    session = a_session(tmp_path / "run", second, workspace=Workspace(work))
    session.run()
    session.close()
    subprocess.run(["sh", "-c", change], cwd=work, check=True)
    return Session.resume(tmp_path / "crashed", model=ScriptedModel(["done"]), workspace=Workspace(work))


def told(session: Session) -> list[str]:
    return [e["text"] for e in session.trace.of("notice") if "the process ended" in e["text"]]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("echo new > made.txt", "made.txt"),
        ("rm gone.txt; mkdir -p a; echo x > 'a/of several words.txt'", "a/of several words.txt, gone.txt"),
        ("chmod +x kept.txt; ln -s kept.txt link", "kept.txt, link"),
        ("echo first | tr -d '\\n' > made.txt", None),
        ("mkdir -p .git; echo x > .git/config", ".git/config"),
    ],
)
def test_files_changed_since_the_last_finished_step_are_named(
    tmp_path: Path, change: str, named: str | None
) -> None:
    session = crashed_in_a_call(tmp_path, change)
    expected = (
        [] if named is None else [f"the process ended after step 1; changed in the workspace since: {named}"]
    )
    assert told(session) == expected
    assert session.run() == "done"


def test_a_command_that_may_still_be_at_work_is_named_though_no_file_differs(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    workspace = Workspace(tmp_path / "work", shell="ask")
    replies = [
        calling(tool_call("file_write", "a", path="made.txt", content="first")),
        calling(tool_call("bash", "b", command="sleep 60; echo late > late.txt")),
    ]
    session = a_session(tmp_path / "run", replies, workspace=workspace)
    run = session.start()
    patience = time.monotonic() + 30
    while workspace.question is None and time.monotonic() < patience:
        time.sleep(0.01)
    shutil.copytree(tmp_path / "run", tmp_path / "crashed")
    run.stop()
    session.close()
    again = Session.resume(tmp_path / "crashed", workspace=Workspace(tmp_path / "work"))
    (text,) = told(again)
    assert "no file differs so far" in text
    assert "late.txt" in text


def test_a_run_that_came_to_rest_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    session = a_session(tmp_path / "run", ["done"], workspace=Workspace(tmp_path / "work"))
    session.run()
    session.close()
    (tmp_path / "work" / "mine.txt").write_text("by the user")
    assert told(Session.resume(tmp_path / "run", workspace=Workspace(tmp_path / "work"))) == []
