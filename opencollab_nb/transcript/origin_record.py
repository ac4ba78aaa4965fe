"""An origin as plain data, for the file it is exported to, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript.origin import Compacted, Origin, Sent

FORMAT = "opencollab"
"""The name of our own format."""


def origin_record(origin: Origin) -> dict[str, Any]:
    """What a file holds of an origin: all but the counts and names of the file it was read from.

    >>> origin = Origin("pi", "a.jsonl", "a", sent=(Sent(1, 1, Usage(9)),), title="t")
    >>> again = origin_of(origin_record(origin))
    >>> again.sent == origin.sent, again.title
    (True, 't')
    """
    return {
        "sent": [
            {
                "before": call.before,
                "reply": call.reply,
                "usage": call.usage.to_dict() if call.usage else None,
                "model": call.model,
            }
            for call in origin.sent
        ],
        "compactions": [
            {"at": one.at, "covers": one.covers, "text": one.text, "tokens_before": one.tokens_before}
            for one in origin.compactions
        ],
        "unknown": list(origin.unknown),
        "constant_tokens": origin.constant_tokens,
        "tools": [dict(tool) for tool in origin.tools],
        "window": origin.window,
        "children": [
            {
                "messages": child.messages,
                "steps": child.committed,
                "origin": origin_record(child.origin) if child.origin else None,
                "name": child.origin.name if child.origin else "",
            }
            for child in origin.children
        ],
        "outcome": origin.outcome,
        "title": origin.title,
    }


def origin_of(record: Mapping[str, Any]) -> Origin:
    """The origin a record holds; what is not of the type that is due is left out."""
    # Children are transcripts, and a transcript reads its origin with this module.
    from opencollab_nb.transcript.store import Transcript

    children = []
    for child in _list(record.get("children")):
        inner = child.get("origin")
        messages: Any = [one for one in _list(child.get("messages")) if isinstance(one.get("role"), str)]
        origin = origin_of(inner) if isinstance(inner, dict) else None
        steps = _count(child.get("steps")) or 0
        children.append(Transcript.of(messages, steps=steps, origin=origin))
    return Origin(
        format=FORMAT,
        path="",
        name="",
        sent=tuple(call for one in _list(record.get("sent")) if (call := sent_of(one))),
        compactions=tuple(c for one in _list(record.get("compactions")) if (c := compacted_of(one))),
        unknown=tuple(str(what) for what in _any_list(record.get("unknown"))),
        constant_tokens=_count(record.get("constant_tokens")),
        tools=tuple(_list(record.get("tools"))),
        window=_count(record.get("window")),
        children=tuple(children),
        outcome=_text(record.get("outcome")),
        title=_text(record.get("title")) or "",
    )


def sent_of(one: Mapping[str, Any]) -> Sent | None:
    """A call of a record; None where the place it was made at is missing."""
    before, reported = _count(one.get("before")), one.get("usage")
    if before is None:
        return None
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
    usage = (
        Usage(*(_count(reported.get(name)) or 0 for name in names)) if isinstance(reported, dict) else None
    )
    return Sent(before, _count(one.get("reply")), usage, _text(one.get("model")))


def compacted_of(one: Mapping[str, Any]) -> Compacted | None:
    """A compaction of a record; None where it says neither place nor text."""
    at, text = _count(one.get("at")), _text(one.get("text"))
    pairs = [pair for pair in _any_list(one.get("covers")) if isinstance(pair, list) and len(pair) == 2]
    covers = [pair for pair in pairs if all(_count(end) is not None for end in pair) and pair[0] <= pair[1]]
    if at is None or text is None:
        return None
    return Compacted(at, covers, text, _count(one.get("tokens_before")))


def _list(value: Any) -> list[dict[str, Any]]:
    return [one for one in _any_list(value) if isinstance(one, dict)]


def _any_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
