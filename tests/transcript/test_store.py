from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import Disk
from opencollab_nb.transcript import Transcript
from tests.build import assistant, call, result, user


class Watched(Disk):
    def __init__(self) -> None:
        self.log: list[str] = []

    def write(self, descriptor: int, data: bytes) -> int:
        entry = json.loads(data)
        self.log.append(entry["entry"])
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self.log.append("sync")
        super().sync(descriptor)


def filled(path: Path) -> Transcript:
    transcript = Transcript(path)
    transcript.append(user("Fix it."), source="task", step=0, priority=80)
    transcript.append(assistant(None, call("grep")), source="reply", step=1)
    transcript.append(result("found"), source="tool", step=1)
    transcript.commit(1)
    return transcript


def test_what_is_in_memory_is_what_is_read_back(tmp_path: Path) -> None:
    transcript = filled(tmp_path / "t.jsonl")
    again = Transcript.open(tmp_path / "t.jsonl")
    assert again.messages == transcript.messages
    assert [m["meta"]["id"] for m in again.messages] == [0, 1, 2]
    assert again.committed == 1


def test_every_entry_is_synced_before_append_returns(tmp_path: Path) -> None:
    disk = Watched()
    transcript = Transcript(tmp_path / "t.jsonl", disk=disk)
    transcript.append(user("a"), source="task", step=0)
    assert disk.log == ["head", "sync", "message", "sync"]
    transcript.commit(1)
    assert disk.log[-2:] == ["commit", "sync"]


def test_nothing_is_made_before_the_first_entry(tmp_path: Path) -> None:
    Transcript(tmp_path / "deep" / "t.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_only_the_user_can_read_a_transcript(tmp_path: Path) -> None:
    filled(tmp_path / "run" / "t.jsonl")
    assert stat.S_IMODE((tmp_path / "run" / "t.jsonl").stat().st_mode) == 0o600


def test_unknown_keys_and_lone_surrogates_are_kept(tmp_path: Path) -> None:
    message: Any = {
        "role": "assistant",
        "content": "\ud83e",
        "reasoning_content": "r",
        "x": {"y": [1.5, None]},
    }
    kept = Transcript(tmp_path / "t").append(message, source="reply", step=1)
    assert {k: v for k, v in kept.items() if k != "meta"} == message
    assert Transcript.open(tmp_path / "t").messages == [kept]


def test_a_later_edit_of_what_was_given_reaches_nothing(tmp_path: Path) -> None:
    message: Any = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    transcript = Transcript(tmp_path / "t")
    transcript.append(message, source="user", step=0)
    message["content"][0]["text"] = "b"
    assert transcript.messages[0]["content"] == [{"type": "text", "text": "a"}]


def test_a_torn_last_line_is_dropped_with_a_notice_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    filled(path).close()
    with path.open("ab") as file:
        file.write(b'{"entry":"message","mess')
    transcript = Transcript.open(path)
    assert "torn" in transcript.notices[0]
    transcript.append(user("next"), source="user", step=1)
    assert [m["content"] for m in Transcript.open(path).messages] == ["Fix it.", None, "found", "next"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"entry":"message","message":{"role":"user","meta":{"id":7}}}', "message 7 where 1 is due"),
        ('{"entry":"message","message":{}}', "without a role"),
        ('{"entry":"what"}', "kind 'what'"),
        ('{"entry":"commit"}', "commit of step None"),
        ("{", "damaged"),
    ],
)
def test_a_line_that_cannot_be_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "t.jsonl"
    filled(path).close()
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], line, *lines[2:]]) + "\n")
    with pytest.raises(TranscriptError, match=f"line 3: .*{says}"):
        Transcript.open(path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text('{"entry":"head","version":99}\n')
    with pytest.raises(TranscriptError, match="version 99"):
        Transcript.open(tmp_path / "t")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="no transcript"):
        Transcript.open(tmp_path / "t")


def test_an_unwritable_folder_keeps_nothing_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    transcript = Transcript(tmp_path / "file" / "t.jsonl")
    with pytest.raises(TranscriptError, match="cannot be written"):
        transcript.append(user("a"), source="user", step=0)
    assert transcript.messages == []


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8))
def test_any_texts_come_back(texts: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        transcript = Transcript(Path(folder) / "t")
        for text in ["first", *texts]:
            transcript.append(user(text), source="user", step=0)
        assert Transcript.open(Path(folder) / "t").messages == transcript.messages
