"""OpenAI's Responses: lists of items, request bodies, recorded exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers import sse
from opencollab_nb.importers.chat import text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import Call, Exchange, exchanges, together, told
from opencollab_nb.importers.items import KINDS, is_item, messages_of
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.talks import Talk, drafted, sample, talks
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Messages
from opencollab_nb.transcript import Transcript

NAME = "openai-responses"
WANTS = "items with a `type` such as `function_call`, or exchanges with `input` and `output`"
_KEYS = ("input", "output", "items")
_PENDING = ("queued", "in_progress")


def signs(source: Source) -> float:
    """High for exchanges with its API and for items that only it has."""
    recorded = exchanges(source)
    if recorded:
        return 0.95 * sum(map(_is_exchange, recorded)) / len(recorded)
    found = sample(talks(source, is_item, _KEYS))
    if not any(isinstance(one, dict) and _is_own(one) for one in found):
        return 0.0
    return 0.9 * sum(map(is_item, found)) / len(found)


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation."""
    recorded = exchanges(source)
    if recorded:
        calls = [call for one in recorded if (call := _call(one))]
        drafts = told(together(source, NAME, calls), source, len(calls))
        return [draft.done() for draft in drafts]
    return drafted(source, NAME, talks(source, is_item, _KEYS), _fill)


def _fill(draft: Draft, talk: Talk) -> None:
    for message in _instructions(talk.beside):
        draft.take(message)
    items = []
    for number, value in enumerate(talk.messages, 1):
        if isinstance(value, Broken):
            draft.broken(f"{draft.source.name}, record {number:,}", value.why)
        elif not isinstance(value, dict):
            draft.skip("no item")
        else:
            items.append(value)
            draft.used()
    usage, model = usage_of(talk.beside.get("usage")), talk.beside.get("model")
    messages = messages_of(items)
    for at, message in enumerate(messages, 1):
        # The usage beside a list is that of the answer which ends it.
        draft.take(message, usage=usage if at == len(messages) else None, model=model)
    draft.tools += _tools(talk.beside)


def _call(one: Exchange) -> Call | None:
    """The exchange in the chat shape; None for one that is no call, or has no answer yet."""
    given = one.request.get("input")
    if not isinstance(given, (str, list)):
        return None
    messages = _instructions(one.request)
    messages += [{"role": "user", "content": given}] if isinstance(given, str) else messages_of(given)
    response, notice = one.response, None
    if isinstance(response, str):
        response, ended = sse.responses(response)
        notice = None if ended else sse.BROKE_OFF
    output = response.get("output") if isinstance(response, Mapping) else None
    if isinstance(response, Mapping) and response.get("status") in _PENDING and not output and not notice:
        return None
    tools = _tools(one.request)
    replies = messages_of(output) if isinstance(output, list) else []
    if not replies or not isinstance(response, Mapping):
        error = response.get("error") if isinstance(response, Mapping) else response
        told_instead = f"a request was answered without a message: {text(error)[:200]}"
        return Call(messages, None, tools=tools, notice=notice or told_instead)
    model = response.get("model") or one.request.get("model")
    ids = text(response.get("id")) or None, text(one.request.get("previous_response_id")) or None
    return Call(messages, one_reply(replies), usage_of(response.get("usage")), model, tools, notice, *ids)


def one_reply(replies: Messages) -> Any:
    """What one answer held, as one message."""
    if len(replies) == 1:
        return replies[0]
    parts: list[Any] = []
    calls: list[Any] = []
    for message in replies:
        content = message.get("content")
        if isinstance(content, str):
            parts.append({"type": "text", "text": content})
        else:
            parts += content or []
        calls += message.get("tool_calls") or []
    merged: dict[str, Any] = {"role": "assistant", "content": parts or None}
    return {**merged, "tool_calls": calls} if calls else merged


def _instructions(body: Mapping[str, Any]) -> Messages:
    given = body.get("instructions")
    return [{"role": "system", "content": text(given)}] if given else []


def _tools(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tool schemas in the chat shape; the provider's own tools as they came."""
    found = []
    given = body.get("tools")
    for tool in given if isinstance(given, list) else ():
        if not isinstance(tool, Mapping):
            continue
        if tool.get("type") != "function" or "function" in tool:
            found.append(dict(tool))
            continue
        function = {
            "name": text(tool.get("name")),
            "description": text(tool.get("description")),
            "parameters": tool.get("parameters"),
        }
        found.append({"type": "function", "function": function})
    return found


def _is_exchange(one: Exchange) -> bool:
    if not isinstance(one.request.get("input"), (str, list)):
        return False
    response = one.response
    if isinstance(response, str):
        return '"response.' in response[:4000]
    if not isinstance(response, Mapping):
        return False
    return (
        response.get("object") == "response"
        or isinstance(response.get("output"), list)
        or "error" in response
    )


def _is_own(value: dict[str, Any]) -> bool:
    """True for an item that no list of chat messages has."""
    if value.get("type") in KINDS:
        return True
    content = value.get("content")
    return value.get("type") == "message" or (
        isinstance(content, list)
        and any(isinstance(p, dict) and p.get("type") in ("input_text", "output_text") for p in content)
    )
