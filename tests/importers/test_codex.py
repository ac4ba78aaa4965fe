"""Codex rollouts: replies from items, usage before or behind them, compactions, older forms."""

from __future__ import annotations

from opencollab_nb.importers.codex import read, signs
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from tests.importers import files
from tests.importers.session_files import CODEX, codex, codex_said, counted, item


def usages(transcript):
    return [
        call.usage and (call.usage.input_tokens, call.usage.output_tokens) for call in transcript.origin.sent
    ]


def test_the_items_between_two_inputs_are_one_reply():
    [rollout] = read(files.lines(*CODEX))
    assert [m["role"] for m in rollout.stored] == [
        "system",
        "user",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    reply = rollout.stored[3]
    assert [part["type"] for part in reply["content"]] == ["reasoning", "text"]
    assert [call["function"]["name"] for call in tool_calls_of(reply)] == ["shell", "apply_patch"]
    assert rollout.origin.models == ("g-1",)
    assert "system prompt" not in rollout.origin.unknown


def test_what_the_program_put_before_the_users_words_is_not_the_task():
    [rollout] = read(files.lines(*CODEX))
    assert [m["meta"]["source"] for m in rollout.stored[:3]] == ["system", "context", "task"]


def test_failure_is_read_from_the_exit_code():
    [rollout] = read(files.lines(*CODEX))
    assert [m["meta"].get("error", False) for m in rollout.stored if m["role"] == "tool"] == [True, False]


def test_a_report_of_usage_told_twice_counts_once():
    [rollout] = read(files.lines(*CODEX))
    assert usages(rollout) == [(100, 5), (40, 2)]
    assert rollout.origin.window == 9000
    assert rollout.origin.skipped["event_msg token_count"] == 2


def test_older_programs_report_usage_before_the_items():
    lines = [
        codex_said("user", "go"),
        counted(10, output=1),
        item("function_call", name="f", arguments="{}", call_id="a"),
        item("function_call_output", call_id="a", output="ok"),
        counted(20, output=2, total=30),
        counted(30, output=3, total=60),
        codex_said("assistant", "done"),
    ]
    [rollout] = read(files.lines(*lines))
    assert usages(rollout) == [(10, 1), (20, 2), (30, 3)]
    assert [call.reply for call in rollout.origin.sent] == [1, None, 3]


def test_a_compaction_without_a_new_history_keeps_what_the_user_said():
    [rollout] = read(files.lines(*CODEX))
    [one] = rollout.origin.compactions
    assert (one.covers, one.text) == ([[1, 1], [3, 5]], "what was done")
    assert [text_of(m) for m in view_sent(rollout, 2)] == ["be good", "what was done", "fix it"]


def test_a_compaction_keeps_what_its_new_history_holds():
    history = [codex_said("user", "fix it")["payload"], codex_said("user", "a summary")["payload"]]
    new = codex("compacted", message="", replacement_history=history)
    lines = [new if line["type"] == "compacted" else line for line in CODEX]
    [rollout] = read(files.lines(*lines))
    [one] = rollout.origin.compactions
    assert (one.covers, one.text) == ([[1, 1], [3, 5]], "a summary")


def test_turns_that_were_rolled_back_leave_the_view_without_a_trace():
    back = codex("event_msg", type="thread_rolled_back", num_turns=1)
    said = [codex_said(role, text) for role, text in zip(("user", "assistant") * 3, "abcdef", strict=True)]
    lines = [*said[:4], back, *said[4:]]
    [rollout] = read(files.lines(*lines))
    assert [text_of(m) for m in view_sent(rollout, 3)] == ["a", "b", "e"]
    assert len(rollout.stored) == 6


def test_bare_items_under_a_head_are_read():
    head = {"id": "s", "timestamp": "t", "instructions": None}
    bare = [
        head,
        {"record_type": "state"},
        *(line["payload"] for line in CODEX if line["type"] == "response_item"),
    ]
    source = files.lines(*bare)
    assert signs(source) >= 0.5
    [rollout] = read(source)
    assert len(rollout.stored) == 6
    assert rollout.origin.skipped == {"session_meta": 1, "state": 1, "ghost_snapshot": 1}


def test_the_oldest_form_is_one_object():
    shell = {"type": "local_shell_call", "call_id": "a", "action": {"type": "exec", "command": ["ls"]}}
    items = [{"role": "user", "type": "message", "content": "go"}, shell,
             {"type": "local_shell_call_output", "call_id": "a", "output": "x"}]  # fmt: skip
    source = files.whole({"session": {"id": "s"}, "items": items})
    assert signs(source) >= 0.5
    [rollout] = read(source)
    assert [m["role"] for m in rollout.stored] == ["user", "assistant", "tool"]
    assert tool_calls_of(rollout.stored[1])[0]["function"]["name"] == "local_shell"


def test_what_the_provider_did_itself_and_what_is_not_known_stay_in_the_conversation():
    lines = [
        codex_said("user", "go"),
        item("web_search_call", action={"query": "x"}),
        item("tool_search_output", tools=[]),
        item("agent_message", author="other", content=[{"type": "input_text", "text": "hello"}]),
    ]
    [rollout] = read(files.lines(*lines))
    assert [part["type"] for part in rollout.stored[1]["content"]] == [
        "web_search_call",
        "tool_search_output",
    ]
    assert (rollout.stored[2]["content"], rollout.stored[2]["meta"]["source"]) == ("hello", "context")
    assert rollout.origin.skipped == {}


def test_how_it_ended_is_told_of_the_last_turn_alone():
    stopped = codex("event_msg", type="turn_aborted", reason="interrupted")
    [rollout] = read(files.lines(codex_said("user", "a"), stopped))
    assert rollout.origin.outcome == "interrupted"
    [rollout] = read(files.lines(codex_said("user", "a"), stopped, codex_said("user", "b")))
    assert rollout.origin.outcome is None


def test_a_session_that_another_one_began_says_so():
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}
    [session] = read(files.lines(codex("session_meta", id="c", source=spawned), *CODEX[1:]))
    assert session.notices[-1] == "a sub-agent of the session p"
