"""Sessions of Claude Code: replies in several lines, sub-agents, compactions, branches."""

from __future__ import annotations

import json

from opencollab_nb import load
from opencollab_nb.importers.claude_code import read, read_together, signs
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from tests.importers import files
from tests.importers.session_files import CLAUDE, claude_reply, claude_user, gives, says, uses


def test_lines_with_one_id_are_one_reply_and_its_usage_counts_once_at_its_fullest():
    [session] = read(files.lines(*CLAUDE))
    first = session.stored[1]
    assert (first["content"], len(tool_calls_of(first))) == ("I look.", 1)
    usage = session.origin.sent[0].usage
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (100, 90, 7)
    assert len(session.origin.sent) == 2


def test_a_result_that_is_an_error_is_marked_and_the_programs_own_record_of_it_is_left_out():
    [session] = read(files.lines(*CLAUDE))
    result = session.stored[2]
    assert (result["content"], result["meta"]["error"]) == ("found", True)
    assert "big" not in repr(session.stored)


def test_a_sub_agent_in_the_file_is_a_child_under_its_calls_name():
    [session] = read(files.lines(*CLAUDE))
    [child] = session.origin.children
    assert [text_of(m) for m in child.stored] == ["search", "found"]
    assert child.origin.title == "Find it"
    assert session.origin.skipped["of a sub-agent"] == 2
    assert session.origin.read == len(CLAUDE)


def test_a_summary_replaces_what_stood_before_it_and_is_no_message():
    [session] = read(files.lines(*CLAUDE))
    [one] = session.origin.compactions
    assert (one.at, one.covers, one.text, one.tokens_before) == (3, [[0, 2]], "what was done", 900)
    assert [text_of(m) for m in view_sent(session, 2)] == ["what was done", "go on"]


def test_a_session_that_begins_with_a_summary_holds_it_as_a_message():
    lines = [
        claude_user("1", None, "what was done", isCompactSummary=True),
        claude_reply("2", "1", "m", says("go")),
    ]
    [session] = read(files.lines(*lines))
    assert session.stored[0]["meta"]["source"] == "summary"
    assert session.origin.compactions == ()


def test_what_a_compaction_preserved_stays():
    boundary = {
        **CLAUDE[7],
        "compactMetadata": {"preservedMessages": {"uuids": ["6"]}, "preTokens": 1},
    }
    [session] = read(files.lines(*CLAUDE[:7], boundary, *CLAUDE[8:]))
    assert session.origin.compactions[0].covers == [[0, 1]]


def test_calls_side_by_side_stay_although_their_results_fork_the_tree():
    lines = [
        claude_user("1", None, "go"),
        claude_reply("2", "1", "m", uses("a")),
        claude_user("3", "2", [gives("a", "first")]),
        claude_reply("4", "2", "m", uses("b")),
        claude_user("5", "4", [gives("b", "second")]),
        claude_reply("6", "3", "n", says("done")),
    ]
    [session] = read(files.lines(*lines))
    assert [m["role"] for m in session.stored] == ["user", "assistant", "tool", "tool", "assistant"]
    assert len(tool_calls_of(session.stored[1])) == 2
    assert session.notices == []


def test_what_the_user_took_back_is_counted_and_not_shown():
    lines = [
        claude_user("1", None, "go"),
        claude_reply("2", "1", "m", says("hm")),
        claude_user("3", "2", "a wrong way"),
        claude_reply("4", "3", "n", says("as you wish")),
        claude_user("5", "2", "another way"),
        claude_reply("6", "5", "o", says("done")),
    ]
    [session] = read(files.lines(*lines))
    assert [text_of(m) for m in session.stored] == ["go", "hm", "another way", "done"]
    assert session.origin.skipped == {"on an abandoned branch": 2}


def test_what_was_said_while_a_tool_ran_stands_behind_its_result():
    lines = [
        claude_user("1", None, "go"),
        claude_reply("2", "1", "m", uses("a")),
        claude_user("3", "2", "wait"),
        claude_user("4", "3", [gives("a")]),
    ]
    [session] = read(files.lines(*lines))
    assert [m["role"] for m in session.stored] == ["user", "assistant", "tool", "user"]
    assert session.notices == []


def test_what_the_program_wrote_is_not_taken_for_the_users_words():
    lines = [
        claude_user("1", None, "<command-name>/init</command-name>"),
        claude_user("2", "1", "read this first", isMeta=True),
        claude_user("3", "2", "fix it"),
    ]
    [session] = read(files.lines(*lines))
    assert [m["meta"]["source"] for m in session.stored] == ["context", "context", "task"]


def test_what_the_program_said_in_the_models_place_is_no_request():
    wrong = claude_reply("3", "2", "x", says("API Error: 400"))
    wrong["message"]["model"] = "<synthetic>"
    [session] = read(
        files.lines(claude_user("1", None, "go"), claude_reply("2", "1", "m", says("hm")), wrong)
    )
    assert (len(session.stored), len(session.origin.sent)) == (3, 1)
    assert session.origin.outcome == "API Error: 400"


