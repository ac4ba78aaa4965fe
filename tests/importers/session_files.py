"""The smallest file of each form of the session formats: lines, or one value."""

from __future__ import annotations

from typing import Any

CLAUDE_USAGE = {
    "input_tokens": 2,
    "cache_read_input_tokens": 90,
    "cache_creation_input_tokens": 8,
    "output_tokens": 1,
}


def claude_user(uuid: str, up: str | None, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": up, "sessionId": "s", "message": message, **more}


def claude_reply(
    uuid: str, up: str | None, reply_id: str, *blocks: Any, output: int = 1, **more: Any
) -> dict[str, Any]:
    usage = {**CLAUDE_USAGE, "output_tokens": output}
    message = {"id": reply_id, "role": "assistant", "model": "c-1", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": uuid, "parentUuid": up, "sessionId": "s", "message": message, **more}


def says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def uses(call_id: str, name: str = "Bash", **asked: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": asked}


def gives(call_id: str, text: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, **more}


CLAUDE: list[dict[str, Any]] = [
    {"type": "summary", "summary": "An older session", "leafUuid": "x"},
    claude_user("1", None, "fix it"),
    claude_reply("2", "1", "m1", says("I look.")),
    claude_reply("3", "2", "m1", uses("t1", "Task", prompt="search", description="Find it"), output=7),
    claude_user("4", None, "search", isSidechain=True, agentId="a"),
    claude_reply("5", "4", "m2", says("found"), isSidechain=True, agentId="a"),
    claude_user("6", "3", [gives("t1", [says("found")], is_error=True)],
                toolUseResult={"agentId": "a", "big": "x"}),
    {"type": "system", "subtype": "compact_boundary", "uuid": "7", "parentUuid": None,
     "logicalParentUuid": "6", "sessionId": "s", "compactMetadata": {"trigger": "auto", "preTokens": 900}},
    claude_user("8", "7", "what was done", isCompactSummary=True),
    {"type": "attachment", "uuid": "9", "parentUuid": "8",
     "attachment": {"type": "queued_command", "prompt": "go on"}},
    claude_reply("10", "9", "m3", says("done")),
]  # fmt: skip


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": kind, "payload": payload}


def item(kind: str, **more: Any) -> dict[str, Any]:
    return codex("response_item", type=kind, **more)


def codex_said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


def counted(inside: int, cached: int = 0, output: int = 1, total: int | None = None) -> dict[str, Any]:
    last = {"input_tokens": inside, "cached_input_tokens": cached, "output_tokens": output}
    info = {
        "last_token_usage": last,
        "total_token_usage": {"total_tokens": total or inside},
        "model_context_window": 9000,
    }
    return codex("event_msg", type="token_count", info=info)


CODEX: list[dict[str, Any]] = [
    codex("session_meta", id="s", cli_version="0.60.0", base_instructions={"text": "be good"}),
    codex_said("user", "<environment_context>here</environment_context>"),
    codex_said("user", "fix it"),
    codex("event_msg", type="user_message", message="fix it"),
    codex("turn_context", model="g-1"),
    item("reasoning", summary=[], content=None, encrypted_content="gAAAA"),
    codex_said("assistant", "I look."),
    item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id="a"),
    item("custom_tool_call", name="apply_patch", input="*** x", call_id="b"),
    counted(100, 80, 5),
    item("function_call_output", call_id="a", output='{"output": "", "metadata": {"exit_code": 1}}'),
    item("custom_tool_call_output", call_id="b", output="Exit code: 0\nOutput:\nfine"),
    counted(100, 80, 5),
    codex("event_msg", type="token_count", info=None),
    codex("compacted", message="what was done"),
    item("ghost_snapshot", ghost_commit={}),
    codex_said("assistant", "done"),
    counted(40, 0, 2, total=140),
    codex("event_msg", type="task_complete"),
]


def pi_entry(own: str, up: str | None, kind: str = "message", **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": own, "parentId": up, **more}


def pi_reply(*blocks: Any, **more: Any) -> dict[str, Any]:
    usage = {"input": 1, "output": 5, "cacheRead": 90, "cacheWrite": 9, "totalTokens": 105}
    return {
        "role": "assistant",
        "content": list(blocks),
        "model": "c-1",
        "usage": usage,
        "stopReason": "stop",
        **more,
    }


PI: list[dict[str, Any]] = [
    {"type": "session", "version": 3, "id": "s", "cwd": "/"},
    pi_entry("1", None, message={"role": "user", "content": "fix it"}),
    pi_entry("2", "1", message=pi_reply({"type": "thinking", "thinking": "well", "thinkingSignature": "x"},
             {"type": "toolCall", "id": "c", "name": "ls", "arguments": {"path": "."}})),
    pi_entry("3", "2", message={"role": "toolResult", "toolCallId": "c", "toolName": "ls", "isError": True,
             "content": [says("no"), {"type": "image", "data": "eA==", "mimeType": "image/png"}]}),
    pi_entry("4", "3", message=pi_reply(says("a wrong way"))),
    pi_entry("5", "3", "branch_summary", fromId="4", summary="that way was wrong"),
    pi_entry("6", "5", "custom_message", customType="x", content="mind the tests", display=False),
    pi_entry("7", "6", message={"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}),
    pi_entry("8", "7", "compaction", summary="what was done", firstKeptEntryId="7", tokensBefore=500),
    pi_entry("9", "8", message=pi_reply(says("done"))),
    pi_entry("10", "9", "label", targetId="9", label="here"),
]  # fmt: skip


def gemini_call(call_id: str, status: str = "success", **response: Any) -> dict[str, Any]:
    answer = {"functionResponse": {"id": call_id, "name": "ls", "response": response}}
    return {"id": call_id, "name": "ls", "args": {"path": "."}, "status": status, "result": [answer]}


GEMINI_CHAT: dict[str, Any] = {
    "sessionId": "s",
    "projectHash": "h",
    "messages": [
        {"id": "1", "type": "user", "content": "fix it"},
        {"id": "2", "type": "gemini", "content": "I look.", "model": "g-1",
         "thoughts": [{"subject": "Look", "description": "at the files"}],
         "tokens": {"input": 100, "output": 5, "cached": 80, "thoughts": 7, "tool": 0, "total": 112},
         "toolCalls": [gemini_call("a", output="x.txt"), gemini_call("b", "error", error="no")]},
        {"id": "3", "type": "info", "content": "a note"},
        {"id": "4", "type": "gemini", "content": "done", "tokens": {"input": 150, "output": 2, "cached": 0}},
    ],
}  # fmt: skip
_ASKED, _LOOKS, _NOTE, _DONE = GEMINI_CHAT["messages"]

GEMINI_LOG: list[dict[str, Any]] = [
    {"sessionId": "s", "projectHash": "h", "startTime": "t"},
    _ASKED,
    {"id": "2", "type": "gemini", "content": "I look."},
    _LOOKS,
    {"id": "5", "type": "user", "content": "never mind"},
    {"$rewindTo": "5"},
    {"id": "6", "type": "user", "content": "go on"},
    {
        "$set": {
            "messages": [{"id": "7", "type": "user", "content": [{"text": "what was done"}]}, {"id": "6"}]
        }
    },
    _DONE,
]

GEMINI_CHECKPOINT: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "This is the Gemini CLI. Here is where we are."}]},
    {"role": "model", "parts": [{"text": "Got it."}]},
    {"role": "user", "parts": [{"text": "fix it"}]},
    {"role": "model", "parts": [{"text": "hm", "thought": True}, {"functionCall": {"name": "ls", "args": {}}},
                                {"functionCall": {"name": "ls", "args": {"path": "a"}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "x"}}},
                               {"functionResponse": {"name": "ls", "response": {"error": "no"}}}]},
    {"role": "model", "parts": [{"text": "done"}]},
]  # fmt: skip

