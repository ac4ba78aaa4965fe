"""The values a shaper is made with, checked where it is made."""

from __future__ import annotations

from collections.abc import Collection
from inspect import iscoroutinefunction
from typing import Any

from opencollab_nb.errors import UsageProblem

PLAIN_FUNCTION = "give a plain one; it may call `asyncio.run(...)`, with the client made inside"
"""A client of a loop that is closed after each call would fail at the second one."""


def check_numbers(shaper: Any, **least: int) -> None:
    """Refuse what is no whole number, or too small.

    Args:
        shaper: the one being made.
        least: the least value of each of its fields that is to be looked at.

    Raises:
        UsageProblem: (a ValueError) it is; shaper, field and value are named.

    >>> from opencollab_nb.shaping.tool_budget import ToolResultBudgetShaper
    >>> ToolResultBudgetShaper(0)
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.UsageProblem: ToolResultBudgetShaper.max_chars is 0: give a whole number, at least 1
    """
    for name, minimum in least.items():
        value = getattr(shaper, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise _unfit(shaper, name, f"a whole number, at least {minimum}")


def check_names(shaper: Any, name: str) -> None:
    """Refuse what is no collection of texts: one text by itself would match parts of names.

    Raises:
        UsageProblem: (a ValueError) it is none; shaper, field and value are named.
    """
    value = getattr(shaper, name)
    if isinstance(value, str) or not isinstance(value, Collection) or not all(_is_text(v) for v in value):
        raise _unfit(shaper, name, "names in a set, such as {'grep'}")


def check_text(shaper: Any, name: str) -> None:
    """Refuse what is no text.

    Raises:
        UsageProblem: (a ValueError) it is none; shaper, field and value are named.
    """
    if not _is_text(getattr(shaper, name)):
        raise _unfit(shaper, name, "a text")


def check_summarizer_of(shaper: Any, name: str) -> None:
    """Refuse what is neither None nor to be asked for a summary.

    Raises:
        UsageProblem: (a ValueError) it is not; shaper, field and value are named.
    """
    value = getattr(shaper, name)
    if value is not None and (isinstance(value, type) or not callable(getattr(value, "summarize", value))):
        raise _unfit(shaper, name, "a function of a SummaryRequest, or None")
    if is_async(value):
        raise UsageProblem(f"{type(shaper).__name__}.{name} is an async function; {PLAIN_FUNCTION}")


def is_async(summarizer: Any) -> bool:
    """True for an async function, or an object whose `summarize` is one."""
    return iscoroutinefunction(getattr(summarizer, "summarize", summarizer))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _unfit(shaper: Any, name: str, wanted: str) -> UsageProblem:
    return UsageProblem(f"{type(shaper).__name__}.{name} is {getattr(shaper, name)!r}: give {wanted}")
