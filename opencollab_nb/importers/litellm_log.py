"""LiteLLM logs: a file or a line for each request, with the request, the answer and its usage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.importers.blocks import messages_of, tool_schema
from opencollab_nb.importers.chat import chat_message
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import Call, together, told
from opencollab_nb.importers.fields import count, mapping, sequence, text
from opencollab_nb.importers.items import messages_of as messages_of_items
from opencollab_nb.importers.source import Source
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Message, Messages
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript

NAME = "litellm"
WANTS = "`messages` beside a `response` with `choices`, as completion logs and standard logging payloads have"
_TRIED = 60
_BESIDE = ("kwargs", "cost", "timestamp", "latency_sec", "context_window", "raw_response", "raw_messages")
_CACHE = ("prompt_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_PAYLOAD = (
    "call_type",
    "model_parameters",
    "response_cost",
    "startTime",
    "standard_logging_object",
    "hidden_params",
)


def signs(source: Source) -> float:
    """High for records of a request with its answer and what LiteLLM notes beside them."""
    found = _records(source)[:_TRIED]
    return 0.95 * sum(map(_is_record, found)) / len(found) if found else 0.0


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation: requests that go on from one another are one."""
    return read_together([source])


def read_together(sources: list[Source]) -> list[Transcript]:
    """The files of a folder, each with one request, in the order in which they were made."""
    records = [(source, record) for source in sources for record in _records(source) if _is_record(record)]
    # Files are in the order of their names, which stays where no time is told.
    records.sort(key=lambda pair: _time(pair[1]))
    calls = [_call(record) for _, record in records]
    if not calls:
        return []
    drafts = together(sources[0], NAME, calls)
    if len(sources) > 1:
        _name_folder(drafts, sources)
    told(drafts, sources[0], sum(source is sources[0] for source, _ in records))
    windows = [count(_inner(record).get("context_window")) or 0 for _, record in records]
    for draft in drafts:
        draft.window = max(windows) or None
    return [draft.done() for draft in drafts if draft.messages]


def _name_folder(drafts: list[Draft], sources: list[Source]) -> None:
    name = Path(sources[0].path).parent.name or sources[0].name
    for n, draft in enumerate(drafts):
        draft.name = f"{name}[{n}]" if len(drafts) > 1 else name
    for source in sources[1:]:
        drafts[-1].notices += [f"{source.name}: {notice}" for notice in source.notices]
        if source.damage:
            drafts[-1].broken(source.name, source.damage)


def _records(source: Source) -> list[Any]:
    if isinstance(source.json, list):
        return [one for one in source.json if isinstance(one, dict)]
    return list(source.objects)


def _inner(record: Mapping[str, Any]) -> dict[str, Any]:
    """The payload that stands within a callback's record."""
    held = mapping(record.get("standard_logging_object")) or mapping(
        mapping(record.get("kwargs")).get("standard_logging_object")
    )
    return held or mapping(dict(record))


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    inner = _inner(record)
    answered = (
        isinstance(inner.get("response"), dict) or "raw_response" in inner or inner.get("status") == "failure"
    )
    asked = any(isinstance(inner.get(key), list) for key in ("messages", "input", "raw_messages"))
    noted = sum(key in inner for key in (*_BESIDE, *_PAYLOAD))
    return answered and asked and noted >= 2


def _call(record: Mapping[str, Any]) -> Call:
    inner = _inner(record)
    response = mapping(inner.get("response"))
    raw = mapping(inner.get("raw_response"))
    reply = _reply(raw) or _reply(response)
    notice = None
    if reply is None and text(inner.get("error_str")):
        notice = f"a request failed: {text(inner['error_str'])[:200]}"
    return Call(
        messages=_asked(inner),
        reply=reply,
        usage=_usage(response, inner) or _usage(raw, inner),
        model=text(response.get("model")) or text(inner.get("model")) or None,
        # Where calls are written as text, the system prompt tells of the tools.
        tools=() if raw else _tools(inner),
        notice=notice,
    )


def _asked(inner: Mapping[str, Any]) -> Messages:
    """What was sent: for a model without tools the one of two lists that has its calls written as text."""
    listed, other = sequence(inner.get("messages")), sequence(inner.get("raw_messages"))
    if other and (not listed or (_has_calls(listed) and not _has_calls(other))):
        listed = other
    if not listed:
        return messages_of_items(sequence(inner.get("input")))
    out: Messages = []
    for value in listed:
        content = mapping(value).get("content")
        role = mapping(value).get("role")
        blocks = isinstance(content, list) and any(
            mapping(part).get("type") in ("tool_use", "tool_result") for part in content
        )
        if blocks and isinstance(role, str):
            out += messages_of(role, content)
        elif message := chat_message(value):
            out.append(_unmarked(message))
    return out


def _has_calls(listed: list[Any]) -> bool:
    return any(
        mapping(one).get("role") == "tool" or sequence(mapping(one).get("tool_calls")) for one in listed
    )


def _unmarked(message: Message) -> Message:
    """A message without marks for the provider's cache."""
    content = message.get("content")
    if isinstance(content, list) and any(
        "cache_control" in part for part in content if isinstance(part, dict)
    ):
        parts = [
            {k: v for k, v in p.items() if k != "cache_control"} if isinstance(p, dict) else p
            for p in content
        ]
        return {**message, "content": parts}
    return message


def _reply(response: Mapping[str, Any]) -> Message | None:
    """The first choice of an answer, or the items of one by the Responses API."""
    choices = sequence(response.get("choices"))
    said = mapping(mapping(choices[0] if choices else None).get("message"))
    if said:
        return chat_message({**said, "role": "assistant"})
    found = [one for one in messages_of_items(sequence(response.get("output"))) if one["role"] == "assistant"]
    return found[-1] if found else None


def _usage(response: Mapping[str, Any], inner: Mapping[str, Any]) -> Usage | None:
    """The usage of the answer; else the sums of the payload."""
    reported = mapping(response.get("usage"))
    if not reported:
        metadata = mapping(inner.get("metadata"))
        return usage_of(mapping(metadata.get("usage_object"))) or usage_of(inner)
    usage = usage_of(reported)
    prompt, read, written = (count(reported.get(key)) or 0 for key in _CACHE)
    if usage and prompt < read + written:
        # Some versions count what came from and went to the provider's cache beside the prompt.
        return Usage(prompt + read + written, read, usage.output_tokens, usage.reasoning_tokens)
    return usage


def _tools(inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tools of the request, in the chat shape."""
    for holder in (mapping(inner.get("kwargs")), mapping(inner.get("model_parameters")), inner):
        found = [schema for tool in sequence(holder.get("tools")) if (schema := tool_schema(tool))]
        if found:
            return found
    return []


def _time(record: Mapping[str, Any]) -> float:
    inner = _inner(record)
    for key in ("timestamp", "startTime"):
        value = inner.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    return 0.0
