"""Our own runs, as files that are read by this library and by nobody's session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opencollab_nb import load, load_task
from opencollab_nb.importers.own import read, signs
from opencollab_nb.importers.source import Source
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import wire
from opencollab_nb.transcript import Compacted, Transcript
from opencollab_nb.transcript.entries import commit_entry, head, message_entry
from tests.build import assistant, call, numbered, result, system, task
from tests.importers.files import lines
from tests.importers.spoiling import spoilt
from tests.importers.test_every_format import check

MESSAGES = numbered([system(), task(), assistant(None, call()), result("r"), assistant("done")])
ENTRIES = [head(), *map(message_entry, MESSAGES), commit_entry(1)]


def test_a_transcript_is_read_as_it_is() -> None:
    assert signs(lines(*ENTRIES)) == 1
    (transcript,) = read(lines(*ENTRIES))
    assert [wire(m) for m in transcript.messages] == [wire(m) for m in MESSAGES]
    assert transcript.origin is not None
    assert transcript.origin.skipped == {"head": 1, "commit": 1}
    assert [(c.before, c.reply) for c in transcript.origin.sent] == [(2, 2), (4, 4)]


def test_a_damaged_line_costs_one_message_and_its_call_is_answered_all_the_same() -> None:
    damaged = [*ENTRIES[:4], '{"entry": "mess', *ENTRIES[5:]]
    (transcript,) = read(lines(*damaged))
    assert [m["content"] for m in transcript.messages][2:] == [None, "[interrupted]", "done"]
    assert transcript.notices[0].startswith("lines.jsonl, line 5: not JSON at column")
    assert [m["meta"]["id"] for m in transcript.messages] == [0, 1, 2, 3, 4]


def test_what_an_export_knows_stays_with_its_messages_where_a_line_is_lost() -> None:
    sent = [{"before": 2, "reply": 2, "usage": {"input_tokens": 7}, "model": "m"}, {"before": 4, "reply": 4}]
    compactions = [{"at": 4, "covers": [[2, 3]], "text": "s"}]
    told = {"entry": "origin", "origin": {"sent": sent, "compactions": compactions}}
    (transcript,) = read(lines(ENTRIES[0], '{"entry', *ENTRIES[2:], told))
    assert transcript.origin is not None
    assert [m["content"] for m in transcript.messages] == ["Fix the bug.", None, "r", "done"]
    assert [(c.before, c.reply) for c in transcript.origin.sent] == [(1, 1), (3, 3)]
    assert transcript.origin.compactions == (Compacted(3, [[1, 2]], "s"),)
    assert [m["content"] for m in view_sent(transcript, 2)] == ["Fix the bug.", "s"]


def test_no_damage_to_its_form_breaks_it() -> None:
    sent = [{"before": 2, "reply": 2, "usage": {"input_tokens": 7}, "model": "m"}]
    origin = {"sent": sent, "compactions": [{"at": 4, "covers": [[1, 2]], "text": "s"}], "unknown": ["usage"]}
    children = [{"messages": MESSAGES[1:2], "steps": 0, "origin": {}}]
    entries = [head(), *map(message_entry, MESSAGES[1:4]), commit_entry(1)]
    for spoilt_entries in spoilt([*entries, {"entry": "origin", "origin": {**origin, "children": children}}]):
        source = lines(*(json.dumps(entry) for entry in spoilt_entries))
        assert 0 <= signs(source) <= 1
        for transcript in read(source):
            check(transcript)


def test_a_run_tells_its_calls_with_usage(tmp_path: Path) -> None:
    session = load_task("quickstart").session(path=tmp_path / "run")
    session.run(4)
    found = load(tmp_path / "run")
    assert isinstance(found, Transcript)
    assert found.messages == session.transcript.messages
    assert found.origin is not None
    sent = found.origin.sent
    assert len(sent) >= 4
    assert all(found.messages[c.reply]["role"] == "assistant" for c in sent if c.reply is not None)
    events = [json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()]
    reported = [e["input_tokens"] for e in events if e["kind"] == "usage" and e["reported"]]
    assert [c.usage.input_tokens for c in sent if c.usage] == reported
    assert len(view_sent(found, len(sent))) == sent[-1].before


def test_lines_of_another_kind_are_no_sign_of_it() -> None:
    assert signs(lines({"a": 1})) == signs(lines({"role": "user", "content": "x"})) == 0
    assert signs(lines(*ENTRIES[1:])) == pytest.approx(0.7)


@pytest.mark.parametrize(
    "origin",
    [
        {
            "sent": [{"before": 99, "reply": 99}, {"before": None}, 5],
            "compactions": [{"at": 1, "covers": [[5, 9]]}],
        },
        {
            "sent": None,
            "children": [{"messages": [1], "origin": 2}],
            "tools": "x",
            "unknown": 3,
            "window": -1,
        },
        {"compactions": [{"at": 2, "text": "s", "covers": [[0, 900], [3, 1], "x", [1]]}]},
    ],
)
def test_an_odd_origin_is_read_as_far_as_it_makes_sense(origin: object) -> None:
    (transcript,) = read(lines(*ENTRIES, {"entry": "origin", "origin": origin}))
    assert transcript.origin is not None
    for call_of_it in transcript.origin.sent:
        assert call_of_it.before <= len(transcript)
        assert call_of_it.reply is None
    for one in transcript.origin.compactions:
        assert one.covers == [[0, 4]]


def test_the_source_of_a_run_is_told_by_content_not_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("\n".join(map(json.dumps, ENTRIES)))
    assert signs(Source(path)) == 1
