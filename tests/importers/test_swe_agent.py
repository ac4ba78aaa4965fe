"""SWE-agent's trajectories, with calls and with actions in the text."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers import swe_agent
from opencollab_nb.importers.source import Source
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.transcript import Transcript
from tests.importers.files import whole
from tests.importers.swe_files import SWE_AGENT


def read(value: Any) -> Transcript:
    source = whole(value)
    assert swe_agent.signs(source) >= 0.9
    (only,) = swe_agent.read(source)
    return only


def sources(transcript: Transcript) -> list[str]:
    return [message["meta"]["source"] for message in transcript.messages]


def test_a_demonstration_is_context_and_the_task_is_what_follows_it() -> None:
    transcript = read(SWE_AGENT)
    assert sources(transcript) == ["system", "context", "task", "reply", "tool", "reply"]
    assert transcript.messages[2]["content"] == [{"type": "text", "text": "fix it"}]


def test_a_result_answers_the_call_of_its_list_of_ids() -> None:
    transcript = read(SWE_AGENT)
    assert transcript.messages[4] | {"meta": {}} == {
        "role": "tool",
        "content": "old\noutput",
        "tool_call_id": "c1",
        "meta": {},
    }
    assert transcript.notices == []


def test_thinking_stays_beside_the_reply_and_notes_of_the_agent_do_not() -> None:
    reply = read(SWE_AGENT).messages[3]
    assert reply.keys() == {"role", "content", "tool_calls", "thinking_blocks", "meta"}


def test_a_reply_that_only_the_steps_hold_was_asked_for_too() -> None:
    origin = read(SWE_AGENT).origin
    assert origin is not None
    assert [(call.before, call.reply, call.model) for call in origin.sent] == [
        (3, 3, "m-1"),
        (5, None, "m-1"),
        (5, 5, "m-1"),
    ]


def test_what_a_step_shows_of_its_request_is_what_was_sent() -> None:
    transcript = read(SWE_AGENT)
    elided = view_sent(transcript, 3)[-1]
    assert text_of(elided) == "Old environment output: (2 lines omitted)"
    assert (elided["role"], elided["tool_call_id"]) == ("tool", "c1")
    assert text_of(transcript.messages[4]) == "old\noutput"


def test_every_record_is_counted() -> None:
    origin = read(SWE_AGENT).origin
    assert origin is not None
    assert (origin.read, origin.used, dict(origin.skipped)) == (9, 6, {"step that the history repeats": 3})
    assert origin.outcome == "submitted"


def test_each_attempt_is_a_transcript() -> None:
    found = swe_agent.read(whole({"attempts": [SWE_AGENT, SWE_AGENT], **SWE_AGENT}))
    assert [one.origin.name for one in found if one.origin] == ["whole.json[0]", "whole.json[1]"]


def test_another_agent_of_the_history_is_a_child() -> None:
    value = copy.deepcopy(SWE_AGENT)
    value["history"][4:4] = [
        {"role": "user", "content": "look it up", "agent": "helper"},
        {"role": "assistant", "content": "found", "agent": "helper"},
    ]
    transcript = read(value)
    assert transcript.origin is not None
    (child,) = transcript.origin.children
    assert [message["content"] for message in child.messages] == ["look it up", "found"]
    assert len(transcript) == 6


def test_a_file_without_history_is_put_together_from_its_steps() -> None:
    steps = [
        {
            "action": "ls",
            "observation": "a",
            "response": "I look.",
            "query": [{"role": "user", "content": "fix it"}],
        },
        {"action": "submit", "observation": "", "response": "Done.", "thought": ""},
    ]
    transcript = read({"trajectory": steps, "info": {}})
    assert [text_of(message) for message in transcript.messages] == [
        "fix it",
        "I look.",
        "a",
        "Done.",
        "[no output]",
    ]


def test_what_a_window_of_observations_left_out_is_named_as_unknown() -> None:
    config = {"agent": {"history_processors": [{"type": "last_n_observations", "n": 5}]}}
    value = {**SWE_AGENT, "trajectory": [], "replay_config": config}
    origin = read(value).origin
    assert origin is not None
    assert any("last_n_observations" in what for what in origin.unknown)


@pytest.mark.parametrize(
    ("name", "messages", "calls", "replies", "compactions"),
    [
        ("ctf-web-i_got_id_demo.traj", 43, 0, 21, 0),
        ("marshmallow-1867-function_calling.traj", 24, 11, 11, 0),
        ("marshmallow-1867-function_calling_replace_from_source.traj", 28, 13, 13, 7),
        ("marshmallow-1867-xml.traj", 25, 0, 12, 0),
    ],
)
def test_recorded_trajectories_come_whole(
    shared: Path, name: str, messages: int, calls: int, replies: int, compactions: int
) -> None:
    (transcript,) = swe_agent.read(Source(shared / "transcripts/swe-agent" / name))
    assert transcript.origin is not None
    assert len(transcript) == messages
    assert sum(len(tool_calls_of(message)) for message in transcript.messages) == calls
    assert len(transcript.origin.sent) == replies
    assert len(transcript.origin.compactions) == compactions
    assert transcript.notices == []


def test_each_recorded_request_is_what_its_step_shows(shared: Path) -> None:
    path = shared / "transcripts/swe-agent/marshmallow-1867-function_calling_replace_from_source.traj"
    (transcript,) = swe_agent.read(Source(path))
    steps = Source(path).json["trajectory"]
    # What stood after a step is what was sent for the next one.
    for n in range(1, len(steps)):
        sent = [text_of(message) for message in view_sent(transcript, n + 1)]
        assert sent == [text_of(message) for message in steps[n - 1]["messages"]]


def test_a_history_by_itself_is_told_by_what_stands_beside_its_messages() -> None:
    said = {"role": "user", "content": "fix it", "agent": "main", "message_type": "observation"}
    transcript = read({"history": [{**said, "role": "system"}, said]})
    assert [message["role"] for message in transcript.messages] == ["system", "user"]
    assert swe_agent.signs(whole({"history": [{"role": "user", "content": "fix it"}]})) == 0
