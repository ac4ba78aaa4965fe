"""Sessions of Claude Code: `~/.claude/projects/*.jsonl`, and what it prints as `stream-json`.

A line is one block of a reply; lines that share `message.id` are one reply, and its usage stands on each.
What a tool gave is in `message.content`; `toolUseResult` beside it is the program's own and was never sent.
Sub-agents stand in the same file (`isSidechain`) or in files of their own beside it.
"""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.claude_chain import Chain
from opencollab_nb.importers.claude_lines import MAIN, agents_of, belongs_to, conversations, is_message
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.messages import text_of
from opencollab_nb.transcript import Transcript

NAME = "claude-code"
WANTS = "lines of type `user` and `assistant`, each with a `message`, and `sessionId` or `session_id`"

__all__ = ["NAME", "WANTS", "belongs_to", "read", "read_together", "signs"]

_LOOKED_AT = 200
_OWN_KEYS = ("sessionId", "session_id", "parentUuid", "isSidechain", "leafUuid")


def signs(source: Source) -> float:
    """From the shape of message lines; a session that begins with other lines has them soon after."""
    lines = [value for _, value in _lines(source)[:_LOOKED_AT] if isinstance(value, dict)]
    ours = [line for line in lines if any(key in line for key in _OWN_KEYS)]
    messages = [line for line in ours if is_message(line) and isinstance(line["message"].get("role"), str)]
    if messages:
        return 0.95
    return 0.4 if len(ours) > len(lines) / 2 else 0.0


def read(source: Source) -> list[Transcript]:
    """The session, its sub-agents as its children; a file of sub-agents alone gives each by itself."""
    return [draft.done() for draft in _drafts(source)]


def read_together(sources: list[Source]) -> list[Transcript]:
    """The sessions of a folder; sub-agents in files of their own become children of their session."""
    drafts = []
    for source in sources:
        drafts += [(draft, *_session(source)) for draft in _drafts(source)]
        source.forget()
    parents = {session: draft for draft, session, is_agent in drafts if session and not is_agent}
    alone: list[Draft] = []
    for draft, session, is_agent in drafts:
        if is_agent and session in parents:
            parents[session].child(draft)
        else:
            alone.append(draft)
    return [draft.done() for draft in alone]


def _session(source: Source) -> tuple[str, bool]:
    """The session's id, and whether all lines are a sub-agent's."""
    messages = [line for _, line in _lines(source) if isinstance(line, dict) and is_message(line)]
    session = next((line["sessionId"] for line in messages if text(line.get("sessionId"))), "")
    return session, bool(messages) and all(line.get("isSidechain") is True for line in messages)


def _lines(source: Source) -> list[tuple[int, Any]]:
    """The lines, or the items of the list that the program prints with `--output-format json`."""
    whole = source.json
    return list(enumerate(whole, 1)) if isinstance(whole, list) else source.lines


def _drafts(source: Source) -> list[Draft]:
    lines = [value for _, value in _lines(source)]
    of = conversations(lines)
    parts: dict[str, list[dict[str, Any]]] = {}
    for at, where in of.items():
        parts.setdefault(where, []).append(lines[at])
    spoken = {where for where, part in parts.items() if any(map(is_message, part))}
    main = parts.pop(MAIN, [])
    asked = agents_of(lines)
    agents = [_agent(source, n, key, part, asked) for n, (key, part) in enumerate(parts.items(), 1)]
    if MAIN not in spoken and agents:
        _beside(agents[0], source, main)
        return [agent for agent in agents if agent.messages]
    draft = Draft(source, NAME)
    _beside(draft, source, [])
    Chain(draft).read(main)
    for agent, part in zip(agents, parts.values(), strict=True):
        draft.child(agent)
        draft.skip("of a sub-agent", len(part))
    return [draft] if draft.messages else []


def _beside(draft: Draft, source: Source, others: list[dict[str, Any]]) -> None:
    """What is no line of any conversation."""
    for line in others:
        draft.skip(text(line.get("type")) or "untyped")
    for number, value in _lines(source):
        if isinstance(value, Broken):
            draft.broken(f"line {number:,}", value.why)
        elif not isinstance(value, dict):
            draft.skip("no object")
    if source.damage:
        draft.notices.append(source.damage)


def _agent(
    source: Source, n: int, key: str, part: list[dict[str, Any]], asked: dict[str, dict[str, Any]]
) -> Draft:
    draft = Draft(source, NAME, f"{source.name} sub-agent {n}")
    Chain(draft).read(part)
    prompt = text_of(draft.messages[0]) if draft.messages else ""
    call = mapping(asked.get(key) or asked.get(prompt))
    draft.title = text(call.get("description")) or None
    return draft
