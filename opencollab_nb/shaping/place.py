"""The place of a message in the transcript's order, and summaries that lose ids to restored originals."""

from __future__ import annotations

from collections.abc import Collection

from opencollab_nb.messages import Message, Messages, covers_of, each, id_of, ranges, with_meta


def place(message: Message) -> int:
    """The message's id, or the first id a summary stands for."""
    own = id_of(message)
    return own if own is not None else next(each(covers_of(message)), -1)


def in_order(messages: Messages) -> Messages:
    """Sorted by place."""
    return sorted(messages, key=place)


def uncovering(messages: Messages, ids: Collection[int]) -> Messages:
    """The messages with these ids taken out of all `covers`; a summary of nothing else leaves.

    >>> summary = {"role": "user", "content": "s", "meta": {"covers": [[3, 6]]}}
    >>> [m["meta"]["covers"] for m in uncovering([summary], {4})], uncovering([summary], {3, 4, 5, 6})
    ([[[3, 3], [5, 6]]], [])
    """
    out = []
    for message in messages:
        covered = covers_of(message)
        left = ranges(set(each(covered)).difference(ids)) if covered else []
        if left != covered:
            if not left:
                continue
            out.append(with_meta(message, covers=left))
        else:
            out.append(message)
    return out
