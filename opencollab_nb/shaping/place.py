"""The place of a message in the transcript's order: ids, numbers where there are none, and `covers`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opencollab_nb.messages import Message, Messages, covers_of, each, id_of, meta_of, ranges, with_meta
from opencollab_nb.shaping.spans import without


def place(message: Message) -> int:
    """The message's id, or the first id a summary stands for."""
    own = id_of(message)
    return own if own is not None else next(each(covers_of(message)), -1)


def in_order(messages: Messages) -> Messages:
    """Sorted by place."""
    return sorted(messages, key=place)


def numbered(messages: Messages) -> Messages:
    """The messages, each with neither id nor `covers` numbered by position; the same object where none is.

    >>> [m["meta"]["id"] for m in numbered([{"role": "user"}, {"role": "assistant", "meta": {"id": 7}}])]
    [0, 7]
    """
    bare = {at for at, m in enumerate(messages) if id_of(m) is None and not covers_of(m)}
    return [with_meta(m, id=at) if at in bare else m for at, m in enumerate(messages)] if bare else messages


def without_numbers(shaped: Messages, source: Messages, originals: Messages) -> Messages:
    """What became of `source = numbered(originals)`, without the ids that this had given.

    >>> talk = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    >>> source = numbered(talk)
    >>> without_numbers([source[1]], source, talk)
    [{'role': 'user', 'content': 'b'}]
    """
    if source is originals or shaped is source:
        return originals if shaped is source else shaped
    bare = {id(s): m for s, m in zip(source, originals, strict=True)}
    given = {id_of(s): m for s, m in zip(source, originals, strict=True) if s is not m}
    out: Messages = []
    for message in shaped:
        was = given.get(id_of(message))
        if (same := bare.get(id(message))) is not None:
            out.append(same)
        elif was is None:
            out.append(message)
        else:
            left = {key: fact for key, fact in meta_of(message).items() if key != "id"}
            plain: Any = {key: value for key, value in message.items() if key != "meta"}
            out.append(plain | {"meta": left} if "meta" in was else plain)
    return out


def uncovering(messages: Messages, ids: Collection[int]) -> Messages:
    """The messages with these ids taken out of all `covers`; a summary of nothing else leaves.

    >>> summary = {"role": "user", "content": "s", "meta": {"covers": [[3, 6]]}}
    >>> [m["meta"]["covers"] for m in uncovering([summary], {4})], uncovering([summary], {3, 4, 5, 6})
    ([[[3, 3], [5, 6]]], [])
    """
    out, away = [], ranges(ids)
    for message in messages:
        covered = covers_of(message)
        left = without(covered, away) if covered else []
        if left != covered:
            if not left:
                continue
            out.append(with_meta(message, covers=left))
        else:
            out.append(message)
    return out
