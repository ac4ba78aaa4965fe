"""What to say of a file that is of no known format."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from opencollab_nb.importers.source import Broken, Source

if TYPE_CHECKING:
    from opencollab_nb.importers.formats import Format

_KEYS = 8
_LOOKED_AT = 20
_ALIKE_RATIO = 0.8
"""From here on a key is taken for another one, mistyped or renamed."""


def nothing_like_it(source: Source, formats: Sequence[Format]) -> str:
    """What was tried, what the file is most like, and what it holds instead."""
    scores = [(known.signs(source), known) for known in formats]
    score, best = max(scores, key=lambda pair: pair[0])
    tried = ", ".join(known.NAME for known in formats)
    like = (
        f"It is most like {best.NAME} ({score:.2f}, 0.5 is enough), which has {best.WANTS}."
        if score > 0
        else like_by_words(source, formats)
    )
    return (
        f"{source.path} is no transcript of a known format: it holds {held_by(source)}. {like} Tried: {tried}"
    )


def like_by_words(source: Source, formats: Sequence[Format]) -> str:
    """The formats that have most of the file's keys and types, where the file is of none.

    >>> from opencollab_nb.importers import codex, pi
    >>> from opencollab_nb.importers.source import Held
    >>> like_by_words(Source(Held(b'{"type": "session_mta", "payloads": {}}', "x")), [pi, codex])
    'It is nearest to codex, by the words type, payloads, session_mta: that has lines with `type` \
(`session_meta`, `response_item`, `event_msg`, ...) and `payload`.'
    """
    words = words_of([source.json] if source.json is not None else [value for _, value in source.lines])
    shared = [(alike(words, re.findall(r"`([\w.]+)`", known.WANTS)), known) for known in formats]
    most = max(len(found) for found, _ in shared)
    if not most:
        return "It is like none of them."
    nearest = [(found, known) for found, known in shared if len(found) == most]
    named = ", ".join(known.NAME for _, known in nearest)
    wants = f": that has {nearest[0][1].WANTS}" if len(nearest) == 1 else ""
    return f"It is nearest to {named}, by the words {', '.join(nearest[0][0])}{wants}."


def words_of(values: Iterable[Any]) -> list[str]:
    """The keys of the first objects, and what they say of their type, each once."""
    words: dict[str, None] = {}
    for value in list(values)[:_LOOKED_AT]:
        for one in (value if isinstance(value, list) else [value])[:_LOOKED_AT]:
            if isinstance(one, dict):
                kind = one.get("type")
                words |= dict.fromkeys(str(key)[:40] for key in [*one][:_LOOKED_AT])
                words |= {kind[:40]: None} if isinstance(kind, str) else {}
    return list(words)


def alike(words: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Those of the words that are among the wanted ones, or nearly."""
    lower = [word.lower() for word in wanted]
    return [
        word for word in words if difflib.get_close_matches(word.lower(), lower, n=1, cutoff=_ALIKE_RATIO)
    ]


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
