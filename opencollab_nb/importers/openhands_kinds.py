"""Events of the OpenHands SDK, each with its `kind`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import assistant, call, chat_message, image, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.openhands_usage import Reports
from opencollab_nb.messages import REASONING_KEYS, Message

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
        calls = [_call(one) for one in parallel]
        first = next((one for one in parallel if sequence(one.get("thought")) or _reasoning(one)), event)
        message = assistant(parts_of(first.get("thought")), calls, **_reasoning(first))
        self.given[response_id] = self._reply(message, response_id)
        if not response_id:
            del self.given[response_id]

    def _message(self, event: dict[str, Any]) -> None:
        inner = mapping(event.get("llm_message"))
        said = parts_of(inner.get("content")) + parts_of(event.get("extended_content"))
        role = text(inner.get("role")) or ("assistant" if event.get("source") == "agent" else "user")
        self.draft.used()
        if role == "assistant":
            given = [_plain_call(one) for one in sequence(inner.get("tool_calls")) if isinstance(one, dict)]
            self._reply(assistant(said, given, **_reasoning(inner)), text(event.get("llm_response_id")))
            return
        message = chat_message({**inner, "role": role, "content": None}) or {"role": "user"}
        kept: Any = {key: message[key] for key in ("role", "name", "tool_call_id") if message.get(key)}
        kept["content"] = _single(said)
        self.order.add(kept, source="system" if role == "system" else "user")

    def _reply(self, message: Message, response_id: str) -> int:
        usage, model = self.reports.of(response_id), self.reports.model_of(response_id)
        return self.order.reply(message, usage=usage, model=model)

    def _result(self, event: dict[str, Any], kind: str) -> None:
        self.draft.used()
        call_id = text(event.get("tool_call_id"))
        observation = mapping(event.get("observation"))
        if kind == "ObservationEvent":
            content = _single(_observed(observation) + parts_of(event.get("extended_content")))
            failed = _failed(observation)
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
        self.order.add({"role": "system", "content": _single(said)}, source="system")
        for tool in sequence(event.get("tools")):
            if isinstance(tool, dict):
                self.draft.tools.append(tool if isinstance(tool.get("function"), dict) else _schema(tool))
                if not isinstance(tool.get("function"), dict):
                    self.draft.unknown("parameters of tools")


def parts_of(content: Any) -> list[Any]:
    """Contents of the SDK as parts: texts, and every image of an image content."""
    parts: list[Any] = []
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, str) and one:
            parts.append({"type": "text", "text": one})
        elif isinstance(one, dict) and one.get("type") == "image":
            parts += [image(url) for url in sequence(one.get("image_urls")) if isinstance(url, str)]
        elif isinstance(one, dict) and isinstance(one.get("text"), str):
            parts.append({"type": "text", "text": one["text"]})
        elif one is not None and one != "":
            parts.append({"type": "text", "text": text(one)})
    return parts


def _single(parts: list[Any]) -> Any:
    """Texts as one text; parts where there are images."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _observed(observation: Mapping[str, Any]) -> list[Any]:
    """What a tool gave back, with what OpenHands put around it."""
    parts = parts_of(observation.get("content", observation.get("output")))
    if not parts and text(observation.get("error")):
        parts = parts_of(observation["error"])
    metadata = mapping(observation.get("metadata"))
    before, after = metadata.get("prefix"), metadata.get("suffix")
    around = isinstance(before, str) and isinstance(after, str) and bool(before or after)
    if around and len(parts) <= 1 and all(part["type"] == "text" for part in parts):
        return [{"type": "text", "text": f"{before}{parts[0]['text'] if parts else ''}{after}"}]
    return parts


def _failed(observation: Mapping[str, Any]) -> bool:
    if observation.get("is_error") is True or (
        isinstance(observation.get("error"), str) and observation["error"]
    ):
        return True
    code = observation.get("exit_code", mapping(observation.get("metadata")).get("exit_code"))
    return isinstance(code, int) and not isinstance(code, bool) and code > 0


def _call(event: Mapping[str, Any]) -> dict[str, Any]:
    """The call of an action, in whatever form it is kept."""
    made = mapping(event.get("tool_call"))
    if made:
        plain = _plain_call(made)
        return {**plain, "id": plain["id"] or text(event.get("tool_call_id"))}
    asked = {k: v for k, v in mapping(event.get("action")).items() if k != "kind"}
    return call(event.get("tool_call_id"), event.get("tool_name"), asked)


def _plain_call(made: Mapping[str, Any]) -> dict[str, Any]:
    function = mapping(made.get("function")) or made
    return call(made.get("id"), function.get("name"), function.get("arguments"))


def _reasoning(holder: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: holder[key] for key in REASONING_KEYS if holder.get(key)}
    item = holder.get("responses_reasoning_item")
    if isinstance(item, dict) and "reasoning_details" not in kept:
        kept["reasoning_details"] = [{"type": "reasoning", **item}]
    return kept


def _schema(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of the SDK, which keeps its description and not its parameters."""
    name = text(tool.get("name")) or text(tool.get("title")) or text(tool.get("kind"))
    function = {"name": name, "description": text(tool.get("description"))}
    return {"type": "function", "function": function}
