"""Messages as flat text for a summarizer, in chunks that fit its window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opencollab_nb.messages import (
    Message,
    Messages,
    call_arguments,
    call_name,
    encodable,
    is_pinned,
    is_system,
    text_of,
    tool_calls_of,
)
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.cut import cut_at
from opencollab_nb.shaping.groups import Group, groups
from opencollab_nb.shaping.keep import is_verbatim

_LEAST_CHARS = 40
_ANCHOR_CHARS = 2_000


class Chunk(NamedTuple):
    """Whole groups and their text."""

    messages: Messages
    text: str


def chunks(messages: Messages, chunk_tokens: int | None, pressure: Pressure) -> Iterator[Chunk]:
    """The messages in as few chunks as fit `chunk_tokens` each; a chunk holds at least one group.

    No message gets more than half a chunk, no group more than a whole one, so that the result that
    overflowed the request does not overflow the summarizer too. Where the summarizer's window is
    not known (None) there is one chunk, and no message in it has more than half the trigger.
    """
    taken: Messages = []
    texts: list[str] = []
    total_tokens = 0
    for group in groups(messages):
        text = flat_group(group, chunk_tokens, pressure)
        tokens = _tokens(text, pressure)
        if chunk_tokens is not None and taken and total_tokens + tokens > chunk_tokens:
            yield Chunk(taken, "\n\n".join(texts))
            taken, texts, total_tokens = [], [], 0
        taken.extend(group.messages)
        texts.append(text)
        total_tokens += tokens
    if taken:
        yield Chunk(taken, "\n\n".join(texts))


def flat_group(group: Group, chunk_tokens: int | None, pressure: Pressure) -> str:
    """The group as text, each message clipped to its share of the chunk."""
    share_tokens = pressure.trigger // 2
    if chunk_tokens is not None:
        share_tokens = max(1, chunk_tokens // max(2, len(group.messages)))
    names = {at: call_name(call) for call, at in zip(group.calls, group.results, strict=True)}
    lines = (flat(m, names.get(at)) for at, m in enumerate(group.messages, group.start))
    return "\n\n".join(encodable(clipped(line, share_tokens, pressure)) for line in lines)


def flat(message: Message, tool: str | None = None) -> str:
    r"""One message as text; a call is written out, so no protocol is needed to read it.

    >>> flat({"role": "tool", "content": "3 passed"}, "run_tests")
    'RESULT of run_tests: 3 passed'
    """
    if message.get("role") == "tool":
        return f"RESULT of {tool or 'an earlier call'}: {text_of(message)}"
    spoken = text_of(message)
    said = [f"{str(message.get('role')).upper()}: {spoken}"] if spoken else []
    asked = [f"CALL of {call_name(call)}: {call_arguments(call)}" for call in tool_calls_of(message)]
    return "\n".join([*said, *asked])


def clipped(text: str, max_tokens: int, pressure: Pressure) -> str:
    """The text, or its beginning and end with a note between them."""
    weight = _tokens(text, pressure)
    chars = len(text)
    while weight > max_tokens and chars > _LEAST_CHARS:
        chars = min(chars * 3 // 4, max(_LEAST_CHARS, len(text) * max_tokens // weight))
        start, end = cut_at(text, chars * 2 // 3), text[len(text) - chars // 3 :]
        short = f"{start} [… {len(text) - chars} chars left out …] {end}"
        weight = _tokens(short, pressure)
        if weight <= max_tokens or chars <= _LEAST_CHARS:
            return short
    return text


def anchors_of(messages: Sequence[Message]) -> tuple[str, ...]:
    """The texts that stay, other than the systems': a summary need not repeat what is pinned or kept."""
    staying = (m for m in messages if (is_pinned(m) or is_verbatim(m)) and not is_system(m))
    texts = (encodable(text_of(m)) for m in staying)
    return tuple(text if len(text) <= _ANCHOR_CHARS else f"{text[:_ANCHOR_CHARS]} […]" for text in texts)


def _tokens(text: str, pressure: Pressure) -> int:
    return pressure.weight([{"role": "user", "content": text}])
