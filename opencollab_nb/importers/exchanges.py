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
    answer_id: str | None = None
    """What a later request may name instead of sending all again."""
    continues: str | None = None
    """The answer that this request names so."""


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
    and notes beside the text, makes no difference. The system messages of a conversation are those of its
    first request; requests with others are told in the notices.
    """
    open_ones: list[_Conversation] = []
    for call in calls:
        conversation = _continued(open_ones, call)
        if conversation is None:
            name = f"{source.name}[{len(open_ones)}]" if open_ones else source.name
            conversation = _Conversation(Draft(source, format, name))
            for message in call.messages[: led(call.messages)]:
                conversation.draft.take(message)
            open_ones.append(conversation)
        conversation.extend(call)
    if len(open_ones) > 1:
        open_ones[0].draft.name = f"{source.name}[0]"
    for conversation in open_ones:
        if conversation.led_otherwise:
            told = "requests were sent with another system message than the first, which is shown"
            conversation.draft.notices.append(f"{conversation.led_otherwise:,} {told}")
    return [conversation.draft for conversation in open_ones]


def _continued(open_ones: Sequence[_Conversation], call: Call) -> _Conversation | None:
    if call.continues is not None:
        named = [one for one in open_ones if one.answer_id == call.continues]
        if named:
            return named[-1]
    keys = [key(message) for message in call.messages[led(call.messages) :]]
    fitting = [one for one in open_ones if one.keys and one.keys == keys[: len(one.keys)]]
    return max(fitting, key=lambda one: len(one.keys), default=None)


def led(messages: Messages) -> int:
    """How many system messages lead the others."""
    for at, message in enumerate(messages):
        if not is_system(message):
            return at
    return len(messages)


@dataclass
class _Conversation:
    """One that may go on."""

    draft: Draft
    keys: list[Key] = field(default_factory=list)
    """Of its messages, without the system messages that lead them."""
    answer_id: str | None = None
    led_otherwise: int = 0

    def extend(self, call: Call) -> None:
        """Add what this request has beyond the others, and its answer."""
        draft, start = self.draft, led(call.messages)
        system = [key(message) for message in draft.messages[: led(draft.messages)]]
        self.led_otherwise += bool(self.keys) and system != [key(one) for one in call.messages[:start]]
        messages = call.messages[start:]
        named = call.continues is not None and call.continues == self.answer_id
        known = 0 if named else len(self.keys)
        names = _renamed(draft.messages[len(draft.messages) - known :], messages[:known])
        for message in messages[known:]:
            if message.get("role") == "tool" and message.get("tool_call_id") in names:
                message = {**message, "tool_call_id": names[message["tool_call_id"]]}
            if message.get("role") == "assistant":
                draft.add(message, source="reply")
            else:
                draft.take(message)
            self.keys.append(key(message))
        self._answered(call)

    def _answered(self, call: Call) -> None:
        if call.reply is None:
            self.draft.asked(usage=call.usage, model=call.model)
        else:
            self.draft.take(call.reply, usage=call.usage, model=call.model)
            self.keys.append(key(call.reply))
        if call.notice:
            self.draft.notices.append(call.notice)
        self.draft.tools += [tool for tool in call.tools if tool not in self.draft.tools]
        self.answer_id = call.answer_id
        self.draft.used()


def _renamed(kept: Messages, sent: Messages) -> dict[str, str]:
    """The ids of calls as they were sent back, where a client gave them others: those of the answers."""
    names: dict[str, str] = {}
    for answer, again in zip(kept, sent, strict=True):
        for one, other in zip(tool_calls_of(answer), tool_calls_of(again), strict=False):
            names[str(other.get("id"))] = str(one.get("id"))
    return {new: old for new, old in names.items() if new != old}


def key(message: Message) -> Key:
    """What a message says: equal for an answer and for the same when it is sent back.

    >>> said = {"role": "assistant", "content": "a ", "tool_calls": [{"id": "x", "function": {"name": "f"}}]}
    >>> again = {"role": "assistant", "content": [{"type": "text", "text": "a"}],
    ...     "tool_calls": [{"id": "y", "function": {"name": "f", "arguments": ""}}]}
    >>> key(said) == key(again)
    True
    """
    # Some clients write a name with its namespace in one place and without it in another.
    calls = tuple(
        (call_name(call).rpartition(".")[2], _spoken(call_arguments(call))) for call in tool_calls_of(message)
    )
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
