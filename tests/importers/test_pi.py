"""Sessions of the Pi coding agent, in one line and as a tree."""

from __future__ import annotations

from opencollab_nb.importers.pi import read, signs
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from tests.importers import files
from tests.importers.session_files import PI, pi_reply, says

SAID = {"role": "user", "content": "fix it"}


def test_the_branch_that_was_left_is_counted_and_its_summary_shown():
    [session] = read(files.lines(*PI))
    told = [(m["role"], m["meta"]["source"], text_of(m)) for m in session.stored[3:]]
    assert told == [
        ("user", "summary", "that way was wrong"),
        ("user", "context", "mind the tests"),
        ("user", "context", "Ran `ls`\n```\na\n```"),
        ("assistant", "reply", "done"),
    ]
    assert session.origin.skipped == {"session": 1, "on an abandoned branch": 1, "label": 1}


def test_input_counts_the_cache_and_what_was_written_to_it():
    [session] = read(files.lines(*PI))
    usage = session.origin.sent[0].usage
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (100, 90, 5)


def test_blocks_become_parts_and_calls():
    [session] = read(files.lines(*PI))
    reply, result = session.stored[1], session.stored[2]
    assert reply["content"] == [{"type": "thinking", "thinking": "well", "signature": "x"}]
    assert tool_calls_of(reply)[0]["function"] == {"name": "ls", "arguments": '{"path": "."}'}
    assert [part["type"] for part in result["content"]] == ["text", "image_url"]
    assert result["meta"]["error"] is True


def test_a_compaction_covers_all_before_the_first_kept_entry():
    [session] = read(files.lines(*PI))
    [one] = session.origin.compactions
    assert (one.covers, one.tokens_before) == ([[0, 4]], 500)
    assert [text_of(m) for m in view_sent(session, 2)] == ["what was done", "Ran `ls`\n```\na\n```"]


def test_version_1_counts_the_first_kept_entry_by_its_place_in_the_file():
    entries = [
        {"type": "session", "id": "s"},
        {"type": "message", "message": SAID},
        {"type": "model_change", "modelId": "c-1"},
        {"type": "message", "message": pi_reply(says("a"))},
        {"type": "message", "message": {"role": "user", "content": [says("b")]}},
        {"type": "compaction", "summary": "sum", "firstKeptEntryIndex": 4, "tokensBefore": 9},
        {"type": "message", "message": pi_reply(says("c"))},
    ]
    [session] = read(files.lines(*entries))
    assert session.origin.compactions[0].covers == [[0, 1]]
    assert [text_of(m) for m in view_sent(session, 2)] == ["sum", "b"]


def test_a_reply_that_was_stopped_before_it_said_anything_is_no_message():
    nothing = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    stopped = pi_reply(stopReason="aborted", errorMessage="stopped", usage=nothing)
    [session] = read(
        files.lines(PI[0], {"type": "message", "message": SAID}, {"type": "message", "message": stopped})
    )
    assert (len(session.stored), len(session.origin.sent)) == (1, 0)
    assert session.origin.skipped == {"session": 1, "empty reply (aborted)": 1}
    assert session.origin.outcome == "stopped"


def test_a_command_that_was_kept_from_the_model_is_not_shown():
    ran = {"role": "bashExecution", "command": "ls", "output": "", "excludeFromContext": True}
    [session] = read(
        files.lines(PI[0], {"type": "message", "message": SAID}, {"type": "message", "message": ran})
    )
    assert session.origin.skipped["command kept from the model"] == 1


def test_printed_events_are_read_as_well():
    lines = [PI[0], {"type": "agent_start"}, {"type": "message_end", "message": SAID}]
    source = files.lines(*lines)
    assert signs(source) >= 0.5
    assert len(read(source)[0].stored) == 1
