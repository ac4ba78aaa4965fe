"""The audit of a session at work, and of one that was opened from its folder."""

from __future__ import annotations

from pathlib import Path

from opencollab_nb.session import Session
from tests.session.directed import Reporting, directed


def test_the_audit_proves_that_nothing_was_lost_and_an_altered_folder_fails_it(tmp_path: Path) -> None:
    model = Reporting(5)
    session = directed(tmp_path / "run", model=model, window=12_000)
    session.run(25)
    session.stop()
    found = session.audit()
    assert set(found["what"]) == {"compaction", "offload", "restatement", "anchor", "handoff"}
    assert found.verify()
    assert [dict(m) for m in found.replay(7)] == [dict(m) for m in model.requests[6].wire]
    session.close()
    again = Session.resume(tmp_path / "run")
    assert again.audit().verify()
    assert len(again.audit()) == len(found)
    again.close()
    transcript = tmp_path / "run" / "transcript.jsonl"
    kept = transcript.read_text()
    assert kept.count("a line of a log")
    transcript.write_text(kept.replace("a line of a log", "a line of a lag"))
    assert not again.audit().verify()
