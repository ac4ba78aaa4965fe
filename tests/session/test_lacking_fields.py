"""A run folder from elsewhere whose events lack fields: every look holds, or says which file and event."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.session import Session
from opencollab_nb.views.live_map import LiveMap
from tests.session.build import a_session, working
from tests.session.remote import short_summary

Event = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    session = a_session(path, working(6, chars=9_000), policy="summarize", summarizer=short_summary)
    session.run(2)
    session.pin([3])
    session.run()
    assert session.trace.of("session.history_compaction")
    session.close()
    return path


def lacking(events: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """The events, once without each field that one of its kind has, and each of a record."""
    seen = set()
    for at, event in enumerate(events):
        inside = [("view", name) for name in event.get("view") or ()]
        for path in [(name,) for name in event] + inside:
            if (mark := (event["kind"], *path)) in seen:
                continue
            seen.add(mark)
            odd = json.loads(json.dumps(event))
            del (odd if len(path) == 1 else odd[path[0]])[path[-1]]
            yield " ".join(mark), [*events[:at], odd, *events[at + 1 :]]


def followed(session: Session) -> None:
    shown = LiveMap(session)
    for event in session.trace.stored:
        shown.take(event)
    shown.news()


LOOKS: dict[str, Callable[[Session], Any]] = {
    "request": lambda session: session.request(),
    "request 3": lambda session: session.request(3),
    "at 3": lambda session: session.at(3),
    "swap": lambda session: session.use("default"),
    "map": followed,
}


def test_without_any_one_field_every_look_holds_or_names_file_and_event(folder: Path, tmp_path: Path) -> None:
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    refused = 0
    for number, (what, odd) in enumerate(lacking(events)):
        path = shutil.copytree(folder, tmp_path / str(number))
        (path / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in odd))
        try:
            session = Session.resume(path)
        except TranscriptError as problem:
            assert str(path) in str(problem), what  # noqa: PT017 - either is sound
            continue
        for name, look in LOOKS.items():
            try:
                look(session)
            except TranscriptError as problem:
                assert f"{path / 'events.jsonl'}" in str(problem), (what, name)  # noqa: PT017
                assert "event " in str(problem), (what, name)  # noqa: PT017
                refused += 1
            except UsageProblem:
                continue  # what was asked for is not there, or waits for its summarizer
        session.close()
        shutil.rmtree(path)
    assert refused, "no look asked for a field: the run is too easy"


def test_tools_that_are_no_names_are_told_as_they_are(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path / "run")
    path = tmp_path / "run" / "events.jsonl"
    start, *rest = path.read_text().splitlines(keepends=True)
    event = json.loads(start) | {"tools": [{"name": "echo"}, ["b"], None]}
    path.write_text(json.dumps(event) + "\n" + "".join(rest))
    session = Session.resume(tmp_path / "run")
    assert any("{'name': 'echo'}" in notice["text"] for notice in session.trace.of("notice"))
    session.close()
