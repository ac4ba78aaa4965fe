"""A transcript in the making."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.view import view_sent
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Compacted
from tests.build import assistant, call, result
from tests.importers.files import raw


def draft() -> Draft:
    return Draft(raw(b""), "mine")


def test_each_message_knows_the_step_that_brought_it() -> None:
    one = draft()
    one.add({"role": "system", "content": "s"}, source="system")
    one.add({"role": "user", "content": "u"}, source="user")
    one.reply(assistant(None, call()))
    one.add(result("r"), source="tool", error=True)
    one.reply(assistant("done"))
    metas = [message["meta"] for message in one.done().messages]
    assert [meta["step"] for meta in metas] == [0, 0, 1, 1, 2]
    assert [meta["source"] for meta in metas] == ["system", "task", "reply", "tool", "reply"]
    assert [meta.get("priority") for meta in metas] == [100, 80, None, None, None]
    assert [meta.get("error") for meta in metas] == [None, None, None, True, None]


def test_injected_context_is_not_the_task() -> None:
    one = draft()
    one.add({"role": "user", "content": "environment"}, source="context")
    one.add({"role": "user", "content": "do it"}, source="user")
    metas = [message["meta"] for message in one.done().messages]
    assert [meta["source"] for meta in metas] == ["context", "task"]
    assert one.done().origin.title == "do it"  # type: ignore[union-attr]


def test_calls_without_a_result_and_results_without_a_call_are_repaired_and_told() -> None:
    one = draft()
    one.add({"role": "user", "content": "u"}, source="user")
    one.reply(assistant(None, call(call_id="a"), call(call_id="b")))
    one.add(result("ok", "b"), source="tool")
    one.add(result("whose?", "z"), source="tool")
    last = one.reply(assistant("done"))
    transcript = one.done()
    assert [m["role"] for m in transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "assistant",
    ]
    assert transcript.notices == [
        "1 calls without a result; `[interrupted]` stands there",
        "1 results of calls that are not in the file; each became a note of the user role",
    ]
    assert last == 4
    assert transcript.origin is not None
    assert [(c.before, c.reply) for c in transcript.origin.sent] == [(1, 1), (5, 5)], "ids follow the repair"


def test_repeated_ids_pair_by_position() -> None:
    one = draft()
    for text in ("first", "second"):
        one.reply(assistant(None, call(call_id="same")))
        one.add(result(text, "same"), source="tool")
    transcript = one.done()
    assert [m["content"] for m in transcript.messages if m["role"] == "tool"] == ["first", "second"]
    assert transcript.notices == []


def test_usage_told_later_belongs_to_its_reply() -> None:
    one = draft()
    first, second = one.reply(assistant("a")), one.reply(assistant("b"))
    one.usage(first, Usage(10, 0, 3))
    one.usage(second, None)
    transcript = one.done()
    assert transcript.origin is not None
    assert [c.usage for c in transcript.origin.sent] == [Usage(10, 0, 3), None]
    assert [m["meta"].get("output_tokens") for m in transcript.messages] == [3, None]


def test_records_add_up() -> None:
    one = draft()
    one.used(3)
    one.skip("event", 2)
    one.skip("nothing", 0)
    one.broken("line 4", "torn")
    origin = one.done().origin
    assert origin is not None
    assert (origin.read, origin.used, origin.skipped) == (6, 3, {"event": 2, "damaged": 1})
    assert one.done().notices == ["line 4: torn"]


def test_what_is_missing_is_named_once() -> None:
    one = draft()
    one.unknown("system prompt", "files in the chat")
    origin = one.done().origin
    assert origin is not None
    assert origin.unknown == ("system prompt", "files in the chat", "tool schemas", "usage")


def test_a_compaction_holds_from_the_next_request_on() -> None:
    one = draft()
    one.add({"role": "user", "content": "u"}, source="user")
    one.reply(assistant("a"))
    one.compacted("summary", [0, 1], tokens_before=500)
    one.add({"role": "user", "content": "more"}, source="user")
    one.reply(assistant("b"))
    transcript = one.done()
    assert transcript.origin is not None
    assert transcript.origin.compactions == (Compacted(2, [[0, 1]], "summary", 500),)
    assert [m["content"] for m in view_sent(transcript, 1)] == ["u"]
    assert [m["content"] for m in view_sent(transcript, 2)] == ["summary", "more"]


def test_a_compaction_stays_on_its_messages_when_a_repair_moves_them() -> None:
    one = draft()
    one.reply(assistant(None, call(call_id="lost")))
    kept = one.add({"role": "user", "content": "u"}, source="user")
    one.compacted("summary", [kept])
    transcript = one.done()
    assert transcript.origin is not None
    (first, last), *_ = transcript.origin.compactions[0].covers
    assert [m["content"] for m in transcript.messages[first : last + 1]] == ["u"]
    assert transcript.origin.compactions[0].at == len(transcript)


def test_a_later_summary_takes_the_place_of_an_earlier_one() -> None:
    one = draft()
    texts = iter("abcdef")
    for covers in ([0, 1], [0, 1, 2, 3]):
        one.add({"role": "user", "content": next(texts)}, source="user")
        one.reply(assistant(next(texts)))
        one.compacted(f"summary of {len(covers)}", covers)
    one.asked()
    view = view_sent(one.done(), 3)
    assert [m["content"] for m in view] == ["summary of 4"]
    assert view[0]["meta"]["covers"] == [[0, 3]]


def test_sub_agents_are_transcripts_of_their_own() -> None:
    outer, inner = draft(), draft()
    inner.add({"role": "user", "content": "look"}, source="user")
    outer.child(inner)
    origin = outer.done().origin
    assert origin is not None
    assert [m["content"] for m in origin.children[0].messages] == ["look"]


def test_a_hostile_title_acts_neither_in_text_nor_in_html() -> None:
    one = draft()
    one.add({"role": "user", "content": "<script>\x1b[31m\u202e"}, source="user")
    origin: Any = one.done().origin
    assert "<script>" not in origin._repr_html_()
    for shown in (repr(origin), origin._repr_html_()):
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_a_result_put_in_for_a_call_is_covered_with_it() -> None:
    one = draft()
    first = one.add({"role": "user", "content": "u"}, source="user")
    cut_off = one.reply(assistant(None, call(call_id="a"), call(call_id="b")))
    one.compacted("summary", [first, cut_off])
    one.add({"role": "user", "content": "go on"}, source="user")
    one.reply(assistant("done"))
    view = view_sent(one.done(), 2)
    assert [m["content"] for m in view] == ["summary", "go on"]
