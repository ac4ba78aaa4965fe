"""One message in the OpenAI chat shape, and small readers of it.

Messages are values: never edited, so what is known about one can be remembered by object.
Private data lies under one key, `meta`, which `request.py` removes before sending:

- `id`       position in the transcript, an increasing integer
- `covers`   instead of an id, on a summary: ranges `[[first, last], ...]` of the ids it stands for
- `source`   `system task user reply tool summary restatement note anchor handoff memory context steering
             message`
- `kind`     what it holds, where its source does not say it: `shaping/keep.py` has the kinds
- `priority` at or above `PIN_FLOOR` the message is pinned
- `step`     the step that brought it
- `output_tokens`  on a reply: the output reported with it, the most its encrypted reasoning can weigh
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

PIN_FLOOR = 70
SYSTEM_PRIORITY = 100
TASK_PRIORITY = 80
KEEP_KEYS = ("goal", "constraints", "milestones")
REASONING_PARTS = ("thinking", "redacted_thinking", "reasoning")
"""Types of parts that a provider takes back only as they came."""
REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where chat endpoints put reasoning beside the content."""


class Message(TypedDict, total=False):
    """Keys that are not listed here (`reasoning_content`, ...) are kept and counted."""

    role: str
    content: str | list[Any] | None
    tool_calls: list[dict[str, Any]]
    tool_call_id: str
    name: str
    meta: dict[str, Any]


Messages = list[Message]


def meta_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """The private data of a message; empty where it has none."""
    return message.get("meta") or {}


def id_of(message: Mapping[str, Any]) -> int | None:
    """The message's place in the transcript; None for a summary or an unnumbered message."""
    return meta_of(message).get("id")


def ids_of(messages: Iterable[Mapping[str, Any]]) -> list[int]:
    """The ids of those messages that have one, in order."""
    return [i for m in messages if (i := id_of(m)) is not None]


def covers_of(message: Mapping[str, Any]) -> list[list[int]]:
    """The ranges of ids a summary stands for; empty for every other message."""
    return meta_of(message).get("covers") or []


def ranges(ids: Iterable[int]) -> list[list[int]]:
    """Sorted ids as closed ranges.

    >>> ranges([7, 3, 4, 5])
    [[3, 5], [7, 7]]
    """
    out: list[list[int]] = []
    for i in sorted(ids):
        if out and out[-1][1] >= i - 1:
            out[-1][1] = max(i, out[-1][1])
        else:
            out.append([i, i])
    return out


def each(spans: Iterable[Sequence[int]]) -> Iterator[int]:
    """The ids in closed ranges.

    >>> list(each([[3, 5], [7, 7]]))
    [3, 4, 5, 7]
    """
    return (i for first, last in spans for i in range(first, last + 1))


def is_pinned(message: Mapping[str, Any]) -> bool:
    """True for a message no shaper may change: systems, and all from `PIN_FLOOR` up."""
    return is_system(message) or (meta_of(message).get("priority") or 0) >= PIN_FLOOR


def is_system(message: Mapping[str, Any]) -> bool:
    """True for the two roles that carry instructions of the harness."""
    return message.get("role") in ("system", "developer")


def tool_calls_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of an assistant message; empty for every other message. What is no call is passed over.

    >>> tool_calls_of({"role": "assistant", "tool_calls": [{"id": "a"}, None, "ls"]})
    [{'id': 'a'}]
    """
    calls = message.get("tool_calls") if message.get("role") == "assistant" else None
    if not isinstance(calls, list):
        return []
    for call in calls:  # a loop, not `all`: asked of each message several times a request
        if not isinstance(call, dict):
            return [one for one in calls if isinstance(one, dict)]
    return calls


def function_of(call: Mapping[str, Any]) -> dict[str, Any]:
    """What a call asks for; some servers write nothing but the name there.

    >>> function_of({"function": "ls"}), function_of({"function": None})
    ({'name': 'ls'}, {})
    """
    function = call.get("function") or {}
    return function if isinstance(function, dict) else {"name": str(function)}


def call_name(call: Mapping[str, Any]) -> str:
    """The name of the tool a call asks for."""
    return function_of(call).get("name") or ""


def call_arguments(call: Mapping[str, Any]) -> str:
    """The arguments of a call as they came: JSON text, if the model kept to the form."""
    return function_of(call).get("arguments") or ""


def only_thinks(message: Mapping[str, Any]) -> bool:
    """True for reasoning by itself: an assistant message that says nothing and calls nothing.

    >>> only_thinks({"role": "assistant", "content": "", "reasoning_content": "well"})
    True
    >>> only_thinks({"role": "assistant", "content": [{"type": "reasoning"}, {"type": "text", "text": "a"}]})
    False
    """
    if message.get("role") != "assistant" or message.get("tool_calls"):
        return False
    content = message.get("content")
    if isinstance(content, list) and content:
        return all(isinstance(part, dict) and part.get("type") in REASONING_PARTS for part in content)
    silent = not content or (isinstance(content, str) and content.isspace())
    return silent and any(message.get(key) for key in REASONING_KEYS)


def text_of(message: Mapping[str, Any]) -> str:
    r"""All text of the content; a part that is not text is named, not rendered.

    >>> text_of({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]})
    'a\n[image_url]'
    """
    content = message.get("content")
    return content if isinstance(content, str) else "\n".join(map(part_text, parts_of(content)))


def parts_of(content: Any) -> list[Any]:
    """The parts of a content that is no string; one for a part that stands alone, none for anything else.

    >>> parts_of([{"type": "text"}]), parts_of({"type": "text"}), parts_of(None), parts_of(5)
    ([{'type': 'text'}], [{'type': 'text'}], [], [])
    """
    if isinstance(content, dict):
        return [content]
    return content if isinstance(content, list) else []


def part_text(part: Any) -> str:
    """The text of one part of a content list."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return "[part]"
    text = part.get("text") or inner_text(part)
    return text if isinstance(text, str) else f"[{part.get('type', 'part')}]"


def inner_text(part: Any) -> str | None:
    """The text that a part holds deeper down; None for reasoning and for a part with anything but text in it.

    >>> inner_text({"type": "tool_result", "content": [{"type": "text", "text": "a"}]})
    'a'
    >>> inner_text({"type": "resource", "resource": {"text": "b"}}), inner_text({"type": "image"})
    ('b', None)
    """
    if not isinstance(part, dict) or part.get("type") in REASONING_PARTS:
        return None
    resource = part.get("resource")
    held = part.get("refusal") or (
        resource.get("text") if isinstance(resource, dict) else part.get("content")
    )
    if isinstance(held, list) and held and all(isinstance(p, dict) and _is_text(p.get("text")) for p in held):
        return "\n".join(p["text"] for p in held)
    return held if isinstance(held, str) and held else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def encodable(text: str) -> str:
    r"""The text with lone surrogates replaced: they can be neither written nor sent.

    >>> encodable("a" + chr(0xD83E)), encodable("plain")
    ('a\ufffd', 'plain')
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def wire(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message without its private data: what a provider would see."""
    return {k: v for k, v in message.items() if k != "meta"}


def with_content(message: Message, content: Any) -> Message:
    """The same message with another content."""
    return {**message, "content": content}


def with_meta(message: Message, **facts: Any) -> Message:
    """The same message with more private data."""
    return {**message, "meta": {**meta_of(message), **facts}}
