"""What a parameter of a shaper is set to: the value in the type that the parameter has, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem

if TYPE_CHECKING:
    from opencollab_nb.shaping.fields import Field


def fitted(where: str, field: Field, value: Any) -> Any:
    """The value in the type of the parameter.

    Raises:
        UsageProblem: it is of another kind, or too small.
    """
    kind = field.kind
    if value is None and field.optional:
        return None
    if kind == "int" and isinstance(value, float) and value.is_integer():
        value = int(value)  # a number from a browser
    if kind in ("int", "float"):
        return _number(where, field, value)
    if kind in ("bool", "str"):
        wanted: type = bool if kind == "bool" else str
        if not isinstance(value, wanted):
            raise UsageProblem(
                f"{where} is {value!r}: give {'True or False' if kind == 'bool' else 'a text'}"
            )
        return value
    if kind == "choice" and value not in field.options:
        raise UnknownName(where, value, field.options)
    if kind in ("set", "numbers"):
        return _listed(where, field, value)
    if kind == "summarizer" and value is not None:
        fit = callable(getattr(value, "summarize", value)) and not isinstance(value, type)
        if not fit:
            raise UsageProblem(f"{where} is {value!r}: give a function of a SummaryRequest, or None")
    return value


def _number(where: str, field: Field, value: Any) -> int | float:
    wanted = (int,) if field.kind == "int" else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted):
        whole = "whole number" if field.kind == "int" else "number"
        such = "" if field.default is None else f", such as {field.default!r}"
        raise UsageProblem(f"{where} is {value!r}: give a {whole}{such}")
    if field.minimum is not None and value < field.minimum:
        raise UsageProblem(f"{where} is {value!r}: give at least {field.minimum}")
    return value if field.kind == "int" else float(value)


def _listed(where: str, field: Field, value: Any) -> Any:
    """Texts or numbers in the collection that the parameter is."""
    usual = field.value if field.value is not None else field.default
    texts = field.kind == "set"
    what = "names" if texts else "numbers"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageProblem(f"{where} is {value!r}: give {what} in a list, such as {sorted(usual)[:2]!r}")
    given = list(value)
    wrong = [one for one in given if not (isinstance(one, str) if texts else is_number(one))]
    if wrong:
        raise UsageProblem(f"{where} holds {wrong[0]!r}: give {'texts' if texts else what}")
    if not texts and all(isinstance(one, int) for one in usual):
        given = [int(one) if one == int(one) else one for one in given]
    return type(usual)(given)


def is_number(value: Any) -> bool:
    """True for whole numbers and others, not for True and False.

    >>> is_number(1.5), is_number(True)
    (True, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool)
