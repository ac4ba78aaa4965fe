"""The lines of a Claude Code session: what each is, and to which conversation it belongs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from opencollab_nb.importers.fields import mapping, sequence, text

MAIN = ""
"""The conversation that is no sub-agent's."""

WRITTEN_BY_PROGRAM = re.compile(
    r"\s*(<(local-command-|command-name|command-message|bash-input|bash-stdout|bash-stderr|system-reminder|"
    r"task-notification|user-memory-input|ide_)|Caveat: The messages below|\[Request interrupted by user)"
)
"""How a user's text begins that the program wrote."""

_CARRIES = ("prompt", "content", "snippet", "text", "file", "addedLines", "addedBlocks", "todos")
_NOT_SENT = ("async_hook_response", "hook_non_blocking_error", "hook_cancelled", "command_permissions")


def is_message(line: dict[str, Any]) -> bool:
    """True for a line of the conversation."""
    return line.get("type") in ("user", "assistant") and isinstance(line.get("message"), dict)


def conversations(lines: list[Any]) -> dict[int, str]:
    """For each place of an object, which conversation it belongs to: a sub-agent's id, or `MAIN`.

    A sub-agent's lines are told by `isSidechain` and their root: an agent has one of its own. In the stream
    that the program prints they name the call that started the agent.

    >>> conversations([{"uuid": "a"}, {"uuid": "b", "parentUuid": None, "isSidechain": True}])
    {0: '', 1: 'b'}
    """
    of: dict[int, str] = {}
    known: dict[str, str] = {}
    for at, line in enumerate(lines):
        if not isinstance(line, dict):
            continue
        where = MAIN
        if line.get("isSidechain") is True:
            up = known.get(text(line.get("parentUuid")), MAIN)
            where = text(line.get("agentId")) or up or text(line.get("uuid")) or "sidechain"
        elif called := text(line.get("parent_tool_use_id")):
            where = called
        if uuid := text(line.get("uuid")):
            known[uuid] = where
        of[at] = where
    return of


def attached(line: dict[str, Any]) -> str:
    """The text that an attachment brought into the conversation; empty where it brought none.

    >>> attached({"attachment": {"type": "queued_command", "prompt": "stop"}})
    'stop'
    """
    held = mapping(line.get("attachment"))
    if held.get("type") in _NOT_SENT:
        return ""
    return "\n".join(_texts({key: held[key] for key in _CARRIES if key in held}))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, dict):
        return [found for key in _CARRIES if key in value for found in _texts(value[key])]
    return [found for one in sequence(value) for found in _texts(one)]


def agents_of(lines: list[Any]) -> dict[str, dict[str, Any]]:
    """What is known of the calls that started sub-agents: by the call's id, the agent's id and the prompt."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        if not isinstance(line, dict):
            continue
        blocks = sequence(mapping(line.get("message")).get("content"))
        for block in map(mapping, blocks):
            asked = mapping(block.get("input"))
            if block.get("type") == "tool_use" and text(asked.get("prompt")):
                found[text(block.get("id"))] = found[asked["prompt"]] = asked
            agent = text(mapping(line.get("toolUseResult")).get("agentId"))
            answered = text(block.get("tool_use_id"))
            if agent and answered and answered in found:
                found[agent] = found[answered]
    return found


def belongs_to(path: Path) -> Path:
    """The folder of the session that a file belongs to: of `<session>/subagents/agent-*.jsonl` the one above.

    >>> belongs_to(Path("p/s/subagents/agent-1.jsonl")) == belongs_to(Path("p/s.jsonl"))
    True
    """
    for folder in path.parents:
        if folder.name == "subagents":
            return folder.parent.parent
    return path.parent
