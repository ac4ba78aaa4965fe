"""One conversation of a Claude Code session: lines joined to messages, one after the other."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import blocks
from opencollab_nb.importers.claude_branch import abandoned
from opencollab_nb.importers.claude_lines import WRITTEN_BY_PROGRAM, attached, is_message
from opencollab_nb.importers.claude_queue import spoken, steered
from opencollab_nb.importers.claude_turns import Turn, turns_of
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import count, mapping, sequence, text
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.messages import text_of

SYNTHETIC = "<synthetic>"
"""The model's name on what the program said in its place."""


class Chain:
    """Reads the lines of one conversation into a draft.

    Args:
        draft: where they go.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._order = InOrder(draft)
        self._begins: dict[str, int] = {}
        """For each line's id, how many messages stood before it."""
        self._boundary: dict[str, Any] | None = None
        self._known: set[str] = set()
        """What the user's lines say, where some of it may have waited in a queue."""

    def read(self, lines: list[dict[str, Any]]) -> None:
        """Take the lines, each either used or counted as skipped."""
        gone = abandoned(lines)
        self._known = spoken(lines)
        self.draft.skip("on an abandoned branch", len(gone))
        for turn in turns_of(self.draft, [line for at, line in enumerate(lines) if at not in gone]):
            self._begins[text(turn.line.get("uuid"))] = self._order.count
            self._take(turn)
        self._compact("")
        self._order.settle()

    def _take(self, turn: Turn) -> None:
        line, kind = turn.line, text(turn.line.get("type"))
        if kind == "assistant" and is_message(line):
            self._compact("")
            self._reply(turn)
        elif kind == "user" and is_message(line):
            self._user(line)
            self.draft.used()
        elif kind == "attachment" and (brought := attached(line)):
            queued = mapping(line.get("attachment")).get("type") == "queued_command"
            self._brought(brought, by_user=queued)
        elif waited := steered(line, self._known):
            self._brought(waited, by_user=True)
        elif kind == "summary" and self._boundary is not None:
            said = mapping(line.get("message")) or {"content": line.get("summary")}
            self._compact("\n".join(map(text_of, blocks.messages_of("user", said.get("content")))))
            self.draft.used()
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            self._boundary = line
            self.draft.used()
        else:
            self._other(line, kind)

    def _brought(self, words: str, *, by_user: bool) -> None:
        self._compact("")
        by_user = by_user and not WRITTEN_BY_PROGRAM.match(words)
        self._order.add({"role": "user", "content": words}, source="user" if by_user else "context")
        self.draft.used()

    def _reply(self, turn: Turn) -> None:
        message = blocks.reply_of(turn.blocks)
        model = text(mapping(turn.line.get("message")).get("model")) or None
        if model != SYNTHETIC:
            self._order.reply(message, usage=turn.usage, model=model)
            return
        self._order.settle()
        self._order.add(message, source="note")
        self.draft.outcome = text_of(message)[:200] or None

    def _user(self, line: dict[str, Any]) -> None:
        said = blocks.messages_of("user", line["message"].get("content"))
        if line.get("isCompactSummary") is True:
            self._compact("\n".join(text_of(message) for message in said), summed_up=True)
            return
        self._compact("")
        for message in said:
            if message["role"] == "tool":
                self._order.result(message)
            else:
                by_program = (
                    line.get("isMeta") is True or len(said) > 1 or WRITTEN_BY_PROGRAM.match(text_of(message))
                )
                self._order.add(message, source="context" if by_program else "user")

    def _compact(self, summary: str, *, summed_up: bool = False) -> None:
        """A summary took the place of what stands; without one, nothing took it."""
        if self._boundary is None and not summed_up:
            return
        told = mapping(mapping(self._boundary).get("compactMetadata"))
        self._boundary = None
        self._order.settle()
        if not self.draft.messages:
            if summary:
                self.draft.add({"role": "user", "content": summary}, source="summary")
            return
        kept = mapping(told.get("preservedMessages")).get("uuids")
        starts = [self._begins[uuid] for uuid in map(text, sequence(kept)) if uuid in self._begins]
        upto = min(starts, default=len(self.draft.messages))
        self.draft.compacted(summary, range(upto), count(told.get("preTokens")))

    def _other(self, line: dict[str, Any], kind: str) -> None:
        named = f"{kind}/{text(line.get('subtype'))}" if text(line.get("subtype")) else kind
        if kind == "attachment":
            named = f"attachment {text(mapping(line.get('attachment')).get('type'))}".strip()
        if kind == "result":
            self.draft.outcome = text(line.get("subtype")) or None
            windows = [
                count(mapping(one).get("contextWindow")) for one in mapping(line.get("modelUsage")).values()
            ]
            self.draft.window = max((one for one in windows if one), default=self.draft.window)
        for key in ("customTitle", "aiTitle"):
            if kind in ("custom-title", "ai-title") and text(line.get(key)):
                self.draft.title = line[key]
        self.draft.skip(named[:60] or "untyped")
