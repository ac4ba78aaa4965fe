"""Inspect logs."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers import inspect_log, load
from opencollab_nb.importers.inspect_messages import usage_of_event
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.importers.files import whole
from tests.importers.inspect_files import DONE, EVENTS, LOG, LOOKS, SAMPLE, SYSTEM, TASK, model, usage


def read(sample: dict[str, Any]) -> Transcript:
    (only,) = inspect_log.read(whole({**LOG, "samples": [sample]}))
    return only


def packed(files: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, value in files.items():
            archive.writestr(name, json.dumps(value))
    return out.getvalue()


def texts(transcript: Transcript) -> list[str]:
    return [text_of(message) for message in transcript.messages]


def test_a_sample_comes_with_its_attachments_errors_and_reasoning() -> None:
    transcript = read(SAMPLE)
    assert [message["role"] for message in transcript.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert texts(transcript)[3:5] == ["a long output", "too slow"]
    assert [bool(message["meta"].get("error")) for message in transcript.messages[3:5]] == [False, True]
    assert tool_calls_of(transcript.messages[2])[0]["function"]["arguments"] == '{"cmd": "ls"}'
    assert transcript.messages[2]["content"][0]["type"] == "reasoning"  # type: ignore[index]
    assert transcript.notices == []


def test_a_compaction_leaves_the_transcript_whole_and_shows_what_was_sent() -> None:
    transcript = read(SAMPLE)
    assert transcript.origin is not None
    (one,) = transcript.origin.compactions
    assert (one.covers, one.text, one.tokens_before) == ([[2, 4]], "looked", 5000)
    assert [text_of(message) for message in view_sent(transcript, 2)] == ["be good", "fix it", "looked"]


def test_what_the_final_state_lost_is_taken_from_the_requests() -> None:
    summary = EVENTS[-1]["input"][-1]
    transcript = read({**SAMPLE, "messages": [SYSTEM, TASK, summary, DONE]})
    assert texts(transcript)[0::2] == ["be good", text_of(LOOKS), "[interrupted]"]
    assert "looked" not in texts(transcript)
    assert transcript.origin is not None
    assert len(transcript.origin.compactions) == 1


def test_results_that_a_compaction_cleared_are_shown_as_sent() -> None:
    cleared = {**SAMPLE["messages"][3], "content": "(cleared)"}
    given = [SYSTEM, TASK, LOOKS, cleared, SAMPLE["messages"][4]]
    transcript = read({**SAMPLE, "events": [*EVENTS[:-1], model(given, DONE)]})
    assert [text_of(message) for message in view_sent(transcript, 2)][3] == "(cleared)"
    assert texts(transcript)[3] == "a long output"


def test_calls_of_other_conversations_are_children() -> None:
    origin = read(SAMPLE).origin
    assert origin is not None
    (child,) = origin.children
    assert texts(child) == ["look it up", "found"]
    assert (len(origin.sent), origin.read) == (2, origin.used + sum(origin.skipped.values()))


def test_a_call_that_failed_was_asked() -> None:
    events = [EVENTS[1], {**model([SYSTEM, TASK, LOOKS], None), "error": "busy"}, EVENTS[-1]]
    origin = read({**SAMPLE, "events": events}).origin
    assert origin is not None
    assert [call.reply is None for call in origin.sent] == [False, True, False]


def test_replies_that_no_event_brought_keep_their_place_and_are_no_calls() -> None:
    shot = {"id": "m9", "role": "assistant", "content": "an example", "source": "input"}
    messages = [SYSTEM, TASK, shot, {**TASK, "id": "m8"}, DONE]
    transcript = read({**SAMPLE, "messages": messages, "events": [model(messages[:-1], DONE)]})
    assert texts(transcript) == ["be good", "fix it", "an example", "fix it", "Done."]
    assert transcript.origin is not None
    assert [call.reply for call in transcript.origin.sent] == [4]


def test_messages_without_ids_are_matched_in_order() -> None:
    value = copy.deepcopy(SAMPLE)
    for message in value["messages"]:
        del message["id"]
    value["events"] = [model([], LOOKS, usage(100, 20, 120, 80)), model([], DONE, usage(200, 5, 205, 0))]
    origin = read(value).origin
    assert origin is not None
    assert [call.usage and call.usage.input_tokens for call in origin.sent] == [100, 200]


@pytest.mark.parametrize(
    ("own", "raw", "expected"),
    [
        (usage(100, 5, 105, 80), None, Usage(100, 80, 5)),
        (usage(10, 5, 105, 80, 10), None, Usage(100, 80, 5)),
        (usage(90, 5, 105, 5, 5), None, Usage(100, 5, 5)),
        (usage(100, 5, 105, 80), {"prompt_tokens": 100, "completion_tokens": 5}, Usage(100, 0, 5)),
        (
            {"input_tokens": 90, "output_tokens": 5, "input_tokens_cache_read": 10},
            {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 5},
            Usage(100, 10, 5),
        ),
        ({"input_tokens": 7, "output_tokens": 5, "total_tokens": 12}, None, Usage(7, 0, 5)),
        (None, None, None),
    ],
)
def test_the_cache_is_inside_the_input_however_it_was_counted(
    own: Any, raw: Any, expected: Usage | None
) -> None:
    event = {"output": {"usage": own}, "call": {"response": {"usage": raw}}}
    assert usage_of_event(event) == expected


def test_an_archive_holds_the_same_samples() -> None:
    files = {
        "_journal/start.json": {"eval": LOG["eval"]},
        "samples/1_epoch_1.json": SAMPLE,
        "header.json": {"status": "success"},
    }
    source = Source(Held(packed(files), "log"))
    assert inspect_log.signs(source) > 0.9
    (transcript,) = inspect_log.read(source)
    assert texts(transcript) == texts(read(SAMPLE))
    assert transcript.origin is not None
    assert transcript.origin.title == "t, sample 1"


def test_an_archive_that_is_cut_off_gives_the_samples_before_the_cut() -> None:
    files = {f"samples/{n}_epoch_1.json": {**SAMPLE, "id": n} for n in range(3)}
    data = packed(files)
    found = inspect_log.read(Source(Held(data[: len(data) * 3 // 5], "log")))
    assert [one.origin.name for one in found if one.origin] == ["log[0]", "log[1]"]
    assert any("end is missing" in notice for one in found for notice in one.notices)


def test_a_sample_spread_over_the_archive_is_put_together() -> None:
    pool = [
        SYSTEM,
        TASK,
        LOOKS,
        SAMPLE["messages"][3] | {"content": "attachment://0"},
        SAMPLE["messages"][4],
        DONE,
    ]
    place = "samples/1_epoch_1"
    refs = {**model([], LOOKS, usage(100, 20, 120, 80)), "input_refs": [[0, 2]]}
    files = {
        "header.json": LOG,
        f"{place}/sample.json": {"id": 1, "epoch": 1, "message_refs": [[0, 6]]},
        f"{place}/messages/0.json": pool[:4],
        f"{place}/messages/4.json": pool[4:],
        f"{place}/events/0.json": [refs],
        f"{place}/events/stats.json": {"n": 1},
        f"{place}/attachments/0.json": ["a long output"],
    }
    (transcript,) = inspect_log.read(Source(Held(packed(files), "log")))
    assert texts(transcript) == texts(read(SAMPLE))
    assert transcript.origin is not None
    assert transcript.origin.sent[0].usage == Usage(100, 80, 20)


def test_a_sample_that_cannot_be_unpacked_is_named(tmp_path: Path) -> None:
    data = bytearray(
        packed({"samples/1_epoch_1.json": SAMPLE, "samples/2_epoch_1.json": SAMPLE}, zipfile.ZIP_STORED)
    )
    first = data.find(b"attachment")
    data[first : first + 10] = b"attackment"
    (transcript,) = inspect_log.read(Source(Held(bytes(data), "log")))
    assert any("samples/1_epoch_1.json: damaged in the archive" in notice for notice in transcript.notices)


def test_each_sample_and_epoch_has_a_name() -> None:
    found = inspect_log.read(whole({**LOG, "samples": [SAMPLE, {**SAMPLE, "epoch": 2}]}))
    assert [one.origin.name for one in found if one.origin] == ["whole.json[1]", "whole.json[1 epoch 2]"]


def test_one_sample_by_itself_is_a_log() -> None:
    assert inspect_log.signs(whole(SAMPLE)) > 0.5
    (transcript,) = inspect_log.read(whole(SAMPLE))
    assert texts(transcript) == texts(read(SAMPLE))


def test_the_recorded_log_comes_whole_with_its_usage(shared: Path) -> None:
    transcript = load(shared / "transcripts/inspect/2025-05-12T20-27-36-04-00_browser.json")
    assert isinstance(transcript, Transcript)
    assert transcript.origin is not None
    assert (len(transcript), len(transcript.origin.sent)) == (10, 5)
    assert transcript.origin.usage == Usage(15_235, 9_088, 281)
    assert max(call.usage.input_tokens for call in transcript.origin.sent if call.usage) == 5_915
    assert len(transcript.origin.tools) == 8


def _older() -> dict[str, Any]:
    """A sample without ids, as logs of 2024 have it."""
    value = copy.deepcopy(SAMPLE)
    for message in value["messages"]:
        del message["id"]
    return {**value, "events": [], "scores": {}}


def test_a_grader_between_the_calls_takes_no_usage_from_the_replies() -> None:
    looks, done = copy.deepcopy(LOOKS), {**DONE, "content": "attachment://long"}
    grades = model([], {"role": "assistant", "content": "GRADE: C"}, usage(7, 1, 8, 0))
    events = [model([], looks, usage(100, 20, 120, 80)), grades, model([], done, usage(200, 5, 205, 0))]
    value = {**_older(), "events": events}
    value["messages"][-1] = {"role": "assistant", "content": "a long output"}
    origin = read(value).origin
    assert origin is not None
    assert [call.usage and call.usage.input_tokens for call in origin.sent] == [100, 200]
    assert [len(child) for child in origin.children] == [1]


def test_events_and_attachments_of_the_oldest_logs_stand_under_transcript() -> None:
    value = {key: one for key, one in _older().items() if key not in ("events", "attachments")}
    value["messages"] = [value["messages"][1], {"role": "assistant", "content": "Done."}]
    held = {"ab": "fix it", "cd": "Done."}
    reply = {"role": "assistant", "content": "tc://cd"}
    value["transcript"] = {"events": [model([], reply, usage(9, 2, 11, 0))], "content": held}
    origin = read(value).origin
    assert origin is not None
    assert [call.usage for call in origin.sent] == [Usage(9, 0, 2)]


def test_a_sample_without_events_has_the_usage_of_its_last_answer() -> None:
    value = _older()
    value["output"] = {"model": "m-1", "choices": [{"message": DONE}], "usage": usage(9, 2, 11, 0)}
    origin = read(value).origin
    assert origin is not None
    assert [call.usage for call in origin.sent] == [None, Usage(9, 0, 2)]
