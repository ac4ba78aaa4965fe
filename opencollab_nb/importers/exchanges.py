"""Recorded exchanges, each request with all that was said before it: put together into conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from opencollab_nb.importers.calls import Call, Key, key, led
from opencollab_nb.importers.conversations import Conversation
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.source import Broken, Source
from opencollab_nb.transcript import Transcript


class Exchange(NamedTuple):
    """A request and its answer, as they stand in a file."""

    number: int
    request: Mapping[str, Any]
    response: Any


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
            request = body_of(value["request"])
            if isinstance(request, dict):
                found.append(Exchange(number, request, body_of(value["response"])))
    return found


def likeness(recorded: Sequence[Exchange], is_ours: Callable[[Exchange], bool], most: float = 0.95) -> float:
    """How much recorded exchanges look like those of one API: enough where any is of it, at most `most`.

    >>> likeness([Exchange(1, {"input": "a"}, {}), Exchange(2, {}, {})], lambda one: "input" in one.request)
    0.95
    """
    asking = [one for one in recorded if one.request]
    ours = sum(map(is_ours, asking))
    return 0.5 + (most - 0.5) * ours / len(asking) if ours else 0.0


def body_of(value: Any) -> Any:
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
    open_ones: list[Conversation] = []
    for call in calls:
        said = [key(message) for message in call.messages]
        conversation, known = _continued(open_ones, call, said)
        if conversation is None:
            name = f"{source.name}[{len(open_ones)}]" if open_ones else source.name
            conversation = Conversation(Draft(source, format, name))
            for message in call.messages[: led(call.messages)]:
                conversation.draft.take(message)
            open_ones.append(conversation)
        conversation.extend(call, said, known)
    if len(open_ones) > 1:
        open_ones[0].draft.name = f"{source.name}[0]"
    for conversation in open_ones:
        if conversation.led_otherwise:
            told = "requests were sent with another system message than the first, which is shown"
            conversation.draft.notices.append(f"{conversation.led_otherwise:,} {told}")
    return [conversation.draft for conversation in open_ones]


def _continued(
    open_ones: Sequence[Conversation], call: Call, said: list[Key]
) -> tuple[Conversation | None, int]:
    """The conversation that goes on, and how many of its messages the request repeats."""
    for one in reversed(open_ones):
        if call.continues is not None and call.continues == one.answer_id:
            return one, 0
        if call.opens is not None and (known := one.behind(call.opens, said[call.behind :])) is not None:
            return one, known
    said = said[led(call.messages) :]
    fitting = [one for one in open_ones if one.keys and one.keys == said[: len(one.keys)]]
    found = max(fitting, key=lambda one: len(one.keys), default=None)
    return found, len(found.keys) if found else 0


def conversations(source: Source, format: str, calls: list[Call]) -> list[Transcript]:  # noqa: A002
    """One transcript for each conversation of the recorded calls of a file."""
    return [draft.done() for draft in told(together(source, format, calls), source, len(calls))]


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
