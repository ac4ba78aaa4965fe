"""A shaper as text, with the code it was written as and what that code uses: how a change of it is known."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import is_dataclass
from types import FunctionType, ModuleType
from typing import Any

from opencollab_nb.session.chain_spec import describe

LIBRARY = "opencollab_nb"


def text_of_part(part: Any) -> str:
    """A shaper or summarizer: its fields, and for one that is not of this library its code.

    >>> from opencollab_nb.shaping import OldHistorySnipShaper
    >>> "OldHistorySnipShaper" in text_of_part(OldHistorySnipShaper())
    True
    """
    code = part if inspect.isfunction(part) else type(part)
    told = [repr(describe(part))]
    if not isinstance(part, FunctionType) and not is_dataclass(part):
        told.append(repr(sorted(getattr(part, "__dict__", {}).items(), key=str)))
    return "\n".join([*told, *_code(code, set())])


def _code(thing: Any, seen: set[int]) -> Iterator[str]:
    """The source of a function or class, and of what it uses of its module and its closure."""
    if id(thing) in seen or (getattr(thing, "__module__", None) or "").partition(".")[0] == LIBRARY:
        return
    seen.add(id(thing))
    try:
        yield inspect.getsource(thing)
    except (OSError, TypeError):
        yield f"source not to be had: {thing!r}"
    functions = (
        [thing] if inspect.isfunction(thing) else [f for f in vars(thing).values() if inspect.isfunction(f)]
    )
    for function in functions:
        used = inspect.getclosurevars(function)
        for name, value in sorted({**used.globals, **used.nonlocals}.items()):
            if inspect.isfunction(value) or inspect.isclass(value):
                yield from _code(value, seen)
            elif not isinstance(value, ModuleType):
                yield f"{name} = {value!r}"
