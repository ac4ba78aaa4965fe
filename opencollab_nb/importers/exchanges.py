"""Recorded exchanges, each request with all that was said before it: put together into conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.messages import (
    Message,
    Messages,
    call_arguments,
    call_name,
    is_system,
    parts_of,
    tool_calls_of,
)
from opencollab_nb.tokens.usage import Usage

Key = tuple[Any, ...]


class Exchange(NamedTuple):
    """A request and its answer, as they stand in a file."""

    number: int
    request: Mapping[str, Any]
    response: Any


class Call(NamedTuple):
    """A model call in the chat shape."""

    messages: Messages
    """All that was sent."""
    reply: Message | None
    usage: Usage | None = None
    model: str | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    notice: str | None = None


@dataclass
class _Conversation:
    draft: Draft
    keys: list[Key] = field(default_factory=list)


def exchanges(source: Source) -> list[Exchange]:
    r"""The objects of a file that hold a request and a response, each as an object, or as its text.

    >>> from opencollab_nb.importers.source import Held
    >>> recorded = b'{"request": "{\\"model\\": \\"m\\"}", "response": "data: x"}'
    >>> exchanges(Source(Held(recorded, "x")))
    [Exchange(number=1, request={'model': 'm'}, response='data: x')]
    """
    values = source.json if isinstance(source.json, list) else [value for _, value in source.lines]
    if not values and isinstance(source.json, dict):
        values = [source.json]
    found = []
    for number, value in enumerate(values, 1):
        if isinstance(value, dict) and "request" in value and "response" in value:
            request = _body(value["request"])
            if isinstance(request, dict):
                found.append(Exchange(number, request, _body(value["response"])))
    return found


def _body(value: Any) -> Any:
    """What was sent, where it is text or stands under `body`."""
    if isinstance(value, dict) and "body" in value:
        value = value["body"]
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def together(source: Source, format: str, calls: Iterable[Call]) -> list[Draft]:  # noqa: A002
    """One draft for each conversation: a request that begins as another one went on continues it.

    Messages are compared by what they say: what clients change between an answer and the next request, ids
    and notes beside the text, makes no difference. A request that has no system message continues one that
    has, which is told in the notices.
    """
    open_ones: list[_Conversation] = []
    for call in calls:
        keys = [key(message) for message in call.messages]
        conversation = _continued(open_ones, keys, call)
        if conversation is None:
            name = f"{source.name}[{len(open_ones)}]" if open_ones else source.name
            conversation = _Conversation(Draft(source, format, name))
            open_ones.append(conversation)
        _extend(conversation, keys, call)
    if len(open_ones) > 1:
        open_ones[0].draft.name = f"{source.name}[0]"
    return [conversation.draft for conversation in open_ones]


def _continued(open_ones: Sequence[_Conversation], keys: list[Key], call: Call) -> _Conversation | None:
    best: _Conversation | None = None
    for conversation in open_ones:
        known = _unled(conversation, call)
        if known and known == keys[: len(known)] and (best is None or len(known) > len(_unled(best, call))):
            best = conversation
    return best


def _unled(conversation: _Conversation, call: Call) -> list[Key]:
    """What a conversation holds, without its system message where the request has none."""
    messages = conversation.draft.messages
    led = bool(messages) and is_system(messages[0])
    if led and not any(map(is_system, call.messages[:1])):
        return conversation.keys[1:]
    return conversation.keys


def _extend(conversation: _Conversation, keys: list[Key], call: Call) -> None:
    draft = conversation.draft
    known = len(_unled(conversation, call))
    if known < len(conversation.keys):
        draft.notices.append("a request was sent without the system message of those before it")
    for message in call.messages[known:]:
        if message.get("role") == "assistant":
            draft.add(message, source="reply")
        else:
            draft.take(message)
    conversation.keys += keys[known:]
    if call.reply is None:
        draft.asked(usage=call.usage, model=call.model)
    else:
        draft.take(call.reply, usage=call.usage, model=call.model)
        conversation.keys.append(key(call.reply))
    if call.notice:
        draft.notices.append(call.notice)
    for tool in call.tools:
        if tool not in draft.tools:
            draft.tools.append(tool)
    draft.used()


def key(message: Message) -> Key:
    """What a message says: equal for an answer and for the same when it is sent back.

    >>> said = {"role": "assistant", "content": "a ", "tool_calls": [{"id": "x", "function": {"name": "f"}}]}
    >>> again = {"role": "assistant", "content": [{"type": "text", "text": "a"}],
    ...     "tool_calls": [{"id": "y", "function": {"name": "f", "arguments": ""}}]}
    >>> key(said) == key(again)
    True
    """
    calls = tuple((call_name(call), _spoken(call_arguments(call))) for call in tool_calls_of(message))
    content = message.get("content")
    if isinstance(content, str):
        texts = [content]
    else:
        texts = [text for part in parts_of(content) if isinstance(text := _text(part), str)]
    return message.get("role"), hash("".join("".join(texts).split())), calls


def _text(part: Any) -> Any:
    return part.get("text") if isinstance(part, dict) else part


def _spoken(arguments: Any) -> int:
    """Arguments whatever the blanks and the order in which they are written."""
    try:
        value = json.loads(arguments) if arguments else {}
        return hash(json.dumps(value, sort_keys=True))
    except (ValueError, TypeError, RecursionError):
        return hash(str(arguments))


def told(drafts: list[Draft], source: Source, wanted: int) -> list[Draft]:
    """The drafts, with what of the file belongs to none of them: damaged lines and records of other kinds."""
    if not drafts:
        return drafts
    for number, value in source.lines:
        if isinstance(value, Broken):
            drafts[-1].broken(f"{source.name}, line {number:,}", value.why)
    if source.damage:
        drafts[-1].broken(source.name, source.damage)
    values = source.json if isinstance(source.json, list) else source.objects
    drafts[-1].skip("no exchange", max(0, len(values) - wanted))
    return drafts
