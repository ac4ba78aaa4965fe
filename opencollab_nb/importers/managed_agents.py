"""Events of Anthropic's managed agents, bare or each wrapped as `{role, kind, content, time, raw}`.

A request is told by `span.model_request_start` and `..._end`: what the agent said and called stands before
the end, the results behind it. Thinking is an empty mark. Status, evaluation and totals are no conversation.
"""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers import blocks
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import meta_of
from opencollab_nb.transcript import Transcript

NAME = "anthropic-managed-agents"
WANTS = "events of types such as `agent.message`, `user.message` and `span.model_request_end`"

_LOOKED_AT = 60
_DOMAINS = ("agent.", "user.", "span.", "session.", "system.")
_ANSWERS = ("tool_use_id", "custom_tool_use_id", "mcp_tool_use_id", "tool_use_event_id")
_SENT = ("type", "content", "to_agent_name", "to_session_thread_id")
_NOT_KEPT = "[a summary that is not in the file]"


def signs(source: Source) -> float:
    """From the types of the events."""
    events = [event for _, event in _events(source)[:_LOOKED_AT] if isinstance(event, dict)]
    ours = [event for event in events if text(event.get("type")).startswith(_DOMAINS)]
    spoken = any(
        text(event.get("type")) in ("agent.message", "agent.tool_use", "user.message") for event in ours
    )
    return 0.95 * len(ours) / len(events) if spoken else 0.0


def read(source: Source) -> list[Transcript]:
    """The session; threads of other agents in it are its children."""
    events = _events(source)
    main = _Thread(Draft(source, NAME))
    first = next((name for _, event in events if (name := text(mapping(event).get("session_thread_id")))), "")
    threads = {"": main, first: main}
    for where, event in events:
        if isinstance(event, Broken):
            main.draft.broken(where, event.why)
        elif not isinstance(event, dict):
            main.draft.skip("no object")
        else:
            name = text(event.get("session_thread_id"))
            if name not in threads:
                threads[name] = _Thread(Draft(source, NAME, f"{source.name} thread {len(threads)}"))
            threads[name].event(event)
            main.draft.skip("of a sub-agent", threads[name] is not main)
    for thread in threads.values():
        if thread is not main:
            thread.finish()
            main.draft.child(thread.draft)
    main.finish()
    if source.damage:
        main.draft.notices.append(source.damage)
    return [main.draft.done()] if main.draft.messages else []


def _events(source: Source) -> list[tuple[str, Any]]:
    """All events, unwrapped, each with where it stands."""
    whole = source.json
    listed = (
        whole
        if isinstance(whole, list)
        else sequence(mapping(whole).get("data", mapping(whole).get("events")))
    )
    given = [(f"event {n:,}", one) for n, one in enumerate(listed, 1)]
    given = given or [(f"line {n:,}", one) for n, one in source.lines]
    return [
        (where, one["raw"] if isinstance(one, dict) and isinstance(one.get("raw"), dict) else one)
        for where, one in given
    ]


class _Thread:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._order = InOrder(draft)
        self._blocks: list[Any] = []
        self._model: str | None = None

    def event(self, event: dict[str, Any]) -> None:
        """Take one event."""
        kind = text(event.get("type"))
        if self._is_said(kind, event) or self._is_told(kind, event):
            self.draft.used()
            return
        if kind.startswith("session.status") or kind == "session.error":
            self.draft.outcome = kind.removeprefix("session.")
        self.draft.skip(kind[:60] or "untyped")

    def _is_said(self, kind: str, event: dict[str, Any]) -> bool:
        """What belongs to a reply."""
        if kind == "agent.message":
            content = event.get("content")
            self._blocks += content if isinstance(content, list) else blocks.text_blocks(content)
        elif kind in ("agent.tool_use", "agent.custom_tool_use", "agent.mcp_tool_use"):
            self._blocks.append(
                {"type": "tool_use", **{key: event.get(key) for key in ("id", "name", "input")}}
            )
        elif kind == "agent.thread_message_sent":
            self._blocks.append({key: event[key] for key in _SENT if key in event})
        elif kind == "span.model_request_start":
            self._close(None)
            self._model = text(event.get("model")) or self._model
            return False
        elif kind == "span.model_request_end":
            usage = event.get("model_usage", event.get("usage"))
            self._model = text(event.get("model")) or self._model
            self._close(usage)
        else:
            return False
        return True

    def _is_told(self, kind: str, event: dict[str, Any]) -> bool:
        """What the agent was told."""
        if kind.endswith("tool_result"):
            self._close(None)
            called = next((text(event[key]) for key in _ANSWERS if text(event.get(key))), "")
            message = blocks.result_of({**event, "tool_use_id": called})
            self._order.result(message, error=meta_of(message).get("error") is True)
        elif kind in ("user.message", "system.message", "agent.thread_message_received"):
            self._close(None)
            for message in blocks.messages_of("user", event.get("content")):
                self._order.add(message, source="user" if kind == "user.message" else "context")
        elif kind == "agent.thread_context_compacted":
            self._close(None)
            self._order.settle()
            self.draft.compacted(text(event.get("summary")) or _NOT_KEPT, range(len(self.draft.messages)))
        else:
            return False
        return True

    def finish(self) -> None:
        """No event follows."""
        self._close(None)
        self._order.settle()

    def _close(self, reported: Any) -> None:
        usage = usage_of(reported)
        if self._blocks:
            self._order.reply(blocks.reply_of(self._blocks), usage=usage, model=self._model)
        elif usage:
            self._order.settle()
            self.draft.asked(usage=usage, model=self._model)
        self._blocks = []
