"""What to say of a file that is of no known format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opencollab_nb.importers.source import Broken, Source

if TYPE_CHECKING:
    from opencollab_nb.importers.formats import Format

_KEYS = 8


def nothing_like_it(source: Source, formats: Sequence[Format]) -> str:
    """What was tried, what the file is most like, and what it holds instead."""
    scores = [(known.signs(source), known) for known in formats]
    score, best = max(scores, key=lambda pair: pair[0])
    tried = ", ".join(known.NAME for known in formats)
    like = (
        f"It is most like {best.NAME} ({score:.2f}, 0.5 is enough), which has {best.WANTS}."
        if score > 0
        else "It is like none of them."
    )
    return (
        f"{source.path} is no transcript of a known format: it holds {held_by(source)}. {like} Tried: {tried}"
    )


def held_by(source: Source) -> str:
    """What a file holds, as a phrase.

    >>> from opencollab_nb.importers.source import Held
    >>> held_by(Source(Held(b'{"b": 1, "a": 2}', "x"))), held_by(Source(Held(b"", "x")))
    ('one JSON object with the keys b, a', 'nothing')
    """
    if not source.start.strip():
        return "nothing"
    if not source.is_text:
        return "no text"
    if source.json is not None:
        return f"one {_value(source.json)}" + (f" (damaged: {source.damage})" if source.damage else "")
    if source.damage:
        return f"JSON that cannot be read: {source.damage}"
    if not source.lines:
        return "text that is no JSON"
    sound = [value for _, value in source.lines if not isinstance(value, Broken)]
    if not sound:
        return f"{len(source.lines):,} lines, none of which is JSON"
    return (
        f"{len(source.lines):,} lines of JSON, {len(sound):,} of them sound, the first a {_value(sound[0])}"
    )


def _value(value: Any) -> str:
    if isinstance(value, dict):
        keys = ", ".join(str(key)[:40] for key in list(value)[:_KEYS])
        return f"JSON object with the keys {keys}" if keys else "JSON object without keys"
    if isinstance(value, list):
        return (
            f"JSON list of {len(value):,}, the first a {_value(value[0])}" if value else "JSON list of none"
        )
    return f"JSON {type(value).__name__}"
