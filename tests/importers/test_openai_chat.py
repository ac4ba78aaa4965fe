"""Chat messages in every form they are kept in."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.importers.formats import FORMATS
from opencollab_nb.importers.load import recognised
from opencollab_nb.importers.openai_chat import NAME, read, signs
from opencollab_nb.importers.source import Source
from opencollab_nb.messages import Messages, tool_calls_of
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.build import assistant, call, result
from tests.importers.files import lines, raw, whole

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "You code."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "u"}}],
    },
    {**assistant(None, call("ls", {"p": 1}, "a"), call("cat", "{}", "b"))},
    {**result("file", "a")},
    {**result("", "b")},
    {"role": "assistant", "content": "done", "reasoning_content": "well"},
]
FORMS = {
    "a list": whole(TALK),
    "messages on lines": lines(*TALK),
    "an object": whole({"model": "m", "messages": TALK, "tools": []}),
    "lines of conversations": lines({"messages": TALK}, {"messages": TALK}),
    "a list of conversations": whole([{"task_id": 1, "traj": TALK, "reward": 1.0}, {"traj": TALK}]),
    "lines of lists": lines(TALK, TALK),
}


def wires(transcript: Transcript) -> list[dict[str, Any]]:
    return [{k: v for k, v in message.items() if k != "meta"} for message in transcript.messages]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_messages(form: str) -> None:
    source = FORMS[form]
    known = recognised(source)
    assert known is not None
    assert known.NAME == NAME
    for transcript in read(source):
        assert wires(transcript)[:4] == TALK[:4]
        assert wires(transcript)[5] == TALK[5]
        assert transcript.origin is not None
        assert transcript.origin.read == transcript.origin.used == len(TALK)
        assert [(c.before, c.reply) for c in transcript.origin.sent] == [(2, 2), (5, 5)]


def test_an_unknown_form_around_messages_is_recognised_less_than_a_known_one() -> None:
    assert signs(whole({"messages": TALK, "my_harness": 1})) == pytest.approx(0.55)
    assert signs(whole({"messages": TALK})) == pytest.approx(0.8)
    assert signs(whole({"messages": [1, 2]})) == signs(whole([])) == signs(raw(b"")) == 0


def test_fields_of_a_wrong_type_become_those_that_are_due() -> None:
    odd = [
        {"role": "user", "content": 5},
        {
            "role": "assistant",
            "content": {"a": 1},
            "tool_calls": [{"id": 7, "function": {"name": None}}, "x"],
        },
        {"role": "tool", "tool_call_id": 7, "content": None},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"é": 1}}}]},
        {"role": "stranger", "content": ["who", 5, None, {"type": "text", "text": "?"}]},
        {"content": "nobody"},
        "text",
        None,
    ]
    (transcript,) = read(whole(odd))
    messages = transcript.messages
    assert [m["content"] for m in messages][:2] == ["5", '{"a": 1}']
    assert messages[1]["tool_calls"] == [
        {"id": "7", "type": "function", "function": {"name": "", "arguments": "{}"}}
    ]
    assert messages[3]["tool_calls"][0]["function"]["arguments"] == '{"é": 1}'
    assert messages[-1]["role"] == "user"
    assert messages[-1]["content"] == ["who", "5", "", {"type": "text", "text": "?"}]
    assert transcript.origin is not None
    assert transcript.origin.skipped == {"no message": 3}


def test_functions_of_old_are_calls_and_their_results_find_them() -> None:
    old = [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "r"},
    ]
    (transcript,) = read(whole(old))
    assert [m["role"] for m in transcript.messages] == ["user", "assistant", "tool"]
    assert transcript.notices == []


def exchange(messages: Messages, reply: Any, **more: Any) -> dict[str, Any]:
    body = {"model": "m-1", "choices": [{"message": reply, "finish_reason": "stop"}], **more}
    return {"request": {"model": "m", "messages": messages}, "response": body}


def test_exchanges_that_go_on_are_one_transcript_with_a_call_for_each() -> None:
    first: Messages = [{"role": "user", "content": "u"}]
    said = assistant(None, call("ls", '{"a": 1}', "x"))
    # Clients write arguments and ids anew before they send a message back.
    again = [*first, assistant(None, call("ls", '{"a":1}', "y")), result("r", "y")]
    source = lines(
        exchange(first, said, usage={"prompt_tokens": 10, "completion_tokens": 2}),
        exchange(again, assistant("done"), usage={"prompt_tokens": 20, "completion_tokens": 3}),
        exchange([{"role": "user", "content": "another"}], assistant("no")),
    )
    one, other = read(source)
    assert one.origin is not None
    assert [m["role"] for m in one.messages] == ["user", "assistant", "tool", "assistant"]
    assert [(c.before, c.reply, c.usage, c.model) for c in one.origin.sent] == [
        (1, 1, Usage(10, 0, 2), "m-1"),
        (3, 3, Usage(20, 0, 3), "m-1"),
    ]
    assert one.notices == [], "the result finds its call although its id was changed"
    assert [m["content"] for m in other.messages] == ["another", "no"]


def test_a_streamed_answer_is_read_and_a_broken_stream_told() -> None:
    pieces = [
        {"object": "chat.completion.chunk", "choices": [{"delta": {"content": text}}]}
        for text in ("he", "llo")
    ]
    text = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    request = {"messages": [{"role": "user", "content": "u"}]}
    for ending, notices in (("data: [DONE]\n\n", 0), ("", 1)):
        source = lines({"request": request, "response": text + ending})
        assert signs(source) == pytest.approx(0.9)
        (transcript,) = read(source)
        assert transcript.messages[-1]["content"] == "hello"
        assert len(transcript.notices) == notices


def test_a_refused_request_is_a_call_without_a_reply() -> None:
    source = lines(
        {"request": {"messages": [{"role": "user", "content": "u"}]}, "response": {"error": "busy"}}
    )
    (transcript,) = read(source)
    assert transcript.origin is not None
    assert [(c.before, c.reply) for c in transcript.origin.sent] == [(1, None)]
    assert "busy" in transcript.notices[0]


def test_the_airline_sample_holds_what_its_index_states(shared: Path) -> None:
    found = read(Source(shared / "transcripts/openai-chat/tau-bench-gpt-4o-airline-part1.json"))
    assert len(found) == 128
    assert sum(map(len, found)) == 3888
    assert sum(len(tool_calls_of(m)) for one in found for m in one.messages) == 876
    assert Counter(notice for one in found for notice in one.notices) == {}
    assert all(one.origin and (one.origin.outcome or "").startswith("reward ") for one in found)


def test_every_format_has_a_name_of_its_own_and_says_what_it_wants() -> None:
    names = [known.NAME for known in FORMATS]
    assert len(set(names)) == len(names)
    assert all(known.WANTS and not known.WANTS.endswith(".") for known in FORMATS)
