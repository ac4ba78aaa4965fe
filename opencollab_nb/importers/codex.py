"""Codex rollouts: `rollout-*.jsonl`, one `{timestamp, type, payload}` a line; before that bare items.

Only `response_item` lines are conversation. The items of one reply are those between two inputs; the usage of
a request stands in a `token_count` event, which older programs write before its items and newer ones behind
them (and then once more, to be counted once). A `compacted` line replaces the history before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opencollab_nb.importers.codex_history import compact, roll_back
from opencollab_nb.importers.codex_items import INJECTED, content_of
from opencollab_nb.importers.codex_reply import CodexReplies
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import count, mapping, sequence, text
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.messages import Message, text_of
from opencollab_nb.transcript import Transcript

NAME = "codex"
WANTS = "lines with `type` (`session_meta`, `response_item`, `event_msg`, ...) and `payload`"

_TYPED = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_LOOKED_AT = 40
_ENDS = {
    "task_complete": "complete",
    "turn_complete": "complete",
    "turn_aborted": "aborted",
    "error": "error",
}


def signs(source: Source) -> float:
    """From the types of lines; a bare rollout is told by the head that only this program writes."""
    if _old_whole(source.json):
        return 0.9
    lines = [value for _, value in source.lines[:_LOOKED_AT] if isinstance(value, dict)]
    if not lines:
        return 0.0
    typed = sum(line.get("type") in _TYPED and isinstance(line.get("payload"), dict) for line in lines)
    if typed:
        return min(1.0, 0.4 + typed / len(lines))
    return 0.8 if any(map(_is_bare_head, lines[:3])) or any("record_type" in line for line in lines) else 0.0


def read(source: Source) -> list[Transcript]:
    """The one session of a rollout."""
    draft = Draft(source, NAME)
    _Rollout(draft).read(_records(source))
    return [draft.done()] if draft.messages else []


def _records(source: Source) -> Iterator[tuple[str, Any, Any]]:
    """Every record as where it stands, its type and its payload."""
    whole = _old_whole(source.json)
    if whole:
        yield "session", "session_meta", mapping(whole.get("session"))
        for number, item in enumerate(sequence(whole.get("items")), 1):
            yield f"item {number:,}", "response_item", item
        return
    for number, value in source.lines:
        where = f"line {number:,}"
        if not isinstance(value, dict):
            yield where, "", value
        elif "payload" in value:
            yield where, text(value.get("type")), value["payload"]
        elif "record_type" in value or _is_bare_head(value):
            yield where, text(value.get("record_type")) or "session_meta", value
        else:
            yield where, "response_item", value


def _is_bare_head(line: dict[str, Any]) -> bool:
    return (
        "type" not in line
        and "id" in line
        and "timestamp" in line
        and ("instructions" in line or "git" in line)
    )


def _old_whole(value: Any) -> dict[str, Any]:
    """The oldest form is one object for all of it."""
    known = isinstance(value, dict) and isinstance(value.get("session"), dict)
    return value if known and isinstance(value.get("items"), list) else {}


class _Rollout:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.replies = CodexReplies(draft)

    def read(self, records: Iterator[tuple[str, Any, Any]]) -> None:
        for where, kind, payload in records:
            if isinstance(payload, Broken):
                self.draft.broken(where, payload.why)
            elif not isinstance(payload, dict):
                self.draft.skip("no object")
            elif kind == "response_item":
                self._item(payload)
            elif kind == "compacted":
                self.replies.finish()
                compact(self.draft, payload)
                self.draft.used()
            elif kind == "event_msg":
                self._event(payload)
            elif kind == "session_meta":
                self._head(payload)
            else:
                if kind == "turn_context" and isinstance(payload.get("model"), str):
                    self.replies.model = payload["model"]
                self.draft.skip(kind or "untyped")
        self.replies.finish()

    def _head(self, payload: dict[str, Any]) -> None:
        spawned = mapping(mapping(mapping(payload.get("source")).get("subagent")).get("thread_spawn"))
        if parent := text(spawned.get("parent_thread_id")):
            self.draft.notices.append(f"a sub-agent of the session {parent}")
        prompt = payload.get("base_instructions")
        prompt = text(prompt) or text(mapping(prompt).get("text"))
        if prompt and not self.draft.messages:
            self.draft.add({"role": "system", "content": prompt}, source="system")
            self.draft.used()
            return
        self.draft.skip("session_meta")

    def _item(self, item: dict[str, Any]) -> None:
        kind, role = text(item.get("type")), item.get("role")
        if kind in ("message", "") and role in ("user", "developer", "system"):
            message: Message = {"role": role, "content": content_of(item)}
            injected = role == "user" and INJECTED.match(text_of(message))
            if role == "user" and not injected:
                self.draft.outcome = None
            written = "context" if injected else "user" if role == "user" else "system"
            self.replies.input(message, source=written)
        elif not self.replies.item(kind, item):
            self.draft.skip(kind or "untyped item")
            return
        self.draft.used()

    def _event(self, event: dict[str, Any]) -> None:
        kind = text(event.get("type"))
        if kind in _ENDS:
            self.draft.outcome = text(event.get("message")) or text(event.get("reason")) or _ENDS[kind]
        if kind == "token_count" and self.replies.counted(mapping(event.get("info"))):
            self.draft.window = count(mapping(event["info"]).get("model_context_window")) or self.draft.window
            self.draft.used()
        elif kind == "thread_rolled_back" and (turns := count(event.get("num_turns"))):
            self.replies.finish()
            roll_back(self.draft, turns)
            self.draft.used()
        else:
            self.draft.skip(f"event_msg {kind}".strip())
