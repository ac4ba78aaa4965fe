"""Events of the OpenHands SDK."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import openhands
from opencollab_nb.importers.openhands_branch import living
from opencollab_nb.importers.openhands_parts import parts_of
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.importers.files import whole
from tests.importers.openhands_files import KINDS_METRICS, OPENHANDS_KINDS


def read(events: list[Any], **beside: Any) -> Transcript:
    (only,) = openhands.read(whole({"history": events, **beside}))
    return only


def test_parallel_actions_are_one_reply_with_its_reasoning_and_usage() -> None:
    transcript = read(OPENHANDS_KINDS, metrics=KINDS_METRICS)
    assert [message["role"] for message in transcript.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    reply: Any = transcript.messages[2]
    assert [call["id"] for call in tool_calls_of(reply)] == ["c1", "c2"]
    assert (reply["content"], reply["reasoning_content"]) == ("I look.", "well")
    assert transcript.origin is not None
    assert [call.usage for call in transcript.origin.sent] == [Usage(100, 80, 20, 5), Usage(150, 100, 2)]


def test_context_images_and_rules_are_sent_with_the_message() -> None:
    system, user = read(OPENHANDS_KINDS).messages[:2]
    assert system["content"] == "be good\non host x"
    assert [part["type"] for part in user["content"]] == ["text", "image_url", "text"]


def test_an_error_of_the_agent_answers_its_call() -> None:
    messages = read(OPENHANDS_KINDS).messages
    assert (messages[4]["tool_call_id"], messages[4]["content"]) == ("c2", "no such tool")
    assert [bool(message["meta"].get("error")) for message in messages[3:5]] == [False, True]


def test_a_condensation_covers_the_events_it_forgets() -> None:
    origin = read(OPENHANDS_KINDS).origin
    assert origin is not None
    assert [(one.at, one.covers, one.text) for one in origin.compactions] == [(5, [[2, 4]], "looked")]
    assert dict(origin.skipped) == {"ConversationStateUpdateEvent": 1}
    assert origin.outcome == "finished"


def test_a_summary_whose_originals_are_not_there_is_a_message() -> None:
    summary = {"id": "s", "kind": "CondensationSummaryEvent", "source": "environment", "summary": "before"}
    transcript = read([summary, OPENHANDS_KINDS[1], OPENHANDS_KINDS[-1]])
    assert transcript.messages[0]["meta"]["source"] == "summary"


def test_tools_are_named_and_their_parameters_are_unknown() -> None:
    origin = read(OPENHANDS_KINDS).origin
    assert origin is not None
    assert [tool["function"]["name"] for tool in origin.tools] == ["terminal"]
    assert "parameters of tools" in origin.unknown


def test_a_refusal_of_the_user_is_a_failed_result() -> None:
    refused = {
        "id": "x",
        "kind": "UserRejectObservation",
        "tool_name": "terminal",
        "tool_call_id": "c1",
        "rejection_reason": "no",
    }
    transcript = read([*OPENHANDS_KINDS[:3], refused])
    assert text_of(transcript.messages[3]) == "Action rejected: no"
    assert transcript.messages[3]["meta"]["error"] is True


def test_contents_of_any_type_become_parts() -> None:
    assert parts_of(["a", {"text": "b"}, 5, None]) == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
        {"type": "text", "text": "5"},
    ]


def test_what_the_user_went_back_behind_is_counted_as_abandoned() -> None:
    def said(own: str, parent: str | None, by: str) -> dict[str, Any]:
        message = {"role": by, "content": [{"type": "text", "text": own}]}
        return {"id": own, "parent_id": parent, "kind": "MessageEvent", "source": by, "llm_message": message}

    events = [said("ask", None, "user"), said("left", "ask", "assistant"), said("right", "ask", "assistant")]
    for leaf, kept in (("left", "left"), (None, "right")):
        transcript = read(events, leaf_event_id=leaf)
        assert [text_of(message) for message in transcript.messages] == ["ask", kept]
        assert transcript.origin is not None
        assert dict(transcript.origin.skipped) == {"on an abandoned branch": 1}


def test_calls_of_one_reply_that_name_one_parent_both_stay() -> None:
    events = [{**event, "parent_id": "e1"} for event in OPENHANDS_KINDS]
    calls = [event for event in events if event.get("llm_response_id") == events[2]["llm_response_id"]]
    assert len(calls) > 1
    assert living(calls) == calls
