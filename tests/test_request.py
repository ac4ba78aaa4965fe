"""What goes out: the wire form, and its repairs in the outgoing copy."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.request import INTERRUPTED, Request, paired, scrubbed, wire_faults
from tests.build import assistant, call, result, user

MESSY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=20) | st.sampled_from(
    ["", "a" + chr(0xD83E)]
)
ANY_ID = st.sampled_from(["call_0", "a", "b", ""])


@st.composite
def messy_histories(draw: st.DrawFn) -> list[dict]:
    """Anything a damaged file or a strange server can put together."""
    kinds = st.sampled_from(["user", "assistant", "calls", "tool"])
    out = [{"role": "user", "content": "task", "meta": {"id": 0, "secret": "private"}}]
    for kind in draw(st.lists(kinds, max_size=8)):
        text = draw(
            MESSY_TEXT | st.none() | st.just([]) | MESSY_TEXT.map(lambda t: [{"type": "text", "text": t}])
        )
        message: dict = {"role": kind, "content": text, "meta": {"id": len(out)}}
        if kind == "calls":
            arguments = draw(st.sampled_from(["{}", '{"path": "a"}', "", '{"value": ', "[1]", "null"]))
            calls = [
                {"id": draw(ANY_ID), "type": "function", "function": {"name": "bash", "arguments": arguments}}
                for _ in range(draw(st.integers(1, 3)))
            ]
            message = {"role": "assistant", "content": text, "tool_calls": calls}
        if kind == "tool":
            message["tool_call_id"] = draw(ANY_ID)
        out.append(message)
    return out


@given(messy_histories())
def test_what_goes_out_is_paired_and_holds_no_private_data(history: list[dict]) -> None:
    before = copy.deepcopy(history)
    out = Request(history).wire
    assert history == before, "the stored messages stay as they are"
    assert "meta" not in {key for message in out for key in message}
    waiting: list[str] = []
    for message in out:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, "a call is answered before anything else follows"
        waiting += [c["id"] for c in message.get("tool_calls") or ()]
        for c in message.get("tool_calls") or ():
            assert isinstance(json.loads(c["function"]["arguments"]), dict)
    assert not waiting
    json.dumps(out, ensure_ascii=False).encode()


@given(messy_histories())
def test_no_text_is_lost_on_the_way_out(history: list[dict]) -> None:
    sent = json.dumps(Request(history).wire, ensure_ascii=False)
    for message in history:
        for text in [message["content"]] if isinstance(message["content"], str) else []:
            assert json.dumps(scrubbed(text), ensure_ascii=False)[1:-1] in sent


def test_a_sound_history_goes_out_as_it_is() -> None:
    history = [user("do it"), assistant(None, call("bash", {"command": "ls"}, "c1")), result("a.py", "c1")]
    assert Request(history).wire == [
        {"role": "user", "content": "do it"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "bash", "arguments": '{"command": "ls"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
    ]


def test_fault_20_one_constant_id_for_all_calls_loses_no_result() -> None:
    history = [assistant(None, call("bash", {}, "call_0")), result("1", "call_0")] * 2
    assert [m["content"] for m in paired(history) if m["role"] == "tool"] == ["1", "1"]


def test_fault_21_an_unanswered_call_is_answered_as_interrupted_where_it_stands() -> None:
    history = [
        assistant(None, call("bash", {}, "x")),
        result("1", "x"),
        assistant(None, call("bash", {}, "x")),
        user("?"),
    ]
    assert [m.get("content") for m in paired(history)][-2:] == [INTERRUPTED, "?"]


def test_fault_84_broken_arguments_go_out_as_valid_json_and_stay_stored_as_they_were() -> None:
    broken = call("bash", {}, "x")
    broken["function"]["arguments"] = '{"value": '
    (out,) = [m for m in Request([assistant(None, broken)]).wire if m["role"] == "assistant"]
    assert json.loads(out["tool_calls"][0]["function"]["arguments"]) == {"invalid_arguments": '{"value": '}
    assert broken["function"]["arguments"] == '{"value": '


def test_fault_87_a_lone_surrogate_does_not_reach_the_wire() -> None:
    assert Request([user("a\ud83e")]).wire == [{"role": "user", "content": "a\ufffd"}]


def test_the_tail_stands_at_the_end_of_the_messages_and_never_in_the_view() -> None:
    request = Request((user("task"),), tail=user("status"))
    assert [m["content"] for m in request.messages] == ["task", "status"]
    assert [m["content"] for m in request.view] == ["task"]


def test_faults_of_the_wire_form_are_named() -> None:
    messages = [user("u"), {"role": "system", "content": "late"}, {"role": "assistant", "content": None}]
    assert wire_faults(messages) == {"a system message after the start", "an empty assistant message"}


@pytest.mark.parametrize("text", ['{"a":' * 100_000, "[" * 100_000, '{"wait": NaN}', "1" * 9_000])
def test_fault_84_arguments_nested_too_deep_or_no_json_by_the_standard_are_sent_as_text(text: str) -> None:
    (sent, _) = Request([assistant(None, call("bash", text, "x"))]).wire
    value = json.loads(sent["tool_calls"][0]["function"]["arguments"], parse_constant=int)
    assert value == {"invalid_arguments": text}


def test_fault_87_a_lone_surrogate_in_a_key_does_not_reach_the_wire() -> None:
    part = {"type": "text", "text": "a", "k\ud83e": 1}
    json.dumps(Request([user([part])]).wire, ensure_ascii=False).encode()


def test_a_call_and_its_result_that_both_lack_an_id_are_a_pair() -> None:
    ask = {"type": "function", "function": {"name": "bash", "arguments": "{}"}}
    history = [assistant(None, ask), {"role": "tool", "content": "ok"}]
    assert [m["content"] for m in paired(history)] == [None, "ok"]


def test_whoever_edits_the_messages_of_a_request_reaches_neither_view_nor_the_next_reader() -> None:
    part = {"type": "text", "text": "hi"}
    request = Request([{**user([part]), "meta": {"id": 0}}, assistant(None, call("f", {"a": 1}, "x"))])
    before = json.dumps(request.shaped), json.dumps(request.messages)
    for message in request.messages:
        message["role"] = "system"
        for part in [p for p in message.get("content") or () if isinstance(p, dict)]:
            part["text"] = "edited"
        for made in message.get("tool_calls", ()):
            made["function"]["name"] = "edited"
    request.messages.clear()
    assert (json.dumps(request.shaped), json.dumps(request.messages)) == before
    assert not any("meta" in message for message in request.messages)
