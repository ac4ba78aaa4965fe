"""OpenAI's Responses: lists of items, request bodies, recorded exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers import sse
from opencollab_nb.importers.calls import Call
from opencollab_nb.importers.chat import text
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import Exchange, conversations, exchanges, likeness
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.importers.items import KINDS, is_item, messages_of
from opencollab_nb.importers.responses_later import Later, is_pending
from opencollab_nb.importers.responses_request import asked, conversation_of, instructions, seal
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.importers.talks import Talk, drafted, sample, talks
from opencollab_nb.importers.usages import usage_of
from opencollab_nb.messages import Messages
from opencollab_nb.transcript import Transcript

NAME = "openai-responses"
WANTS = "items with a `type` such as `function_call`, or exchanges with `input` and `output`"
_KEYS = ("input", "output", "items")


def signs(source: Source) -> float:
    """High for exchanges with its API and for items that only it has."""
    recorded = exchanges(source)
    if recorded:
        return likeness(recorded, _is_exchange)
    found = sample(talks(source, is_item, _KEYS))
    if not any(isinstance(one, dict) and _is_own(one) for one in found):
        return 0.0
    return 0.9 * sum(map(is_item, found)) / len(found)


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation."""
    recorded = exchanges(source)
    if recorded:
        later = Later(source)
        calls = [call for one in recorded if (call := _call(one, later.of(one.response)))]
        return conversations(source, NAME, calls)
    return drafted(source, NAME, talks(source, is_item, _KEYS), _fill)


def _fill(draft: Draft, talk: Talk) -> None:
    for message in instructions(talk.beside):
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


def _call(one: Exchange, response: Any) -> Call | None:
    """The exchange in the chat shape, with this answer; None for no call, or where no answer came."""
    given = one.request.get("input")
    if not isinstance(given, (str, list)):
        return None
    messages, opens, behind = asked(one.request, given)
    notice = None
    if isinstance(response, str):
        response, ended = sse.responses(response)
        notice = None if ended else sse.BROKE_OFF
    body = mapping(response)
    if is_pending(body) and not notice:
        return None
    output = [item for item in sequence(body.get("output")) if isinstance(item, dict)]
    call = Call(
        messages,
        None,
        usage_of(body.get("usage")),
        text(body.get("model") or one.request.get("model")) or None,
        _tools(one.request),
        notice,
        conversation_of(one.request) or text(body.get("id")) or None,
        conversation_of(one.request) or text(one.request.get("previous_response_id")) or None,
        [found for item in output if (found := seal(item))],
        opens,
        behind,
    )
    if body.get("object") == "response.compaction":
        return call
    if replies := messages_of(output):
        return call._replace(reply=one_reply(replies))
    told_instead = f"a request was answered without a message: {text(body.get('error') or response)[:200]}"
    return call._replace(notice=notice or told_instead)


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
