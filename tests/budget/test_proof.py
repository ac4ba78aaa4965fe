"""The proof: whatever is changed on the disk, or missing in a request, is found and named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.budget.audit import audit
from opencollab_nb.jsonl import encoded
from opencollab_nb.session import Session
from tests.budget.recorded_runs import a_copy, a_run

RUNS = [
    ("quickstart", "managed"),
    ("quickstart", "summarized"),
    ("quickstart", "stateless"),
    ("orders", "managed"),
]


def changed(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(lines)
    path.write_bytes(b"".join(encoded(line) + b"\n" for line in lines))


def compacted(session: Session) -> int:
    """The id of a tool result that left a request."""
    event = session.trace.of("session.history_compaction")[0]
    return int((event["rewritten"] or event["removed"])[0][0])


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_a_real_run_is_proven(task: str, how: str) -> None:
    session = a_run(task, how)
    verified = session.audit().verify()
    assert verified, verified
    touched = {
        i
        for event in session.trace.of("session.history_compaction")
        for name in ("removed", "rewritten", "covered")
        for first, last in event[name]
        for i in range(first, last + 1)
    }
    held = {event["message_id"] for event in session.trace.of("anchor")}
    assert verified.originals == len(touched | held) > 0
    assert verified.requests == len(session.trace.of("request"))
    assert verified.anchors == len(session.trace.of("anchor"))
    assert "Verified" in repr(verified)
    assert "Verified" in verified._repr_html_()


def test_an_original_that_is_changed_on_the_disk_is_found(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    session = Session.resume(path)
    own = compacted(session)

    def change(lines: list[dict[str, Any]]) -> None:
        message = next(
            line["message"] for line in lines if line.get("message", {}).get("meta", {}).get("id") == own
        )
        message["content"] = message["content"].replace("e", "E", 1)

    changed(path / "transcript.jsonl", change)
    verified = session.audit().verify()
    assert not verified
    assert any(f"message {own} is another one" in problem for problem in verified.problems)


def test_one_that_was_changed_to_as_long_a_text_before_the_run_was_opened_again_is_found(
    tmp_path: Path,
) -> None:
    path = a_copy(tmp_path)
    session = Session.resume(path)
    own = compacted(session)
    step = session.transcript.messages[own]["meta"]["step"]
    session.close()

    def change(lines: list[dict[str, Any]]) -> None:
        message = lines[
            next(
                n for n, line in enumerate(lines) if line.get("message", {}).get("meta", {}).get("id") == own
            )
        ]
        message["message"]["content"] = message["message"]["content"].replace("e", "E", 1)

    changed(path / "transcript.jsonl", change)
    again = Session.resume(path)
    verified = again.audit().verify()
    assert [p for p in verified.problems if p.endswith(f"are not those that step {step} ended with")]
    again.close()


def test_a_result_that_was_cut_before_the_run_was_opened_again_is_found(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    own = compacted(Session.resume(path))

    def change(lines: list[dict[str, Any]]) -> None:
        message = next(
            line["message"] for line in lines if line.get("message", {}).get("meta", {}).get("id") == own
        )
        message["content"] = message["content"][:-7]

    changed(path / "transcript.jsonl", change)
    verified = Session.resume(path).audit().verify()
    assert any(f"message {own} has" in problem for problem in verified.problems)


def test_a_transcript_that_lost_lines_is_found(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    session = Session.resume(path)
    lines = (path / "transcript.jsonl").read_bytes().splitlines(keepends=True)
    (path / "transcript.jsonl").write_bytes(b"".join(lines[: len(lines) // 3]))
    verified = session.audit().verify()
    assert any("are not in transcript.jsonl" in problem for problem in verified.problems)
    (path / "transcript.jsonl").unlink()
    assert any("cannot be read" in problem for problem in session.audit().verify().problems)


def test_a_damaged_line_is_named_and_the_others_are_still_read(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    session = Session.resume(path)
    lines = (path / "transcript.jsonl").read_bytes().split(b"\n")
    own = compacted(session)
    at = next(
        n
        for n, line in enumerate(lines)
        if line and json.loads(line).get("message", {}).get("meta", {}).get("id") == own
    )
    lines[at] = lines[at][:20]
    (path / "transcript.jsonl").write_bytes(b"\n".join(lines))
    problems = session.audit().verify().problems
    assert any(f"line {at + 1} is damaged" in problem for problem in problems)
    assert any(problem == f"messages {own} are not in transcript.jsonl" for problem in problems)


def test_an_event_that_is_changed_on_the_disk_is_found(tmp_path: Path) -> None:
    path = a_copy(tmp_path)
    session = Session.resume(path)
    n = session.trace.of("restatement")[0]["n"]
    changed(path / "events.jsonl", lambda lines: lines[n].update(tokens=1))
    problems = session.audit().verify().problems
    assert any(f"event {n} (restatement) is another one" in problem for problem in problems)


def test_an_anchor_that_is_paraphrased_in_the_record_is_found_in_each_request(tmp_path: Path) -> None:
    """The run as a shaper would have left it that tells a constraint in other words."""
    path = a_copy(tmp_path)
    anchor = next(e for e in Session.resume(path).trace.of("anchor") if e["kind_of_anchor"] == "constraints")

    def told_otherwise(lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if line.get("kind") == "request" and line["tail"]:
                line["tail"]["content"] = line["tail"]["content"].replace(anchor["text"], "Mind the rules.")
            if (line.get("message") or {}).get("meta", {}).get("id") == anchor["message_id"]:
                line["message"]["content"] = line["message"]["content"].replace(
                    anchor["text"], "Mind the rules."
                )

    changed(path / "transcript.jsonl", told_otherwise)
    changed(path / "events.jsonl", told_otherwise)
    session = Session.resume(path)
    verified = session.audit().verify()
    missing = [problem for problem in verified.problems if "does not hold anchor" in problem]
    assert len(missing) == len(session.trace.of("request"))
    assert all(anchor["text"][:40] in problem for problem in missing)
    assert "and " in repr(verified).splitlines()[-1], "of many problems the first are shown"


def test_without_a_folder_nothing_is_proven() -> None:
    session = a_run()
    verified = audit(session.trace.events, session.transcript.messages).verify()
    assert not verified
    assert verified.problems == ("there is no run folder: nothing of it is on a disk",)
