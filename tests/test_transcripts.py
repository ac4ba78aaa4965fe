"""The shipped recordings: complete, whole in every request, and the same when they are made again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))

from record_transcripts import FOLDER, RECORDINGS, STEPS, WINDOW, Recording, played

from opencollab_nb import load
from opencollab_nb.messages import wire

MOST_BYTES = 600_000
"""In all: they are in the repository and in every installed package."""


def test_the_folder_holds_the_recordings_that_the_script_makes() -> None:
    assert {recording.path for recording in RECORDINGS} == set(FOLDER.glob("*.gz"))
    assert sum(recording.path.stat().st_size for recording in RECORDINGS) < MOST_BYTES


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda one: one.path.name)
def test_every_request_of_a_recording_was_whole_and_reported(recording: Recording) -> None:
    transcript = load(recording.path)
    origin = transcript.origin
    assert origin is not None
    assert not transcript.notices
    assert (origin.format, origin.unknown, origin.constant_tokens) == ("opencollab", (), None)
    assert (origin.title, origin.window, len(origin.compactions)) == (recording.title, WINDOW, 0)
    assert len(origin.sent) == STEPS[recording.task] or origin.outcome == "done"
    replies = [m["meta"]["id"] for m in transcript.stored if m["role"] == "assistant"]
    assert [call.reply for call in origin.sent] == [call.before for call in origin.sent] == replies
    reported = [call.usage.input_tokens for call in origin.sent if call.usage]
    assert len(reported) == len(replies)
    assert reported == sorted(reported)
    assert reported[-1] < WINDOW


def test_a_recording_made_again_begins_with_the_same_messages(tmp_path: Path) -> None:
    recording = RECORDINGS[1]
    again, shipped = played(recording, tmp_path, steps=5), load(recording.path)
    assert len(again) > 10
    assert list(map(wire, again.stored)) == list(map(wire, shipped.stored[: len(again)]))
    assert again.origin is not None
    assert shipped.origin is not None
    assert again.origin.sent == shipped.origin.sent[: len(again.origin.sent)]
    assert again.origin.tools == shipped.origin.tools
