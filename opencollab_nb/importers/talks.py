"""Conversations of a file, in the forms that messages of any API are kept in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript

IsMessage = Callable[[Any], bool]
SAMPLE = 200
"""How many messages are looked at to tell a format."""


class Talk(NamedTuple):
    """One conversation of a file."""

    messages: list[Any]
    """As they stand there, `Broken` where a line could not be read."""
    beside: Mapping[str, Any]
    """What stands beside its messages."""


def talks(source: Source, is_message: IsMessage, keys: Sequence[str]) -> list[Talk]:
    r"""The conversations of a file; none where it holds no message.

    A file is one list of messages, one message on each line, an object with such a list under one of `keys`,
    or several of these, as a list or one on each line.

    Args:
        source: the file.
        is_message: true for what is a message.
        keys: under which a list of messages may stand.

    >>> from opencollab_nb.importers.source import Held
    >>> lines = Source(Held(b'{"messages": [{"role": "user"}]}\n{"messages": [{"role": "user"}]}', "x"))
    >>> len(talks(lines, lambda value: "role" in value, ["messages"]))
    2
    """
    value = source.json
    if isinstance(value, dict):
        found = under(value, is_message, keys)
        return [found] if found else [Talk([value], {})] if is_message(value) else []
    values = value if isinstance(value, list) else [one for _, one in source.lines]
    several = [
        found
        for one in values
        if isinstance(one, dict) and (found := under(one, is_message, keys)) is not None
    ]
    if several:
        return several
    lists = [Talk(one, {}) for one in values if isinstance(one, list) and any(map(is_message, one))]
    return lists or ([Talk(values, {})] if any(map(is_message, values)) else [])


def under(value: Mapping[str, Any], is_message: IsMessage, keys: Sequence[str]) -> Talk | None:
    """The conversation in an object."""
    for key in keys:
        inner = value.get(key)
        if isinstance(inner, list) and any(map(is_message, inner)):
            return Talk(inner, {k: v for k, v in value.items() if k != key})
    return None


def drafted(
    source: Source,
    format: str,  # noqa: A002
    found: Sequence[Talk],
    fill: Callable[[Draft, Talk], object],
) -> list[Transcript]:
    """One transcript for each conversation that has a message; `fill` puts its messages into the draft."""
    drafts = []
    for n, talk in enumerate(found):
        draft = Draft(source, format, f"{source.name}[{n}]" if len(found) > 1 else None)
        fill(draft, talk)
        drafts.append(draft)
    if drafts and source.damage:
        drafts[-1].broken(source.name, source.damage)
    return [draft.done() for draft in drafts if draft.messages]


def sample(found: Sequence[Talk]) -> list[Any]:
    """The first messages of a file, whatever conversation they are of."""
    return list(islice((message for talk in found for message in talk.messages), SAMPLE))
