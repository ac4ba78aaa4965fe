"""Events of the OpenHands SDK, each with its `kind`."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.chat import assistant, chat_message, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.openhands_parts import (
    call_of,
    failed_in,
    observed,
    parts_of,
    plain_call,
    reasoning_of,
    schema_of,
    single,
)
from opencollab_nb.importers.openhands_usage import Reports
from opencollab_nb.messages import Message

OTHERS = frozenset(("Condensation", "CondensationRequest", "UserRejectObservation"))
_HELD = ("llm_message", "tool_call_id", "system_prompt", "key", "source")


def is_event(value: Any) -> bool:
    """True for an event of the SDK."""
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        return False
    kind = value["kind"]
    return (kind.endswith("Event") and any(key in value for key in _HELD)) or kind in OTHERS


def fill(draft: Draft, events: list[dict[str, Any]], reports: Reports) -> None:
    """Put a run's events into a draft."""
    _Run(draft, reports, events).take(events)


class _Run:
    def __init__(self, draft: Draft, reports: Reports, events: list[dict[str, Any]]) -> None:
        self.draft, self.reports = draft, reports
        self.order = InOrder(draft)
        self.together: dict[str, list[dict[str, Any]]] = {}
        """The actions of each response: parallel calls are events of their own."""
        for event in events:
            response_id = event.get("llm_response_id")
            if event.get("kind") == "ActionEvent" and isinstance(response_id, str) and response_id:
                self.together.setdefault(response_id, []).append(event)
        self.condensed = any(event.get("kind") == "Condensation" for event in events)
        self.given: dict[str, int] = {}
        self.messages: dict[str, set[int]] = {}

    def take(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            before = len(self.draft.messages)
            self._event(event)
            event_id = event.get("id")
            if isinstance(event_id, str):
                new = set(range(before, len(self.draft.messages)))
                self.messages.setdefault(event_id, set()).update(new)
        self.order.settle()

    def _event(self, event: dict[str, Any]) -> None:
        kind = text(event.get("kind"))
        if kind == "ActionEvent":
            self._action(event)
        elif kind == "MessageEvent":
            self._message(event)
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            self._result(event, kind)
        elif kind == "SystemPromptEvent":
            self._system(event)
        elif kind == "Condensation":
            gone = [one for one in sequence(event.get("forgotten_event_ids")) if isinstance(one, str)]
            self.order.settle()
            covered = set().union(*(self.messages.get(one, set()) for one in gone))
            self.draft.compacted(text(event.get("summary")), covered)
            self.draft.used()
        elif kind == "CondensationSummaryEvent" and not self.condensed:
            self.draft.used()
            self.order.add({"role": "user", "content": text(event.get("summary"))}, source="summary")
        else:
            if kind == "ConversationStateUpdateEvent" and event.get("key") == "execution_status":
                self.draft.outcome = text(event.get("value"))[:80] or self.draft.outcome
            self.draft.skip(kind[:60] or "no kind")

    def _action(self, event: dict[str, Any]) -> None:
        self.draft.used()
        response_id = text(event.get("llm_response_id"))
        if response_id in self.given:
            return
        parallel = self.together.get(response_id) or [event]
        calls = [call_of(one) for one in parallel]
        first = next((one for one in parallel if sequence(one.get("thought")) or reasoning_of(one)), event)
        message = assistant(parts_of(first.get("thought")), calls, **reasoning_of(first))
        self.given[response_id] = self._reply(message, response_id)
        if not response_id:
            del self.given[response_id]

    def _message(self, event: dict[str, Any]) -> None:
        inner = mapping(event.get("llm_message"))
        said = parts_of(inner.get("content")) + parts_of(event.get("extended_content"))
        role = text(inner.get("role")) or ("assistant" if event.get("source") == "agent" else "user")
        self.draft.used()
        if role == "assistant":
            given = [plain_call(one) for one in sequence(inner.get("tool_calls")) if isinstance(one, dict)]
            self._reply(assistant(said, given, **reasoning_of(inner)), text(event.get("llm_response_id")))
            return
        message = chat_message({**inner, "role": role, "content": None}) or {"role": "user"}
        kept: Any = {key: message[key] for key in ("role", "name", "tool_call_id") if message.get(key)}
        kept["content"] = single(said)
        self.order.add(kept, source="system" if role == "system" else "user")

    def _reply(self, message: Message, response_id: str) -> int:
        usage, model = self.reports.of(response_id), self.reports.model_of(response_id)
        return self.order.reply(message, usage=usage, model=model)

    def _result(self, event: dict[str, Any], kind: str) -> None:
        self.draft.used()
        call_id = text(event.get("tool_call_id"))
        observation = mapping(event.get("observation"))
        if kind == "ObservationEvent":
            content = single(observed(observation) + parts_of(event.get("extended_content")))
            failed = failed_in(observation)
        else:
            content, failed = (
                text(event.get("error")) or f"Action rejected: {text(event.get('rejection_reason'))}",
                True,
            )
        if call_id:
            message: Message = {"role": "tool", "tool_call_id": call_id, "content": content}
            name = text(event.get("tool_name"))
            self.order.result({**message, "name": name} if name else message, error=failed)
        else:
            self.order.add(
                {"role": "user", "content": content, "meta": {"error": True} if failed else {}}, source="tool"
            )

    def _system(self, event: dict[str, Any]) -> None:
        said = parts_of(event.get("system_prompt")) + parts_of(event.get("dynamic_context"))
        self.draft.used()
        self.order.add({"role": "system", "content": single(said)}, source="system")
        for tool in sequence(event.get("tools")):
            if isinstance(tool, dict):
                self.draft.tools.append(tool if isinstance(tool.get("function"), dict) else schema_of(tool))
                if not isinstance(tool.get("function"), dict):
                    self.draft.unknown("parameters of tools")
