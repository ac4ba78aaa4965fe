"""The anchors in a plain request: every one that is in force stands there word for word."""

from __future__ import annotations

from collections.abc import Callable

from opencollab_nb.budget.anchors import Anchors, anchor_message, head_message
from opencollab_nb.messages import Message, Messages, meta_of
from opencollab_nb.shaping.groups import head_size, is_stray

_IN_THE_HEAD = ("goal", "constraints")


def anchor_messages(anchors: Anchors) -> Messages:
    """The head message, then one message for every other anchor, in order."""
    head = head_message(anchors)
    later = [anchor_message(a) for a in anchors.in_force() if a.kind not in _IN_THE_HEAD]
    return ([head] if head else []) + later


def holding(messages: Messages, anchors: Anchors, numbered: Callable[[Message], Message]) -> Messages:
    """The messages with every anchor in force; the same object where all stand there already.

    A head that a newer one replaces leaves, and the newer one comes to the start: after the systems,
    the first user message and the anchors that stand there.

    Args:
        messages: with `meta`.
        anchors: the register.
        numbered: gives a message its id.
    """
    wanted = {m["content"]: m for m in anchor_messages(anchors)}
    stale = [m for m in messages if _is_anchor(m) and m.get("content") not in wanted]
    left = [m for m in messages if not any(m is old for old in stale)] if stale else messages
    here = {m.get("content") for m in left if _is_anchor(m)}
    missing = [numbered(m) for content, m in wanted.items() if content not in here]
    if not missing:
        return left
    at = head_size(left)
    while at < len(left) and _is_anchor(left[at]):
        at += 1
    while is_stray(left, at):
        at += 1
    return [*left[:at], *missing, *left[at:]]


def _is_anchor(message: Message) -> bool:
    return meta_of(message).get("source") == "anchor"