GEMINI_STREAM: list[dict[str, Any]] = [
    {"type": "init", "session_id": "s", "model": "g-1", "ts": 1.5},
    {"type": "message", "role": "user", "content": "fix it"},
    {"type": "message", "role": "user", "content": "fix it"},
    {"type": "message", "role": "assistant", "content": "I ", "delta": True},
    {"type": "message", "role": "assistant", "content": "look.", "delta": True},
    {"type": "tool_use", "tool_name": "ls", "tool_id": "a", "parameters": {}},
    {"type": "tool_use", "tool_name": "ls", "tool_id": "b", "parameters": {}},
    {"type": "tool_result", "tool_id": "b", "status": "error", "output": "", "error": {"message": "no"}},
    {"type": "tool_result", "tool_id": "a", "status": "success", "output": "x"},
    {"type": "tool_use", "tool_name": "ls", "tool_id": "c", "parameters": {}},
]

MANAGED: list[dict[str, Any]] = [
    {"type": "session.status_running", "id": "sevt_0"},
    {"type": "user.message", "content": [says("fix it")]},
    {"type": "span.model_request_start", "id": "sevt_1"},
    {"type": "agent.thinking"},
    {"type": "agent.message", "content": [says("I look.")]},
    {"type": "agent.tool_use", "id": "sevt_2", "name": "bash", "input": {"command": "ls"}},
    {"type": "agent.mcp_tool_use", "id": "sevt_3", "name": "find", "input": {}},
    {"type": "span.model_request_end", "model_usage": CLAUDE_USAGE},
    {"type": "agent.mcp_tool_result", "mcp_tool_use_id": "sevt_3", "content": [says("no")], "is_error": True},
    {"type": "agent.tool_result", "tool_use_id": "sevt_2", "content": [{"type": "document", "source": {}}]},
    {"type": "agent.thread_context_compacted"},
    {"type": "agent.message", "content": [says("done")]},
    {"type": "span.model_request_end", "model_usage": {**CLAUDE_USAGE, "output_tokens": 3}},
    {"type": "session.status_idle", "stop_reason": {"type": "end_turn"}},
]

_QUESTION = "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: all"
AIDER = f"""
# aider chat started at 2025-06-02 11:47:49

> Aider v0.84.0  \n> Main model: g-1 with diff edit format  \n> Warning: nothing was said here  \n
# aider chat started at 2025-06-02 11:50:00

> Model: g-2 with diff edit format  \n
#### fix it  \n#### and be quick  \n> a.py  \n
#### {_QUESTION}  \n> Added a.py to the chat  \n
I change `a.py`.

#### A heading of mine
> a quotation

> Tokens: 9.7k sent, 2k cache hit, 85 received. Cost: $0.01 message, $0.01 session.  \n\
> # 1 SEARCH/REPLACE block failed to match!

<<<<<<< SEARCH
The SEARCH section must exactly match an existing block of lines including all white space  \n
Once more.

> Tokens: 1M sent, 1 received.  \n> Applied edit to a.py  \n
#### /undo  \n> Removed: commit  \n
#### /clear  \n> All chat history cleared.  \n
#### thanks  \n
You are welcome.
"""
