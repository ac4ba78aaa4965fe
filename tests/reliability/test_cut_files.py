"""What a power cut may leave: everything that was waited for, and of the rest any number of bytes."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import read_lines
from opencollab_nb.session import Session
from opencollab_nb.transcript.repair import INTERRUPTED
from tests.reliability.agent import made, resumed
from tests.reliability.disk import Watched, held_by, lost, put, watching
from tests.session.build import a_session, working

STEPS_WATCHED = 2


def replies_in(path: Path) -> int:
    entries = read_lines(path / "run" / "transcript.jsonl").values
    return sum(e["entry"] == "message" and e["message"]["role"] == "assistant" for e in entries)


def run_watched(path: Path) -> tuple[list[str], list[Any], dict[str, bytes]]:
    """The requests of a whole run, what its disk did in the last steps, and what it held before them."""
    whole = made(path / "whole", "functions")
    whole.run()
    session = made(path / "first", "functions")
    session.run(len(whole.model.requests) - STEPS_WATCHED)
    before, disk = held_by(session), Watched()
    watching(session, disk)
    session.run()
    session.close()
    assert session.model.requests == whole.model.requests
    return whole.model.requests, disk.log, before


def test_whatever_a_power_cut_leaves_the_run_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole, log, before = run_watched(tmp_path)
    tried = resumes = 0
    for number, sure, pending in lost(log, before):
        # Torn in the middle, without its line end, and whole; every byte in between reads as one of these.
        cuts = [sorted({0, len(d) // 2, max(0, len(d) - 1), len(d)}) for d in pending.values()]
        for kept in product(*cuts):
            folder = tmp_path / f"cut{number}-{kept[0]}-{kept[1]}"
            rests = {name: rest[:size] for (name, rest), size in zip(pending.items(), kept, strict=True)}
            put(folder / "run", {name: data + rests[name] for name, data in sure.items()})
            shutil.copytree(tmp_path / "first" / "work", folder / "work")
            session = resumed(folder, "functions")
            replies = replies_in(folder)
            session.run()
            session.close()
            cut_off = any(
                m["content"] == INTERRUPTED for m in session.transcript.messages if m["role"] == "tool"
            )
            if not cut_off:
                assert session.model.requests == whole[replies:], (number, kept)
            else:
                assert len(session.model.requests) >= len(whole) - replies, (number, kept)
            resumes += 1
            shutil.rmtree(folder)
        tried += 1
    assert tried > 20
    assert resumes > 40


@pytest.mark.parametrize("name", ["transcript.jsonl", "events.jsonl"])
def test_cut_at_any_byte_a_file_reads_as_its_whole_lines(tmp_path: Path, name: str) -> None:
    session = made(tmp_path, "functions")
    session.run(4)
    session.close()
    lines = (tmp_path / "run" / name).read_bytes().splitlines(keepends=True)
    # Each cut is read from its beginning: of the lines before the last six a few tell as much as all.
    lines = [*lines[:2], *lines[-6:]]
    data = b"".join(lines)
    first = len(data) - sum(map(len, lines[-6:]))
    values = [json.loads(line) for line in lines]
    path = tmp_path / "cut.jsonl"
    for size in range(first, len(data) + 1):
        path.write_bytes(data[:size])
        found = read_lines(path)
        whole = data[:size].count(b"\n") + (data[size : size + 1] == b"\n")
        assert found.values == values[:whole], size
        assert len(found.notices) == (not (data[:size].endswith(b"\n") or data[size : size + 1] == b"\n")), (
            size
        )


def test_a_transcript_cut_at_any_byte_is_gone_on_with_or_refused_and_never_misread(tmp_path: Path) -> None:
    """Its events speak of what it lost: only a torn last message that no view was made of is let go."""
    session = a_session(tmp_path / "run", working(3, chars=30))
    session.run()
    session.close()
    held = held_by(session)
    data = held["transcript.jsonl"]
    sent = session.transcript.messages
    first = len(data) - sum(map(len, data.splitlines(keepends=True)[-5:]))
    outcomes = {"refused": 0, "gone on": 0}
    for size in range(first, len(data)):
        folder = put(tmp_path / "cut", {**held, "transcript.jsonl": data[:size]})
        try:
            again = Session.resume(folder)
        except TranscriptError as problem:
            assert "the end of the transcript was lost" in str(problem)  # noqa: PT017 - either is sound
            outcomes["refused"] += 1
            continue
        stored = again.transcript.messages
        assert stored == sent[: len(stored)]
        assert len(stored) >= len(sent) - 1
        again.close()
        outcomes["gone on"] += 1
    assert all(outcomes.values())


def test_a_run_that_ended_before_its_task_was_written_is_begun_anew(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(1))
    session.close()
    held = held_by(session)
    lines = held["transcript.jsonl"].splitlines(keepends=True)
    events = held["events.jsonl"].splitlines(keepends=True)[0]
    for count in range(len(lines)):
        for torn in (b"", lines[count][:-9]):
            folder = put(
                tmp_path / f"{count}{len(torn)}",
                {"transcript.jsonl": b"".join(lines[:count]) + torn, "events.jsonl": events},
            )
            with pytest.raises(TranscriptError, match=r"before the task was written.*make the session anew"):
                Session.resume(folder)
            again = a_session(folder, working(1))
            assert again.run() == "done"
            again.close()
            assert Session.resume(folder).state == "done"
