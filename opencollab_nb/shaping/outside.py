"""A shaper from outside: it works on copies, and what it gives back is checked before it is used."""

from __future__ import annotations

from dataclasses import replace
from types import CodeType
from typing import Any

from opencollab_nb.errors import ShapingError
from opencollab_nb.messages import Messages
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping.guarded import within, written_at
from opencollab_nb.shaping.held import summarizer_codes
from opencollab_nb.shaping.laws import refused

_OURS = ("opencollab_nb.shaping.", "opencollab_nb.budget.")


class Unfit(ShapingError):
    """What a shaper from outside did to its input, or gave back, cannot be used."""


def is_from_outside(shaper: Any) -> bool:
    """True for a shaper that is not one of this house's."""
    kind = shaper if hasattr(shaper, "__qualname__") else type(shaper)
    return not str(kind.__module__).startswith(_OURS)


def shaped_on_copies(
    shaper: Any, messages: Messages, pressure: Pressure, elsewhere: frozenset[CodeType] = frozenset()
) -> Messages:
    """What the shaper makes of copies, with our own object for each message that it left as it was.

    What it edits in place reaches neither view nor transcript.

    Args:
        shaper: a function of (messages, pressure), or an object with `shape`.
        messages: as they stand.
        pressure: the limits and weights.
        elsewhere: code of the chain's summarizers, whose time is not the shaper's.

    Raises:
        Unfit: it edited its input, or the output breaks a law whose breach would break the request.
        TooSlow: it took too long.

    >>> def forgets(messages, pressure):
    ...     return messages[1:]
    >>> talk = [{"role": "user", "content": text, "meta": {"id": at}} for at, text in enumerate("ab")]
    >>> left = shaped_on_copies(forgets, talk, Pressure.of())
    >>> len(talk), len(left), left[0] is talk[1]
    (2, 1, True)
    """
    copies = [copied(message) for message in messages]
    ours = {id(copy): message for copy, message in zip(copies, messages, strict=True)}
    theirs = replace(pressure, weigh=pressure.weigh.with_copies(copies, messages))
    given = list(copies)
    codes = elsewhere | summarizer_codes([shaper])
    after = within(lambda: getattr(shaper, "shape", shaper)(given, theirs), elsewhere=codes)
    if given != messages:
        reason = "it changed the messages it was given, or their list; a shaper gives back new ones"
        raise Unfit(reason + written_at(shaper))
    if isinstance(after, list):
        after = [known if (known := ours.get(id(m))) is not None and known == m else m for m in after]
        if len(after) == len(messages) and all(map(_is, after, messages)):
            return messages
    if problem := refused(messages, after):
        raise Unfit(problem + written_at(shaper))
    return list(after)


def copied(value: Any) -> Any:
    """The value with its dicts and lists copied: all of a message that can be edited in place.

    Ten times as fast as `copy.deepcopy`, which a shaper at each request would feel.
    """
    if isinstance(value, dict):
        return value | {key: copied(item) for key, item in value.items() if isinstance(item, (dict, list))}
    if isinstance(value, list):
        return [copied(item) if isinstance(item, (dict, list)) else item for item in value]
    return value


def _is(one: object, other: object) -> bool:
    return one is other
