"""What every shaper keeps, ours and yours: one law a function.

A pairwise law takes what went in and what came out and says what is wrong, or None. The laws that
need the shaper itself (pure, calm, settled, local) are in `check.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from opencollab_nb.messages import Message, Messages, covers_of, each, id_of, is_pinned, ranges, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.faults import message_faults, order_faults
from opencollab_nb.shaping.groups import Group, groups, newest_groups
from opencollab_nb.shaping.lighter import wire_chars
from opencollab_nb.shaping.spans import Spans, joined, shared, without

LAWS = ("pure", "paired", "pinned", "calm", "shorter", "settled", "local", "accounted", "sendable")


def paired(before: Messages, after: Messages) -> str | None:
    """A group is kept or left whole; one with an unanswered call stays, only its results may be cut."""
    old, new = list(groups(before)), list(groups(after))
    whole = {_ids(group) for group in old}
    for group in new:
        if (group.calls or group.stray) and _ids(group) not in whole:
            return f"group {_ids(group)} is none of the input: a call lost a result, or a result its call"
    here = {_ids(group): group for group in new}
    for group in old:
        if group.open:
            kept = here.get(_ids(group))
            if kept is None:
                return f"group {_ids(group)} has an unanswered call and was removed"
            if wire(kept.speaker) != wire(group.speaker):
                return f"group {_ids(group)} has an unanswered call and its calls were changed"
    return None


def pinned(before: Messages, after: Messages) -> str | None:
    """Pinned messages come out byte for byte, in place; one user message stays if there was one."""
    was, now = ([(id_of(m), wire(m)) for m in side if is_pinned(m)] for side in (before, after))
    if was != now:
        changed = [
            i for (i, _), other in zip(was, [*now, None], strict=False) if other is None or i != other[0]
        ]
        return f"a pinned message was changed, moved or removed{f' (id {changed[0]})' if changed else ''}"
    if any(_is_user(m) for m in before) and not any(_is_user(m) for m in after):
        return "no user message is left; a model needs one to answer"
    return None


def shorter(before: Messages, after: Messages, pressure: Pressure) -> str | None:
    """A rewritten message is shorter in its wire form and weighs no more; the whole weighs no more."""
    old = {id_of(m): m for m in before if id_of(m) is not None}
    for message in after:
        was = old.get(id_of(message))
        if was is None or was is message or wire(was) == wire(message):
            continue
        chars = wire_chars(was), wire_chars(message)
        if chars[1] >= chars[0]:
            return f"message {id_of(message)} was rewritten from {chars[0]:,} to {chars[1]:,} characters"
        tokens = pressure.weight([was]), pressure.weight([message])
        if tokens[1] > tokens[0]:
            return f"message {id_of(message)} was rewritten from {tokens[0]:,} to {tokens[1]:,} tokens"
    total = pressure.tokens(before), pressure.tokens(after)
    return f"the whole grew from {total[0]:,} to {total[1]:,} tokens" if total[1] > total[0] else None


def accounted(before: Messages, after: Messages) -> str | None:
    """Every message is one of the input, in order, once, or a summary that says what it stands for."""
    old = {own: m for m in before if (own := id_of(m)) is not None}
    known = joined([*ranges(old), *(span for m in before for span in covers_of(m))])
    seen: set[int] = set()
    covered: list[list[int]] = []
    last = -1
    for message in after:
        own = id_of(message)
        stands_for = [[own, own]] if own is not None else covers_of(message)
        if not stands_for:
            return "a message has neither an id nor `covers`: it comes from nowhere"
        first = stands_for[0][0]
        if own not in old and (unknown := without(stands_for, known)):
            return f"ids {_few(unknown)} are not in the input"
        kept = ranges(seen) if own is None else [[i, i] for i in {own} & seen]
        if twice := shared(stands_for, [*covered, *kept]):
            return f"ids {_few(twice)} are kept or covered twice"
        if first <= last:
            return f"message {first} stands out of order"
        if own is not None and _identity(message) != _identity(old[own]):
            return f"message {own} has another role, name or tool_call_id than in the input"
        if own is None:
            covered += stands_for
        else:
            seen.add(own)
        last = first
    return None


def sendable(before: Messages, after: Messages) -> str | None:
    """Every fault of the wire form was in the input, and the newest group is still the newest."""
    old = {id_of(m): m for m in before if id_of(m) is not None}
    for message in after:
        was = old.get(id_of(message))
        if was is message:
            continue
        new_faults = message_faults(message) - (message_faults(was) if was else set())
        if new_faults:
            return f"message {id_of(message)}: {', '.join(sorted(new_faults))}"
    if new_order := order_faults(after) - order_faults(before):
        return ", ".join(sorted(new_order))
    newest = [_ids(newest_groups(side, 1)[0]) for side in (before, after) if side]
    return None if len(newest) == 2 and newest[0] == newest[1] else "the newest group is no longer the newest"


PAIRWISE: dict[str, Callable[[Messages, Messages], str | None]] = {
    law.__name__: law for law in (accounted, pinned, paired, sendable)
}
"""Laws whose breach would break the request."""


def refused(before: Messages, after: Any) -> str | None:
    """Why the output of a shaper from outside cannot be used: a law whose breach would break the request."""
    if malformed := no_messages(before, after):
        return malformed
    head, start = _unchanged(before, after)
    for name, law in PAIRWISE.items():
        if wrong := law(before[:head] + before[start:], after[:head] + after[start:]):
            return f"breaks the law `{name}`: {wrong}"
    return None


def _unchanged(before: Messages, after: Messages) -> tuple[int, int]:
    """What need not be looked at: the messages between these two positions are the same in both lists.

    The first position is after the first user message, which the laws ask for, the second where the
    group before the first change starts.
    """
    changed = (at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old is not new)
    start = max(0, next(changed, min(len(before), len(after))) - 1)
    while start and before[start].get("role") == "tool":
        start -= 1
    head = next((at + 1 for at, m in enumerate(before[:start]) if _is_user(m)), start)
    return head, max(head, start)


def no_messages(before: Messages, after: Any) -> str | None:
    """What a shaper returned, where it is not a list of messages; None where it is one."""
    if not isinstance(after, list):
        return f"returned {type(after).__name__}; needed is a list of messages"
    if before and not after:
        return "returned no message at all"
    odd = next((m for m in after if not isinstance(m, dict)), None)
    return None if odd is None else f"returned a {type(odd).__name__} where a message (a dict) is needed"


def _ids(group: Group) -> tuple[int | None, ...]:
    return tuple(map(id_of, group.messages))


def _few(spans: Spans) -> list[int]:
    return list(islice(each(spans), 3))


def _identity(message: Message) -> tuple[Any, ...]:
    return message.get("role"), message.get("name"), message.get("tool_call_id")


def _is_user(message: Message) -> bool:
    return message.get("role") == "user"
