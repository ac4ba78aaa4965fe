"""Where OpenHands reports usage."""

from __future__ import annotations

from opencollab_nb.importers import openhands
from opencollab_nb.importers.openhands_usage import Reports
from tests.importers.files import whole


def test_rows_without_ids_belong_to_the_replies_in_order() -> None:
    talk = [
        {"action": "message", "source": who, "args": {"content": who}, "id": n}
        for n, who in enumerate(["user", "agent", "user", "agent"])
    ]
    rows = [{"prompt_tokens": n, "completion_tokens": 1, "cache_read_tokens": 0} for n in (10, 20)]
    (transcript,) = openhands.read(whole({"history": talk, "metrics": {"token_usages": rows}}))
    assert transcript.origin is not None
    assert [call.usage.input_tokens for call in transcript.origin.sent if call.usage] == [10, 20]


def test_more_rows_than_replies_belong_to_none() -> None:
    talk = [{"action": "message", "source": "agent", "args": {"content": "a"}}]
    rows = [{"prompt_tokens": n, "completion_tokens": 1, "cache_read_tokens": 0} for n in (10, 20)]
    (transcript,) = openhands.read(whole({"history": talk, "metrics": {"token_usages": rows}}))
    assert transcript.origin is not None
    assert transcript.origin.usage is None


def test_state_updates_hold_the_rows_of_those_before_them() -> None:
    row = {"prompt_tokens": 10, "completion_tokens": 1, "response_id": "r1", "cache_read_tokens": 4}
    stats = {"usage_to_metrics": {"agent": {"token_usages": [row]}}}
    events = [{"kind": "ConversationStateUpdateEvent", "key": "stats", "value": stats}] * 2
    assert Reports({}, events).of("r1") == Reports({"stats": stats}, []).of("r1")
    assert Reports({}, [{"key": "full_state", "value": {"stats": stats}}]).of("r1") is not None


def test_a_cache_larger_than_the_prompt_was_counted_beside_it() -> None:
    row = {"prompt_tokens": 10, "completion_tokens": 1, "response_id": "r1", "cache_read_tokens": 90}
    usage = Reports({"metrics": {"token_usages": [row]}}, []).of("r1")
    assert usage is not None
    assert (usage.input_tokens, usage.cached_input_tokens) == (100, 90)
