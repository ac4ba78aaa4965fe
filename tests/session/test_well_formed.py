"""Whatever a model replies, the session can go on with it."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.models import Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session.well_formed import well_formed
from tests.models.server import fault_of
from tests.session.build import a_session, calling, tool_call

ODD_CALLS: list[Any] = [
    {"id": "a", "type": "function", "function": "echo"},
    {"id": "a", "type": "function", "function": None},
    {"id": "a", "type": "custom", "custom": {"name": "x", "input": "y"}},
    {"id": 5, "type": "function", "function": {"name": None, "arguments": None}},
    {"id": "", "type": "function", "function": {"name": 7, "arguments": {"text": "yo"}}},
    {"type": "function", "function": {"name": "echo", "arguments": [1]}},
    "echo",
]


@pytest.mark.parametrize("call", ODD_CALLS, ids=str)
def test_an_odd_call_is_answered_and_the_history_can_be_sent(call: Any) -> None:
    session = a_session(replies=[{"role": "assistant", "tool_calls": [call]}, "done"])
    assert session.run() == "done"
    sent = session.model.requests[1].wire
    assert fault_of({"messages": sent}) is None
    assert all(c["function"]["name"] for m in sent for c in m.get("tool_calls", ()))
    assert session.request().wire[: len(sent)] == sent


@pytest.mark.parametrize("content", [42, {"a": 1}, [1, None], ["text"], True], ids=str)
def test_content_of_another_kind_becomes_text(content: Any) -> None:
    session = a_session(replies=[{"role": "assistant", "content": content}])
    assert session.run() == "done"
    assert isinstance(session.transcript.messages[-1]["content"], str)


def test_a_sound_reply_stays_as_it_came() -> None:
    reply = calling(tool_call(), text="I look.")
    assert well_formed(reply) == reply
    assert well_formed(reply)["tool_calls"][0] is reply["tool_calls"][0]


@pytest.mark.parametrize("reason", ["STOP", "eos_token", "stop_sequence", "end_turn", None])
def test_a_model_that_ended_by_itself_has_handed_back(reason: Any) -> None:
    model = ScriptedModel([Reply({"role": "assistant", "content": "All done."}, finish_reason=reason)])
    assert a_session(model=model).run() == "done"
