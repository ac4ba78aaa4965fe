from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import Disk
from opencollab_nb.trace import Trace


class Syncs(Disk):
    def __init__(self) -> None:
        self.count = 0

    def sync(self, descriptor: int) -> None:
        self.count += 1
        super().sync(descriptor)


def test_events_are_numbered_and_come_back(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "e.jsonl")
    trace.add("notice", 0, text="a", pressure=None)
    trace.add("say", 1, message_id=3)
    again = Trace.open(tmp_path / "e.jsonl")
    assert again.events == trace.events
    assert [e["n"] for e in again.events] == [0, 1]
    assert again.of("say")[0]["message_id"] == 3
    assert again.last("notice") == trace.events[0]
    again.add("commit", 1)
    assert Trace.open(tmp_path / "e.jsonl").events == again.events


def test_events_that_requests_depend_on_are_waited_for(tmp_path: Path) -> None:
    disk = Syncs()
    trace = Trace(tmp_path / "e", disk=disk)
    trace.add("state", 0, state="running", detail="")
    assert disk.count == 0
    trace.add("say", 0, message_id=1)
    assert disk.count == 1


def test_an_event_that_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    trace = Trace()
    with pytest.raises(TranscriptError):
        trace.add("notice", 0, text=object())
    assert trace.events == []


def test_a_torn_last_event_is_dropped_with_a_notice(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "e")
    trace.add("commit", 1)
    trace.close()
    with (tmp_path / "e").open("ab") as file:
        file.write(b'{"n":1')
    again = Trace.open(tmp_path / "e")
    assert len(again.events) == 1
    assert "torn" in again.notices[0]


def test_events_out_of_order_are_named(tmp_path: Path) -> None:
    (tmp_path / "e").write_text('{"n":0,"kind":"commit"}\n{"n":2,"kind":"commit"}\n{"n":3,"kind":"commit"}\n')
    with pytest.raises(TranscriptError, match="line 2: event 2 where 1 is due"):
        Trace.open(tmp_path / "e")
