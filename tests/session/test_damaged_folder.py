"""A run folder that lost something: what can be had again is, and the rest is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opencollab_nb.errors import TranscriptError
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.session.build import Tools, a_session, calling, echo, tool_call, working
from tests.workspace.processes import within


def cut_transcript(folder: Path, keep_lines: int, then: bytes = b"") -> None:
    path = folder / "transcript.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:keep_lines]) + then)


@pytest.mark.parametrize("keep_lines", [2, 5, 9, 14])
def test_a_transcript_shorter_than_its_trace_says_is_refused_and_both_are_named(
    tmp_path: Path, keep_lines: int
) -> None:
    # Its long results are cut by the chain, so that the trace holds changes to messages now lost.
    a_session(tmp_path / "run", working(8, chars=20_000)).run()
    cut_transcript(tmp_path / "run", keep_lines)
    with pytest.raises(TranscriptError, match=r"transcript.jsonl holds \d+ messages.*events.jsonl speaks of"):
        Session.resume(tmp_path / "run", model=ScriptedModel([]), workspace=Tools(echo=echo))


def test_a_torn_last_message_is_left_out_although_events_speak_of_it(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(4))
    session.run(2)
    session.say("Mind the gap.")
    session.close()
    path = tmp_path / "run" / "transcript.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    again = Session.resume(tmp_path / "run", model=ScriptedModel(["done"]), workspace=Tools(echo=echo))
    assert again.transcript.messages == session.transcript.messages[:-1]
    assert again.run() == "done"


def test_a_failing_subscriber_does_not_hide_input_that_was_sent_before_a_crash(tmp_path: Path) -> None:
    def copying(request: object) -> dict[str, object]:
        # The fault may be written by the thread that started the run.
        assert within(20, lambda: session.trace.of("fault"))
        shutil.copytree(tmp_path / "run", tmp_path / "crashed")
        return calling(tool_call())

    def failing(event: object) -> None:
        raise RuntimeError

    session = a_session(tmp_path / "run", copying)
    session.subscribe(failing)
    session.step()
    crashed = Session.resume(tmp_path / "crashed")
    assert [e["where"] for e in crashed.trace.of("fault")] == ["subscriber"]
    assert crashed.spent_tokens == crashed.trace.of("request")[-1]["tokens"]
