"""The last caps of a forced pass: what no layer may remove is cut, so that no message blocks a session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from opencollab_nb.messages import (
    REASONING_KEYS,
    REASONING_PARTS,
    Message,
    Messages,
    call_arguments,
    function_of,
    id_of,
    is_pinned,
    tool_calls_of,
    wire,
)
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.cut import cut_at, cut_message, text_chars
from opencollab_nb.shaping.faults import object_in
from opencollab_nb.shaping.groups import Group, groups
from opencollab_nb.shaping.lighter import is_lighter
from opencollab_nb.shaping.tool_budget import note as result_note

_LEAST_VALUE_CHARS = 64
"""Paths, names and patterns stay whole: the model needs them to know what it did."""
_INVALID = "invalid_arguments"
_NO_REASONING = "[reasoning left out]"


def forced_caps(messages: Messages, pressure: Pressure) -> Messages:
    """In a forced pass, cut what is left and too long; the same object where nothing is, or not forced.

    The results of one group share a quarter of the target. Any other unpinned message over a
    quarter of it is cut to its head and a pointer, and long string values inside call arguments are
    shortened, within valid JSON. Of a group with an unanswered call only results are cut. Reasoning of
    an earlier turn leaves a message that called nothing; beside a call a provider wants it back.
    """
    if not pressure.forced:
        return messages
    turn = max((at for at, m in enumerate(messages) if m.get("role") == "user"), default=0)
    cut = {at: new for group in groups(messages) for at, new in _cut(group, turn, pressure)}
    return [cut.get(at, m) for at, m in enumerate(messages)] if cut else messages


def _cut(group: Group, turn: int, pressure: Pressure) -> Iterator[tuple[int, Message]]:
    quarter_tokens = pressure.target // 4
    share_tokens = quarter_tokens // max(1, len(group.calls))
    for at, message in enumerate(group.messages, group.start):
        if is_pinned(message):
            continue
        if message.get("role") == "tool":
            new = _cut_text(message, share_tokens, result_note, pressure)
        elif group.open:
            continue
        else:
            bare = without_reasoning(message) if at < turn and not group.calls else message
            thoughts_tokens = pressure.weight([message]) - pressure.weight([bare])
            new = bare if thoughts_tokens > quarter_tokens // 2 else message
            new = _cut_arguments(new, share_tokens, quarter_tokens, pressure)
            new = _cut_text(new, quarter_tokens, _pointer(message), pressure)
        if new is not message:
            yield at, new


def _cut_text(message: Message, max_tokens: int, note: Callable[[int], str], pressure: Pressure) -> Message:
    """The message with its content cut, as far as the rest of it leaves room."""
    rest: Any = {k: v for k, v in wire(message).items() if k != "content"}
    own_tokens = pressure.weight([message]) - pressure.weight([rest])
    if pressure.weight([message]) <= max_tokens or own_tokens <= max_tokens // 4:
        return message
    room_tokens = max(max_tokens, pressure.weight([rest]) + max_tokens // 4)
    # The names of left-out images must not bring the text over the cap that it was under.
    max_chars = max(text_chars(message.get("content")), _LEAST_VALUE_CHARS)
    return cut_message(message, max_chars, room_tokens, note, pressure)


def without_reasoning(message: Message) -> Message:
    """The message without its reasoning; the very message where it has none.

    >>> without_reasoning({"role": "assistant", "content": "a", "reasoning_content": "well"})
    {'role': 'assistant', 'content': 'a'}
    >>> without_reasoning({"role": "assistant", "content": "", "reasoning": "well"})["content"]
    '[reasoning left out]'
    """
    kept: dict[str, Any] = {key: value for key, value in message.items() if key not in REASONING_KEYS}
    content = kept.get("content")
    if isinstance(content, list):
        said = [p for p in content if not (isinstance(p, dict) and p.get("type") in REASONING_PARTS)]
        kept["content"] = said if len(said) < len(content) else content
    if kept == message:
        return message
    return cast("Message", kept if kept.get("content") else {**kept, "content": _NO_REASONING})


def _pointer(message: Message) -> Callable[[int], str]:
    own = id_of(message)
    where = "the transcript" if own is None else f"message {own} of the transcript"
    return lambda missing_chars: f"\n\n[shortened by {missing_chars} chars — the whole text is in {where}]"


def _cut_arguments(message: Message, share_tokens: int, max_tokens: int, pressure: Pressure) -> Message:
    """The message with the arguments of its calls within their shares."""
    calls = tool_calls_of(message)
    if not calls or pressure.weight([message]) <= max_tokens:
        return message
    shorter = [with_shorter_arguments(call, share_tokens, pressure) for call in calls]
    new: Message = {**message, "tool_calls": shorter}
    return new if is_lighter(new, message, pressure) else message


def with_shorter_arguments(call: Mapping[str, Any], max_tokens: int, pressure: Pressure) -> dict[str, Any]:
    """The call with its long string values cut until its arguments fit, or no value is long any more.

    Keys and short values stay. Arguments that are no JSON object become one that holds their head.

    >>> from opencollab_nb.pressure import Pressure
    >>> call = {"function": {"name": "w", "arguments": json.dumps({"path": "a.py", "content": "x " * 999})}}
    >>> cut = json.loads(with_shorter_arguments(call, 60, Pressure.of())["function"]["arguments"])
    >>> cut["path"], len(cut["content"]) < 200
    ('a.py', True)
    """
    text: Any = call_arguments(call)
    value = object_in(text)
    value = {_INVALID: str(text)} if value is None else value
    chars = len(text) if isinstance(text, str) else len(json.dumps(text, default=str))
    shorter = text
    while _weight(shorter, pressure) > max_tokens and chars > _LEAST_VALUE_CHARS:
        chars = max(_LEAST_VALUE_CHARS, chars * 3 // 4)
        shorter = _encodable_json(_with_short_strings(value, chars))
    if shorter is text:
        return dict(call)
    return {**call, "function": {**function_of(call), "arguments": shorter}}


def _with_short_strings(value: Any, max_chars: int) -> Any:
    if isinstance(value, str) and len(value) > max_chars:
        head = cut_at(value, max(1, max_chars - 32))
        return f"{head} [… {len(value) - len(head)} chars left out]"
    if isinstance(value, list):
        return [_with_short_strings(item, max_chars) for item in value]
    if isinstance(value, dict):
        return {key: _with_short_strings(item, max_chars) for key, item in value.items()}
    return value


def _encodable_json(value: Any) -> str:
    """Compact JSON; escaped to ASCII where the text holds what UTF-8 cannot."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _weight(arguments: Any, pressure: Pressure) -> int:
    return pressure.weight([{"role": "assistant", "content": arguments}])
