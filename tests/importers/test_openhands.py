"""Files and folders of OpenHands runs."""

from __future__ import annotations

import json
from pathlib import Path

from opencollab_nb.importers import load, openhands
from opencollab_nb.importers.collection import Transcripts
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.messages import tool_calls_of
from opencollab_nb.transcript import Transcript
from tests.importers.files import lines, whole
from tests.importers.openhands_files import KINDS_METRICS, OPENHANDS_KINDS, OPENHANDS_NESTED


def test_events_are_found_in_every_form_of_file() -> None:
    forms = [
        whole(OPENHANDS_NESTED),
        whole({"trajectory": OPENHANDS_NESTED}),
        whole({"items": OPENHANDS_KINDS, "next_page_id": None}),
        lines(*OPENHANDS_NESTED),
        lines({"instance_id": "a", "history": OPENHANDS_NESTED, "metrics": {}}, {"other": 1}),
    ]
    for form in forms:
        assert openhands.signs(form) > 0.9
        (transcript,) = openhands.read(form)
        assert len(transcript) > 4


def test_each_line_of_an_evaluation_is_a_run() -> None:
    runs = [{"instance_id": name, "history": OPENHANDS_NESTED, "error": None} for name in ("a", "b")]
    found = openhands.read(lines(*runs))
    assert [one.origin.name for one in found if one.origin] == ["lines.jsonl[a]", "lines.jsonl[b]"]


def test_a_record_whose_run_was_lost_is_counted() -> None:
    (transcript,) = openhands.read(
        lines({"history": OPENHANDS_NESTED}, {"instance_id": "b", "history": None})
    )
    assert transcript.origin is not None
    assert transcript.origin.skipped["record without events"] == 1


def test_the_oldest_runs_pair_an_action_with_its_observation() -> None:
    pairs = [
        [{"action": "message", "content": "fix it"}, {"observation": "null", "content": ""}],
        [
            {"action": "run", "command": "ls", "thought": "I look."},
            {"observation": "run", "content": "a", "exit_code": 0},
        ],
    ]
    (transcript,) = openhands.read(whole({"history": pairs}))
    assert [message["role"] for message in transcript.messages] == ["user", "assistant", "tool"]


def test_a_broken_line_among_events_is_told_and_passed_over() -> None:
    text = "\n".join([json.dumps(OPENHANDS_NESTED[1]), '{"id": 2, "act', json.dumps(OPENHANDS_NESTED[5])])
    (transcript,) = openhands.read(Source(Held(text.encode(), "cut.jsonl")))
    assert transcript.origin is not None
    assert transcript.origin.skipped["damaged"] == 1
    assert any("record 2" in notice for notice in transcript.notices)


def test_a_folder_of_event_files_is_one_run_in_the_order_of_numbers(tmp_path: Path) -> None:
    events = tmp_path / "talk" / "events"
    events.mkdir(parents=True)
    for event in OPENHANDS_NESTED:
        (events / f"{event['id']}.json").write_text(json.dumps(event))
    loaded = load(events)
    assert isinstance(loaded, Transcripts)
    (together,) = loaded
    (alone,) = openhands.read(whole(OPENHANDS_NESTED))
    assert [m["content"] for m in together.messages] == [m["content"] for m in alone.messages]
    assert together.origin is not None
    assert together.origin.name == "talk"


def test_a_folder_of_events_finds_the_usage_in_the_state_beside_it(tmp_path: Path) -> None:
    events = tmp_path / "talk" / "events"
    events.mkdir(parents=True)
    for n, event in enumerate(OPENHANDS_KINDS):
        (events / f"event-{n:05}-{event['id']}.json").write_text(json.dumps(event))
    state = {"stats": {"usage_to_metrics": {"agent": KINDS_METRICS}}, "execution_status": "finished"}
    (tmp_path / "talk" / "base_state.json").write_text(json.dumps(state))
    loaded = load(tmp_path / "talk")
    assert isinstance(loaded, Transcripts)
    (transcript,) = loaded
    assert isinstance(transcript, Transcript)
    assert transcript.origin is not None
    assert [call.usage.input_tokens for call in transcript.origin.sent if call.usage] == [100, 150]
    assert transcript.origin.window == 128_000


def test_the_recorded_run_comes_whole(shared: Path) -> None:
    (transcript,) = openhands.read(Source(shared / "transcripts/openhands/resolver-output-dark-mode.jsonl"))
    assert transcript.origin is not None
    assert (len(transcript), transcript.origin.used, len(transcript.origin.sent)) == (44, 44, 22)
    assert sum(len(tool_calls_of(message)) for message in transcript.messages) == 21
    assert not any(message["meta"].get("error") for message in transcript.messages)
    assert transcript.notices == []
