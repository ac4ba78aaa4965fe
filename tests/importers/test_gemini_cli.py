"""Gemini CLI: saved chats, their logs, checkpoints, the printed stream."""

from __future__ import annotations

import pytest

from opencollab_nb.importers.gemini_cli import read, signs
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from tests.importers import files
from tests.importers.session_files import GEMINI_CHAT, GEMINI_CHECKPOINT, GEMINI_LOG, GEMINI_STREAM


@pytest.mark.parametrize(
    "source",
    [
        files.whole(GEMINI_CHAT),
        files.lines(*GEMINI_LOG),
        files.whole(GEMINI_CHECKPOINT),
        files.whole({"history": GEMINI_CHECKPOINT}),
        files.lines(*GEMINI_STREAM),
    ],
)
def test_each_form_is_recognised(source):
    assert signs(source) >= 0.8


def test_a_saved_chat_holds_calls_with_their_results_and_thoughts():
    [chat] = read(files.whole(GEMINI_CHAT))
    assert [m["role"] for m in chat.stored] == ["user", "assistant", "tool", "tool", "assistant"]
    assert chat.stored[1]["content"][0] == {"type": "thinking", "thinking": "Look: at the files"}
    assert [(m["content"], m["meta"].get("error")) for m in chat.stored[2:4]] == [
        ("x.txt", None),
        ("no", True),
    ]
    assert chat.origin.skipped == {"info": 1}


def test_output_counts_the_thoughts_and_input_the_cache():
    [chat] = read(files.whole(GEMINI_CHAT))
    usage = chat.origin.sent[0].usage
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (100, 80, 12)
    assert usage.reasoning_tokens == 7


def test_a_record_with_a_known_id_replaces_the_former_one():
    [chat] = read(files.lines(*GEMINI_LOG))
    assert len(tool_calls_of(chat.stored[1])) == 2
    assert chat.origin.skipped["written again"] == 1
    assert chat.origin.read == len(GEMINI_LOG)


def test_what_the_user_took_back_is_not_shown():
    [chat] = read(files.lines(*GEMINI_LOG))
    assert "never mind" not in repr(chat.stored)
    assert chat.origin.skipped["taken back"] == 1


def test_a_new_history_is_a_compaction():
    [chat] = read(files.lines(*GEMINI_LOG))
    assert [text_of(m) for m in view_sent(chat, 2)] == ["what was done", "go on"]


def test_calls_without_ids_are_paired_by_name_and_order():
    [chat] = read(files.whole(GEMINI_CHECKPOINT))
    reply = chat.stored[3]
    assert [call["id"] for call in tool_calls_of(reply)] == ["call_1", "call_2"]
    assert [m["content"] for m in chat.stored[4:6]] == ["x", "no"]
    assert chat.notices == []


def test_the_programs_own_opening_is_no_request():
    [chat] = read(files.whole(GEMINI_CHECKPOINT))
    assert [m["meta"]["source"] for m in chat.stored[:3]] == ["context", "context", "task"]
    assert len(chat.origin.sent) == 2


def test_pieces_of_text_and_calls_that_run_together_are_one_reply():
    [run] = read(files.lines(*GEMINI_STREAM))
    assert [m["role"] for m in run.stored] == ["user", "assistant", "tool", "tool", "assistant"]
    assert (run.stored[1]["content"], len(tool_calls_of(run.stored[1]))) == ("I look.", 2)
    assert run.origin.skipped == {"init": 1, "repeated prompt": 1}
    assert "where one request ends" in run.origin.unknown
    assert not run.notices


def test_the_usage_of_a_run_is_told_where_it_made_one_reply():
    result = {
        "type": "result",
        "status": "success",
        "stats": {"input_tokens": 9, "output_tokens": 4, "cached": 3},
    }
    [run] = read(files.lines(*GEMINI_STREAM[:5], result))
    assert run.origin.sent[0].usage.input_tokens == 9
    assert run.origin.outcome == "success"
