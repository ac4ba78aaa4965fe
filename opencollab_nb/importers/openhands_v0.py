"""Events of OpenHands with `action` or `observation`: flat, or with `args`, `extras`, `id` and `cause`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import call, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import count, mapping, sequence
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.openhands_shown import content_of, failed, shown, told_reply
from opencollab_nb.importers.openhands_usage import Reports
from opencollab_nb.importers.openhands_words import (
    ACTS,
    NOTES,
    arguments_of,
    end_of_delegate,
    is_event,
    is_id,
)
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Message


def fill(draft: Draft, events: list[dict[str, Any]], reports: Reports) -> None:
    """Put a run's events into a draft."""
    _Run(draft, reports).take(events)


class _Run:
    """One stream of events; a delegate's events stand within it and become a child."""

    def __init__(self, draft: Draft, reports: Reports) -> None:
        self.draft, self.reports = draft, reports
        self.order = InOrder(draft)
        self.responses: dict[str, int] = {}
        self.calls: dict[Any, str] = {}
        """The call that an action made, by the id of its event."""
        self.open: list[str] = []
        """Calls of flat events, which are paired by order alone."""
        self.messages: dict[Any, set[int]] = {}
        """The messages that an event became, by its id."""
        self.agent_spoke = False

    def take(self, events: list[dict[str, Any]]) -> None:
        at = 0
        while at < len(events):
            event = events[at]
            before = len(self.draft.messages)
            self._event(event)
            if event.get("action") == "delegate":
                end = end_of_delegate(events, at)
                self._delegate(event, events[at + 1 : end])
                at = end - 1
            new = set(range(before, len(self.draft.messages)))
            if is_id(event.get("id")):
                self.messages.setdefault(event["id"], set()).update(new)
            at += 1
        self.order.settle()

    def _event(self, event: dict[str, Any]) -> None:
        action = event.get("action")
        if not is_event(event):
            return self.draft.skip(f"unknown event {text(action or event.get('observation'))[:40]}".rstrip())
        if not isinstance(action, str):
            return self._observation(event, text(event.get("observation")))
        args = {**event, **mapping(event.get("args"))}
        if action == "message":
            self._message(event, args)
        elif action == "system":
            self.draft.tools += [tool for tool in sequence(args.get("tools")) if isinstance(tool, dict)]
            self.draft.add({"role": "system", "content": text(args.get("content"))}, source="system")
            self.draft.used()
        elif action == "condensation":
            self._condensation(args)
        elif action in ACTS or action in ("finish", "reject"):
            self._act(event, args, action)
        else:
            self.draft.skip(action)
        return None

    def _message(self, event: dict[str, Any], args: Mapping[str, Any]) -> None:
        source = event.get("source")
        by_user = source == "user" if isinstance(source, str) else not self.draft.messages or self.agent_spoke
        content = content_of(text(args.get("content")), args)
        self.agent_spoke = not by_user
        self.draft.used()
        if by_user:
            return self.order.add({"role": "user", "content": content}, source="user")
        reply: Message = {"role": "assistant", "content": content}
        self._reply(event, reply)
        return None

    def _act(self, event: dict[str, Any], args: Mapping[str, Any], action: str) -> None:
        self.draft.used()
        self.agent_spoke = False
        told = mapping(event.get("tool_call_metadata"))
        if not told and event.get("source") == "user":
            said = text(args.get("command") or args.get("code") or args.get("path"))
            return self.order.add({"role": "user", "content": f"[{action}] {said}"}, source="user")
        if told:
            response_id = text(mapping(told.get("model_response")).get("id"))
            if not response_id or response_id not in self.responses:
                self._reply(event, told_reply(told, event, args))
        else:
            self._reply(event, self._flat_reply(event, args, action))
        if told and is_id(event.get("id")):
            self.calls[event["id"]] = text(told.get("tool_call_id"))
        return None

    def _flat_reply(self, event: dict[str, Any], args: Mapping[str, Any], action: str) -> Message:
        """A reply of a version that did not keep the call: its thought, and the action as a call."""
        thought = text(args.get("thought"))
        if action not in ACTS:
            last = text(args.get("final_thought")) or text(args.get("content"))
            outputs = mapping(args.get("outputs"))
            said = "\n".join(part for part in (thought, last, text(outputs) if outputs else "") if part)
            return {"role": "assistant", "content": said or f"[{action}]"}
        asked = arguments_of(event)
        call_id = f"call_{len(self.draft.messages)}"
        self.open.append(call_id)
        if is_id(event.get("id")):
            self.calls[event["id"]] = call_id
        return {"role": "assistant", "content": thought, "tool_calls": [call(call_id, action, asked)]}

    def _reply(self, event: dict[str, Any], reply: Message) -> None:
        response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
        response_id = text(response.get("id")) or text(event.get("response_id"))
        since = self.reports.since(event.get("llm_metrics"))
        usage = usage_of(response.get("usage")) or self.reports.of(response_id) or since
        model = text(response.get("model")) or self.reports.model_of(response_id)
        at = self.order.reply(reply, usage=usage, model=model or None)
        if response_id:
            self.responses[response_id] = at

    def _observation(self, event: dict[str, Any], kind: str) -> None:
        extras = {**event, **mapping(event.get("extras"))}
        if kind == "agent_state_changed":
            self.draft.outcome = text(extras.get("agent_state")) or self.draft.outcome
        if kind == "recall":
            return self._recall(extras)
        if kind in NOTES:
            return self.draft.skip(kind)
        self.draft.used()
        content = content_of(shown(extras), extras)
        is_error = failed(kind, event, extras)
        call_id = text(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        cause = event.get("cause")
        call_id = call_id or (self.calls.get(cause, "") if is_id(cause) else "")
        if not call_id and self.open:
            call_id = self.open[0]
        if call_id in self.open:
            self.open.remove(call_id)
        if call_id:
            message: Message = {"role": "tool", "tool_call_id": call_id, "content": content or ""}
            return self.order.result(message, error=is_error)
        self.order.add(
            {"role": "user", "content": content, "meta": {"error": True} if is_error else {}}, source="tool"
        )
        return None

    def _recall(self, extras: Mapping[str, Any]) -> None:
        """Knowledge that OpenHands put beside the conversation."""
        found = [text(mapping(one).get("content")) for one in sequence(extras.get("microagent_knowledge"))]
        known = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
        said = "\n\n".join(part for part in [*(text(extras.get(key)) for key in known), *found] if part)
        if not said:
            return self.draft.skip("recall")
        self.draft.used()
        return self.order.add({"role": "user", "content": said}, source="context")

    def _condensation(self, args: Mapping[str, Any]) -> None:
        first = count(args.get("forgotten_events_start_id"))
        last = count(args.get("forgotten_events_end_id"))
        gone = [one for one in sequence(args.get("forgotten_event_ids")) if is_id(one)]
        if not gone and first is not None and last is not None:
            gone = [one for one in self.messages if isinstance(one, int) and first <= one <= last]
        self.order.settle()
        self.draft.compacted(
            text(args.get("summary")), set().union(*(self.messages.get(one, set()) for one in gone))
        )
        self.draft.used()

    def _delegate(self, event: dict[str, Any], events: list[dict[str, Any]]) -> None:
        if not events:
            return
        args = mapping(event.get("args")) or event
        child = Draft(
            self.draft.source,
            self.draft.format,
            f"{self.draft.name}, {text(args.get('agent')) or 'delegate'}",
        )
        task = text(mapping(args.get("inputs")).get("task"))
        if task:
            child.add({"role": "user", "content": task}, source="task")
        fill(child, events, self.reports)
        self.draft.child(child)
        self.draft.skip("event of a sub-agent", len(events))
