"""What must be on disk so that a view can be built again without shapers: the change of one request, by ids.

A record is JSON-able and relative to the view before it, with all messages since appended:

- `afresh`   the view before is forgotten first
- `to`       how many messages of the transcript were known
- `trigger`  tokens, the limit in force
- `retry`    [view tokens from which the next round may open, growth in tokens that was asked for]
- `gone`     ranges of ids that left
- `back`     ranges of ids whose originals came back; `covers` lose them
- `put`      [[kept chars, added text, ranges of ids], ...]: content cut to its head, then the text added
- `odd`      messages changed in any other way, whole
- `out`      places of summaries that left
- `new`      summaries that came, whole

A stateless projection records only `stateless`, and in `new` the summaries it paid for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opencollab_nb.messages import Message, Messages, covers_of, each, id_of, ranges, wire, with_content
from opencollab_nb.shaping.place import in_order, place, uncovering

Record = dict[str, Any]
CHANGES = ("gone", "back", "put", "odd", "out", "new")


def make_record(before: Messages, after: Messages, back: set[int], **facts: Any) -> Record:
    """The record of a view that was `before` and is `after`; `back` are the ids of restored originals."""
    before = [m for m in uncovering(before, back) if id_of(m) not in back] if back else before
    old, new = set(map(id, before)), set(map(id, after))
    gone = {key: m for m in before if id(m) not in new and (key := id_of(m)) is not None}
    come = {key: m for m in after if id(m) not in old and (key := id_of(m)) is not None and key not in back}
    put: dict[tuple[int, str], list[int]] = {}
    odd: Messages = []
    for key in sorted(come.keys() & gone.keys()):
        change = _cut(gone[key], come[key])
        if change is None and wire(gone[key]) == wire(come[key]):
            continue
        if change is None:
            odd.append(come[key])
        else:
            put.setdefault(change, []).append(key)
    summaries = {_said(m) for m in before if covers_of(m)}, {_said(m) for m in after if covers_of(m)}
    return {
        **facts,
        "gone": ranges(gone.keys() - come.keys()),
        "back": ranges(back),
        "put": [[kept, added, ranges(ids)] for (kept, added), ids in put.items()],
        "odd": odd,
        "out": [place(m) for m in before if covers_of(m) and _said(m) not in summaries[1]],
        "new": [m for m in after if covers_of(m) and _said(m) not in summaries[0]],
    }


def apply_record(record: Record, view: Messages, original: Callable[[int], Message]) -> Messages:
    """The view after the request that `record` was made for."""
    back = set(each(record["back"]))
    view = uncovering(view, back) if back else view
    here = {id_of(m): m for m in view}
    changed = {m["meta"]["id"]: m for m in record["odd"]}
    for kept, added, spans in record["put"]:
        for key in each(spans):
            content: Any = here[key].get("content")
            head = content[:kept] if isinstance(content, str) else ""
            changed[key] = with_content(here[key], head + added)
    changed.update((key, original(key)) for key in back)
    away, out = set(each(record["gone"])) | changed.keys(), set(record["out"])
    kept_messages = [m for m in view if id_of(m) not in away and not (covers_of(m) and place(m) in out)]
    return in_order([*kept_messages, *changed.values(), *record["new"]])


def did_more_than_grow(record: Record | None) -> bool:
    """True when the record changes what had been sent before."""
    return bool(record) and any(record.get(name) for name in CHANGES if record)


def _said(message: Message) -> tuple[str, str]:
    return str(message.get("content")), str(covers_of(message))


def _cut(old: Message, new: Message) -> tuple[int, str] | None:
    """(kept chars, added text) where only the content changed, to a string; None for any other change."""
    text, was = new.get("content"), old.get("content")
    if not isinstance(text, str) or text == was or _rest(old) != _rest(new):
        return None
    kept = common_chars(was, text) if isinstance(was, str) else 0
    return kept, text[kept:]


def _rest(message: Message) -> dict[str, Any]:
    return {k: v for k, v in message.items() if k not in ("content", "meta")}


def common_chars(one: str, other: str) -> int:
    """Length of the common beginning, by halving: comparing slices is faster than walking.

    >>> common_chars("shaping", "shapes"), common_chars("", "a"), common_chars("ab", "ab")
    (4, 0, 2)
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
