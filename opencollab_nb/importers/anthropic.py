"""Anthropic's Messages: a list of them, request bodies, recorded exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers import blocks, sse
from opencollab_nb.importers.calls import Call
from opencollab_nb.importers.chat import is_of_the_chat, text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import Exchange, conversations, exchanges, likeness
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.talks import Talk, drafted, sample, talks
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Messages, parts_of
from opencollab_nb.transcript import Transcript

NAME = "anthropic"
WANTS = "messages whose content is a list of blocks such as `tool_use`, or exchanges with such"
_KEYS = ("messages",)
_LOOP = "the provider's own tools ran within a reply: the usage of its turns stands there as one sum"


def signs(source: Source) -> float:
    """High for exchanges with its API and for messages with blocks that only it has."""
    recorded = exchanges(source)
    if recorded:
        return likeness(recorded, _is_exchange)
    found = sample(talks(source, _is_message, _KEYS))
    own = any(_holds_blocks(message.get("content")) for message in found if isinstance(message, dict))
    beside = source.json if isinstance(source.json, dict) else {}
    if not own and _is_request(beside):
        return 0.85
    if not own:
        return 0.0
    # Blocks among messages that this API does not have: somebody put its replies into the chat shape.
    if any(is_of_the_chat(message) for message in found):
        return 0.3
    return 0.9 * sum(map(_is_message, found)) / len(found)


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation."""
    recorded = exchanges(source)
    if recorded:
        calls = [call for one in recorded if (call := _call(one))]
        return conversations(source, NAME, calls)
    return drafted(source, NAME, talks(source, _is_message, _KEYS), _fill)


def _fill(draft: Draft, talk: Talk) -> None:
    for message in _system(talk.beside):
        draft.take(message)
    for number, value in enumerate(talk.messages, 1):
        if isinstance(value, Broken):
            draft.broken(f"{draft.source.name}, record {number:,}", value.why)
            continue
        if not isinstance(value, dict) or not isinstance(value.get("role"), str):
            draft.skip("no message")
            continue
        usage = usage_of(value.get("usage"))
        for message in blocks.messages_of(value["role"], value.get("content")):
            draft.take(message, usage=usage, model=value.get("model"))
        draft.used()
    draft.tools += _tools(talk.beside)


def _call(one: Exchange) -> Call | None:
    """The exchange in the chat shape; None for one that is no call of the model."""
    given = one.request.get("messages")
    if not isinstance(given, list) or _is_count(one.response):
        return None
    messages = _system(one.request)
    for value in given:
        if isinstance(value, Mapping) and isinstance(value.get("role"), str):
            messages += blocks.messages_of(value["role"], value.get("content"))
    response, notice = one.response, None
    if isinstance(response, str):
        response, ended = sse.anthropic(response)
        notice = None if ended else sse.BROKE_OFF
    if not isinstance(response, Mapping) or not isinstance(response.get("content"), list):
        return Call(messages, None, tools=_tools(one.request), notice=_refusal(response))
    reply = blocks.reply_of(response["content"])
    if any(isinstance(part, Mapping) and part.get("type") == "server_tool_use" for part in _parts(reply)):
        notice = f"{notice}; {_LOOP}" if notice else _LOOP
    model = response.get("model") or one.request.get("model")
    return Call(messages, reply, usage_of(response.get("usage")), model, _tools(one.request), notice)


def _is_count(response: Any) -> bool:
    """True for the answer to a request that only counts its tokens."""
    told = response if isinstance(response, Mapping) else {}
    return "input_tokens" in told and not {"content", "error", "type"} & told.keys()


def _refusal(response: Any) -> str:
    """What came instead of a reply."""
    error = response.get("error") if isinstance(response, Mapping) else None
    return f"a request was answered without a message: {text(error or response)[:200]}"


def _parts(reply: Mapping[str, Any]) -> list[Any]:
    return parts_of(reply.get("content"))


def _system(request: Mapping[str, Any]) -> Messages:
    return blocks.messages_of("system", request["system"]) if request.get("system") else []


def _tools(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = request.get("tools")
    found = map(blocks.tool_schema, given) if isinstance(given, list) else ()
    return [tool for tool in found if tool is not None]


def _is_exchange(one: Exchange) -> bool:
    if not isinstance(one.request.get("messages"), list):
        return False
    response = one.response
    if isinstance(response, str):
        return '"message_start"' in response[:4000] or '"content_block' in response[:4000]
    if not isinstance(response, Mapping) or "choices" in response:
        return False
    return (
        response.get("type") == "message"
        or isinstance(response.get("content"), list)
        or _is_count(response)
        or _is_request(one.request)
    )


def _is_request(body: Mapping[str, Any]) -> bool:
    """True for a request body that has what only this API takes."""
    if not isinstance(body.get("messages"), list):
        return False
    tools = body.get("tools")
    schemas = isinstance(tools, list) and any(isinstance(t, Mapping) and "input_schema" in t for t in tools)
    return schemas or (isinstance(body.get("system"), (str, list)) and "max_tokens" in body)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "system"):
        return False
    return isinstance(value.get("content"), (str, list)) and "tool_calls" not in value


def _holds_blocks(content: Any) -> bool:
    if not isinstance(content, list):
        return False
    return any(isinstance(part, dict) and part.get("type") in blocks.KINDS for part in content)
