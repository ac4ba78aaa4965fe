"""Greedy shrinking: the smallest transcript that still shows a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from opencollab_nb.messages import Message, Messages, with_content
from opencollab_nb.shaping.groups import groups

_MOST_TRIES = 300
_LEAST_CHARS = 16


def smallest(messages: Messages, still_fails: Callable[[Messages], bool]) -> Messages:
    """Leave out groups, then halve texts, as long as the fault stays.

    >>> tall = [{"role": "user", "content": "a" * 99}, {"role": "user", "content": "b"}]
    >>> smallest(tall, lambda few: any("a" in m["content"] for m in few))
    [{'role': 'user', 'content': 'aaaaaaaaaaaa'}]
    """
    tries = 0
    shrinking = True
    while shrinking and tries < _MOST_TRIES:
        shrinking = False
        for fewer in _smaller(messages):
            tries += 1
            if still_fails(fewer):
                messages, shrinking = fewer, True
                break
            if tries >= _MOST_TRIES:
                break
    return messages


def _smaller(messages: Messages) -> Iterator[Messages]:
    starts = [group.start for group in groups(messages)]
    count = len(starts)
    while count := count // 2:
        for at in range(0, len(starts), count):
            end = starts[at + count] if at + count < len(starts) else len(messages)
            if fewer := messages[: starts[at]] + messages[end:]:
                yield fewer
    for at, message in enumerate(messages):
        content = message.get("content")
        if isinstance(content, str) and len(content) > _LEAST_CHARS:
            shorter: Message = with_content(message, content[: len(content) // 2])
            yield [*messages[:at], shorter, *messages[at + 1 :]]
