"""mini-swe-agent's trajectories of every version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers import mini_swe_agent, openai_chat
from opencollab_nb.importers.source import Source
from opencollab_nb.messages import tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.importers.files import whole
from tests.importers.swe_files import MINI_CALLS, MINI_ITEMS

ACTING = [
    {"role": "system", "content": "be good"},
    {"role": "user", "content": "fix it"},
    {"role": "assistant", "content": "I look.\n```bash\nls\n```"},
    {"role": "user", "content": [{"type": "text", "text": "Observation: {'output': '', 'returncode': 1}"}]},
]


def read(value: Any) -> Transcript:
    source = whole(value)
    assert mini_swe_agent.signs(source) > openai_chat.signs(source)
    (only,) = mini_swe_agent.read(source)
    return only


def test_a_bare_list_is_told_by_its_commands() -> None:
    transcript = read(ACTING)
    assert [message["meta"]["source"] for message in transcript.messages] == [
        "system",
        "task",
        "reply",
        "tool",
    ]
    assert not any(map(tool_calls_of, transcript.messages))


def test_a_list_of_plain_talk_is_none_of_its_files() -> None:
    assert (
        mini_swe_agent.signs(
            whole([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hi"}])
        )
        == 0
    )


def test_an_older_file_is_told_by_what_stands_beside_its_messages() -> None:
    transcript = read(
        {"info": {"exit_status": "LimitsExceeded", "submission": "", "model_stats": {}}, "messages": ACTING}
    )
    assert transcript.origin is not None
    assert transcript.origin.outcome == "LimitsExceeded"


def test_usage_and_errors_come_from_what_stands_beside_a_message() -> None:
    transcript = read(MINI_CALLS)
    assert transcript.origin is not None
    assert transcript.origin.sent[0].usage == Usage(100, 80, 20)
    assert [bool(message["meta"].get("error")) for message in transcript.messages] == [False] * 4 + [
        True,
        True,
    ]
    assert all("extra" not in message for message in transcript.messages)


def test_a_reply_that_could_not_be_used_was_asked_and_paid_for() -> None:
    transcript = read(MINI_CALLS)
    assert transcript.origin is not None
    assert [(call.before, call.reply) for call in transcript.origin.sent] == [(2, 2), (5, None)]
    assert transcript.origin.usage == Usage(200, 160, 40)


def test_the_note_of_the_end_is_no_message() -> None:
    origin = read(MINI_CALLS).origin
    assert origin is not None
    assert dict(origin.skipped) == {"exit": 1}
    assert (origin.read, origin.used, origin.outcome) == (7, 6, "Submitted")


def test_answers_of_the_responses_api_are_replies() -> None:
    transcript = read(MINI_ITEMS)
    reply, result = transcript.messages[2:]
    assert [part["type"] for part in reply["content"]] == ["reasoning"]
    assert [call["id"] for call in tool_calls_of(reply)] == [result["tool_call_id"]] == ["c1"]
    assert transcript.origin is not None
    assert transcript.origin.sent[0].usage == Usage(50, 40, 9)


def test_the_recorded_list_comes_whole(shared: Path) -> None:
    (transcript,) = mini_swe_agent.read(Source(shared / "transcripts/mini-swe-agent/github_issue.traj.json"))
    assert transcript.origin is not None
    assert (len(transcript), len(transcript.origin.sent), transcript.origin.used) == (22, 10, 22)


@pytest.mark.parametrize(
    ("told", "failed"),
    [
        ("<returncode>1</returncode>\n<output>no</output>", True),
        ("<returncode>0</returncode>\n<output>\n<returncode>1</returncode></output>", False),
        ("{'returncode': 2, 'output': ''}", True),
        ("Observation: {'output': \"'returncode': 0\", 'returncode': 127}", True),
        ([{"type": "text", "text": "<returncode>-1</returncode>"}], True),
        ("no return code at all", False),
    ],
)
def test_an_older_result_tells_its_failure_in_its_text(told: Any, failed: bool) -> None:
    (transcript,) = mini_swe_agent.read(whole([*ACTING[:3], {"role": "user", "content": told}]))
    assert transcript.messages[-1]["meta"].get("error", False) is failed
