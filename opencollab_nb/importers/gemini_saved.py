"""Chats that Gemini CLI saves: one object, or a log of records that later ones change."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.gemini_parts import chat_part, parts_of
from opencollab_nb.importers.gemini_turns import Turns
from opencollab_nb.importers.source import Broken
from opencollab_nb.importers.usages import usage_of


class SavedChat:
    """Collects the messages of a chat: a record with a known id replaces the former one, in its place.

    Args:
        draft: where they go.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._events: list[tuple[str, Any]] = []
        """Ids of messages, and what a new history brought, in order."""
        self._records: dict[str, dict[str, Any]] = {}

    def whole(self, chat: dict[str, Any]) -> None:
        """A chat in one object."""
        for record in sequence(chat.get("messages")):
            self._message(record)
        self._title(chat)

    def line(self, where: str, value: Any) -> None:
        """One record of a log."""
        if isinstance(value, Broken):
            self.draft.broken(where, value.why)
        elif not isinstance(value, dict):
            self.draft.skip("no object")
        elif isinstance(value.get("$rewindTo"), str):
            self._rewind(value["$rewindTo"])
            self.draft.skip("$rewindTo")
        elif isinstance(value.get("$set"), dict):
            self._set(value["$set"])
        elif "type" in value:
            self._message(value)
        else:
            self._title(value)
            self.draft.skip("head")

    def finish(self) -> None:
        """Put all that still stands into the draft."""
        turns = Turns(self.draft)
        begins: dict[str, int] = {}
        for kind, what in self._events:
            if kind == "message":
                begins[what] = turns.order.count
                self._take(turns, self._records[what])
            else:
                kept, summary = what
                turns.order.settle()
                upto = min((begins[one] for one in kept if one in begins), default=len(self.draft.messages))
                self.draft.compacted(summary, range(upto))
        turns.order.settle()

    def _message(self, record: Any) -> None:
        if not isinstance(record, dict):
            self.draft.skip("no object")
            return
        known = text(record.get("id")) or f"#{len(self._records)}"
        if known in self._records:
            self.draft.skip("written again")
        else:
            self._events.append(("message", known))
        self._records[known] = {**self._records.get(known, {}), **record}

    def _rewind(self, to: str) -> None:
        """The user went back: this message and all after it left the history."""
        ids = [what for kind, what in self._events if kind == "message"]
        left = set(ids[ids.index(to) :]) if to in ids else set(ids)
        self._events = [(kind, what) for kind, what in self._events if kind != "message" or what not in left]
        for one in left:
            del self._records[one]
        self.draft.skip("taken back", len(left))

    def _set(self, changed: dict[str, Any]) -> None:
        self._title(changed)
        history = changed.get("messages")
        if not isinstance(history, list):
            self.draft.skip("$set")
            return
        kept = [text(mapping(one).get("id")) for one in history]
        new = [one for one in map(mapping, history) if text(one.get("id")) not in self._records]
        told = [text(chat_part(part).get("text")) for one in new for part in parts_of(one.get("content"))]
        self._events.append(("history", (kept, "\n".join(one for one in told if one))))
        self.draft.used()

    def _title(self, told: dict[str, Any]) -> None:
        self.draft.title = text(told.get("summary")) or self.draft.title

    def _take(self, turns: Turns, record: dict[str, Any]) -> None:
        kind = text(record.get("type"))
        taken = False
        if kind == "user":
            taken = turns.user(record.get("content"))
        elif kind in ("gemini", "model"):
            taken = turns.model(
                record.get("content"),
                record.get("toolCalls"),
                record.get("thoughts"),
                usage_of(record.get("tokens")),
                text(record.get("model")) or None,
            )
        if taken:
            self.draft.used()
        else:
            self.draft.skip(f"empty {kind}" if kind in ("user", "gemini", "model") else kind or "untyped")
