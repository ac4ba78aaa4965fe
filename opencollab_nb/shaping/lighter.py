"""When a rewritten message may take the place of the old one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opencollab_nb.messages import wire
from opencollab_nb.pressure import Pressure


def is_lighter(new: Mapping[str, Any], old: Mapping[str, Any], pressure: Pressure) -> bool:
    """True when `new` is shorter in its wire form and weighs no more, by the weights in force.

    >>> old, new = ({"role": "tool", "content": text} for text in ("a long result", "stub"))
    >>> is_lighter(new, old, Pressure.of()), is_lighter(old, new, Pressure.of())
    (True, False)
    """
    return is_shorter(new, old) and pressure.weigh(new) <= pressure.weigh(old)


def is_shorter(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """True when `new` has fewer characters as JSON, whether or not that is escaped to ASCII."""
    text: Any = new.get("content")
    was: Any = old.get("content")
    both = isinstance(text, str) and isinstance(was, str)
    # A text has more characters in JSON than without: a stub need not be compared with all of it.
    if both and _same_rest(new, old) and len(json.dumps(text)) < len(was):
        return True
    return all(wire_chars(new, ascii_only) < wire_chars(old, ascii_only) for ascii_only in (False, True))


def _same_rest(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    return new.keys() == old.keys() and all(new[key] is old[key] for key in new if key != "content")


def wire_chars(message: Mapping[str, Any], ascii_only: bool = False) -> int:
    """Characters of the message as JSON, private data left out."""
    return len(json.dumps(wire(message), ensure_ascii=ascii_only, default=str))