def test_an_agent_in_a_file_of_its_own_becomes_a_child_of_its_session():
    agent = [
        claude_user("1", None, "search", isSidechain=True, agentId="a"),
        claude_reply("2", "1", "m", says("found"), isSidechain=True, agentId="a"),
    ]
    [alone] = read(files.lines(*agent))
    assert len(alone.stored) == 2
    [session] = read_together([files.lines(*agent), files.lines(claude_user("9", None, "go"))])
    assert [len(child.stored) for child in session.origin.children] == [2]


def test_the_printed_stream_is_read_too():
    said = claude_reply("1", None, "m", says("hi"))
    del said["parentUuid"]
    inner = {**claude_reply("2", None, "n", says("in")), "parent_tool_use_id": "t"}
    del inner["parentUuid"]
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"], "model": "c-1"},
        {**said, "parent_tool_use_id": None},
        inner,
        {
            "type": "result",
            "subtype": "success",
            "session_id": "s",
            "modelUsage": {"c-1": {"contextWindow": 200000}},
        },
    ]
    source = files.lines(*lines)
    assert signs(source) >= 0.5
    [session] = read(source)
    assert (len(session.stored), len(session.origin.children)) == (1, 1)
    assert (session.origin.outcome, session.origin.window) == ("success", 200_000)


def test_a_branch_taken_back_before_a_compaction_stays_out_and_a_preserved_reply_behind_it_in():
    told = {"preservedMessages": {"uuids": ["6", "7"]}, "preTokens": 9}
    lines = [
        claude_user("1", None, "start"),
        claude_reply("2", "1", "m", says("ready")),
        claude_user("3", "2", "first try"),
        claude_reply("4", "3", "n", says("first")),
        claude_user("5", "2", "second try"),
        claude_reply("6", "5", "o", says("second")),
        {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None,
         "logicalParentUuid": "7", "compactMetadata": told},
        claude_user("s", "b", "what was done", isCompactSummary=True),
        claude_reply("7", "s", "p", says("kept")),
        claude_user("8", "7", "go on"),
        claude_reply("9", "8", "q", says("done")),
    ]  # fmt: skip
    [session] = read(files.lines(*lines))
    assert session.origin.skipped == {"on an abandoned branch": 2}
    seen = view_sent(session, len(session.origin.sent))
    assert [text_of(m) for m in seen] == ["what was done", "second", "kept", "go on"]


def test_agents_in_a_folder_below_become_children_too(tmp_path):
    agent = claude_reply("2", None, "m", says("found"), isSidechain=True, agentId="a")
    (tmp_path / "s" / "subagents").mkdir(parents=True)
    (tmp_path / "s.jsonl").write_bytes(files.lines(claude_user("9", None, "go")).data)
    (tmp_path / "s" / "subagents" / "agent-a.jsonl").write_bytes(files.lines(agent).data)
    [session] = load(tmp_path)
    assert [text_of(child.stored[0]) for child in session.origin.children] == ["found"]


def test_what_waited_in_the_queue_and_stands_nowhere_else_is_said_when_it_left_it():
    def queue(operation, content):
        return {"type": "queue-operation", "operation": operation, "content": content, "sessionId": "s"}

    lines = [
        claude_user("1", None, "fix it"),
        claude_reply("2", "1", "m", says("I look.")),
        queue("enqueue", "the parser first"),
        queue("remove", "the parser first"),
        queue("remove", "go on"),
        queue("popAll", "never mind"),
        {"type": "attachment", "uuid": "3", "parentUuid": "2",
         "attachment": {"type": "queued_command", "prompt": "go on"}},
    ]  # fmt: skip
    [session] = read(files.lines(*lines))
    assert [text_of(m) for m in session.stored] == ["fix it", "I look.", "the parser first", "go on"]
    assert session.origin.skipped == {"queue-operation": 3}


def test_a_summary_line_behind_a_boundary_is_the_compactions_text():
    summary = {"type": "summary", "uuid": "8", "message": {"role": "user", "content": "what was done"}}
    [session] = read(files.lines(*CLAUDE[:8], summary, claude_user("9", "8", "go on"), *CLAUDE[10:]))
    assert [one.text for one in session.origin.compactions] == ["what was done"]


def test_the_list_that_the_program_prints_is_the_same_session():
    printed = [{"type": "system", "subtype": "init", "session_id": "s", "cwd": "/"}]
    printed += [{**line, "session_id": "s"} for line in CLAUDE if line["type"] in ("user", "assistant")]
    for source in (files.whole(printed), files.raw(json.dumps(printed)), files.lines(*printed)):
        assert signs(source) > 0.9
        [session] = read(source)
        assert session.stored[0]["content"] == "fix it"
        assert session.origin.read == len(printed)
