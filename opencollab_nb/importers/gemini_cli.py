"""Gemini CLI: saved chats (an object, or a log of records), checkpoints, what `-o stream-json` prints."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.gemini_saved import SavedChat
from opencollab_nb.importers.gemini_stream import Stream
from opencollab_nb.importers.gemini_turns import Turns
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript

NAME = "gemini-cli"
WANTS = (
    "`sessionId` and messages of type `user` and `gemini`; or turns with `role` and `parts`; "
    "or events with `tool_name` and `tool_id`"
)

_LOOKED_AT = 60
_STREAMED = ("init", "message", "tool_use", "tool_result", "error", "result")


def signs(source: Source) -> float:
    """From the keys of saved chats, of checkpoints and of printed events."""
    whole = source.json
    if _is_chat(whole):
        return 0.95
    turns = _turns(whole)
    if turns:
        ours = sum(_is_turn(one) for one in turns)
        return 0.85 if ours == len(turns) else 0.4 * ours / len(turns)
    lines = [value for _, value in source.lines[:_LOOKED_AT] if isinstance(value, dict)]
    if any("projectHash" in line and "sessionId" in line for line in lines[:3]):
        return 0.95
    return _streamed(lines)


def read(source: Source) -> list[Transcript]:
    """The one chat of a file."""
    draft = Draft(source, NAME)
    whole = source.json
    if _is_chat(whole):
        saved = SavedChat(draft)
        saved.whole(whole)
        saved.finish()
    elif _turns(whole):
        _checkpoint(draft, _turns(whole))
    elif _streamed([value for _, value in source.lines if isinstance(value, dict)]):
        stream = Stream(draft)
        for number, value in source.lines:
            stream.line(f"line {number:,}", value)
        stream.finish()
    else:
        log = SavedChat(draft)
        for number, value in source.lines:
            log.line(f"line {number:,}", value)
        log.finish()
    if source.damage:
        draft.notices.append(source.damage)
    return [draft.done()] if draft.messages else []


def _is_chat(value: Any) -> bool:
    chat = mapping(value)
    told = [text(mapping(one).get("type")) for one in sequence(chat.get("messages"))]
    return (
        "sessionId" in chat
        and ("projectHash" in chat or "gemini" in told)
        and isinstance(chat.get("messages"), list)
    )


def _turns(value: Any) -> list[Any]:
    """The contents of a checkpoint: a list, or under a key."""
    if isinstance(value, dict):
        value = value.get("clientHistory", value.get("history"))
    turns = sequence(value)
    return turns if any(map(_is_turn, turns)) else []


def _is_turn(value: Any) -> bool:
    turn = mapping(value)
    return turn.get("role") in ("user", "model", "function") and isinstance(turn.get("parts"), list)


def _streamed(lines: list[dict[str, Any]]) -> float:
    told = [line for line in lines if line.get("type") in _STREAMED]
    tools = any("tool_id" in line or "tool_name" in line for line in told)
    begun = any(line.get("type") == "init" and "session_id" in line for line in told)
    plain = any(line.get("type") == "message" and isinstance(line.get("content"), str) for line in told)
    if not told or not (tools or (begun and plain)):
        return 0.0
    return min(0.95, 0.3 + 0.65 * len(told) / len(lines))


def _checkpoint(draft: Draft, contents: list[Any]) -> None:
    turns = Turns(draft)
    for content in contents:
        turn = mapping(content)
        parts = sequence(turn.get("parts"))
        taken = turns.model(parts) if turn.get("role") == "model" else turns.user(parts)
        if taken:
            draft.used()
        else:
            draft.skip("empty turn" if _is_turn(content) else "no turn")
    turns.order.settle()
