"""Lines of a Claude Code conversation joined: those with one message id are one reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.importers import blocks
from opencollab_nb.importers.claude_lines import is_message
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.tokens.usage import Usage


@dataclass
class Turn:
    """A reply in one line or several, or any other line."""

    line: dict[str, Any]
    blocks: list[Any] = field(default_factory=list)
    usage: Usage | None = None


def turns_of(draft: Draft, lines: list[dict[str, Any]]) -> list[Turn]:
    """The lines of a conversation as turns, in order of their first lines; a line that repeats is skipped.

    Lines of replies are counted as used here, all others by whoever takes the turn.
    """
    turns: list[Turn] = []
    replies: dict[str, Turn] = {}
    seen: set[str] = set()
    for line in lines:
        uuid = text(line.get("uuid"))
        if uuid and uuid in seen:
            draft.skip("repeated line")
            continue
        seen.add(uuid)
        said = mapping(line.get("message"))
        if line.get("type") != "assistant" or not is_message(line):
            turns.append(Turn(line))
            continue
        reply_id = text(said.get("id"))
        turn = replies.get(reply_id)
        if turn is None:
            turn = Turn(line)
            turns.append(turn)
            if reply_id:
                replies[reply_id] = turn
        given = said.get("content")
        turn.blocks += given if isinstance(given, list) else blocks.text_blocks(given)
        turn.usage = _fuller(turn.usage, usage_of(said.get("usage")))
        draft.used()
    return turns


def _fuller(known: Usage | None, more: Usage | None) -> Usage | None:
    """Of the reports on the lines of one reply the fullest: the first may tell of its start only."""
    if known is None or more is None:
        return more or known
    return more if more.output_tokens >= known.output_tokens else known
