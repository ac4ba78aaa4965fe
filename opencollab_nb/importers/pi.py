"""Sessions of the Pi coding agent: a head, then one entry a line; linear in version 1, a tree since.

The active branch is the one that ends in the last entry; entries of others are counted as skipped. A
compaction puts a summary in place of the entries before `firstKeptEntryId` (`firstKeptEntryIndex` in
version 1) for all later requests, although the file keeps them.
"""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.branches import branch
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import count, mapping, text
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.pi_messages import ran, reply_of, result_of, said
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import tool_calls_of
from opencollab_nb.transcript import Transcript

NAME = "pi"
WANTS = "a first line of type `session` and lines of type `message`, each with a `message` with a role"

_ROLES = ("user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage", "branchSummary")
_LOOKED_AT = 40


def signs(source: Source) -> float:
    """From the head and the shape of the entries."""
    lines = [value for _, value in source.lines[:_LOOKED_AT] if isinstance(value, dict)]
    if not lines:
        return 0.0
    entries = [line for line in lines if line.get("type") in ("message", "message_end")]
    ours = sum(mapping(line.get("message")).get("role") in _ROLES for line in entries)
    head = any(line.get("type") == "session" and "id" in line for line in lines[:3])
    if head:
        return 0.95 if ours or len(lines) < 4 else 0.5
    return (
        0.6
        if ours
        and any("parentId" in line or "stopReason" in mapping(line.get("message")) for line in entries)
        else 0.0
    )


def read(source: Source) -> list[Transcript]:
    """The one session of a file."""
    draft = Draft(source, NAME)
    _Session(draft).read(source.lines)
    return [draft.done()] if draft.messages else []


class _Session:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.order = InOrder(draft)
        self.starts: dict[int, int] = {}
        """For each entry, how many messages stood before it."""
        self.ids: dict[str, int] = {}
        self.model: str | None = None

    def read(self, lines: list[tuple[int, Any]]) -> None:
        entries = [value for _, value in lines]
        active = branch(entries, own="id", parent="parentId")
        for at, entry in enumerate(entries):
            if isinstance(entry, Broken):
                self.draft.broken(f"line {lines[at][0]:,}", entry.why)
            elif not isinstance(entry, dict):
                self.draft.skip("no object")
            elif active is not None and at not in active and entry.get("type") != "session":
                self.draft.skip("on an abandoned branch")
            else:
                self.starts[at] = self.order.count
                if isinstance(entry.get("id"), str):
                    self.ids[entry["id"]] = at
                self._entry(at, entry)
        self.order.settle()

    def _entry(self, at: int, entry: dict[str, Any]) -> None:
        kind = text(entry.get("type"))
        unused = None
        if kind in ("message", "message_end"):
            unused = self._message(mapping(entry.get("message")))
        elif kind == "compaction":
            self._compacted(at, entry)
        elif kind == "custom_message":
            self.order.add({"role": "user", "content": said(entry.get("content"))}, source="context")
        elif kind == "branch_summary":
            self.order.add({"role": "user", "content": text(entry.get("summary"))}, source="summary")
        else:
            unused = kind or "untyped"
            if kind == "session_info" and text(entry.get("name")):
                self.draft.title = entry["name"]
        if unused:
            self.draft.skip(unused)
        else:
            self.draft.used()

    def _message(self, message: dict[str, Any]) -> str | None:
        """Take a message; returns what kind of thing it was where it is none for the model."""
        role = message.get("role")
        if role == "assistant":
            return self._reply(message)
        if role == "user":
            self.order.add({"role": "user", "content": said(message.get("content"))}, source="user")
        elif role == "toolResult":
            self.order.result(result_of(message), error=message.get("isError") is True)
        elif role == "bashExecution":
            if message.get("excludeFromContext") is True:
                return "command kept from the model"
            self.order.add({"role": "user", "content": ran(message)}, source="context")
        elif role in ("custom", "hookMessage"):
            self.order.add({"role": "user", "content": said(message.get("content"))}, source="context")
        elif role in ("branchSummary", "compactionSummary"):
            self.order.add({"role": "user", "content": text(message.get("summary"))}, source="summary")
        else:
            return f"message of role {role!r}"[:60]
        return None

    def _reply(self, message: dict[str, Any]) -> str | None:
        reply, why = reply_of(message), text(message.get("stopReason"))
        usage, model = usage_of(message.get("usage")), text(message.get("model")) or None
        self.draft.outcome = text(message.get("errorMessage")) or why or None
        if reply["content"] or tool_calls_of(reply):
            self.order.reply(reply, usage=usage, model=model)
            return None
        if usage:
            self.order.settle()
            self.draft.asked(usage=usage, model=model)
        return f"empty reply ({why or 'no reason told'})"[:60]

    def _compacted(self, at: int, entry: dict[str, Any]) -> None:
        """Where the first kept entry is not on the branch, nothing before the compaction was kept."""
        self.order.settle()
        first = self.ids.get(text(entry.get("firstKeptEntryId")))
        if first is None:
            first = count(entry.get("firstKeptEntryIndex"))
        kept_from = self.starts.get(first if first is not None else at, self.order.count)
        self.draft.compacted(text(entry.get("summary")), range(kept_from), count(entry.get("tokensBefore")))
