"""The parameters of a shaper as data, for controls that change them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping.report import name_of

Kind = Literal["int", "float", "bool", "str", "set", "summarizer", "other"]
SETS = (frozenset, set, tuple, list)


@dataclass(frozen=True)
class Field:
    """One parameter."""

    name: str
    kind: Kind
    value: Any
    """What it is now."""
    default: Any = None
    """What it is by default; None where it has no default."""
    minimum: int | None = None
    """The least whole number it may be; None where there is no such limit."""


def fields_of(shaper: Any) -> list[Field]:
    """The parameters of a shaper, in order; none for a plain function.

    A field of a dataclass may name its least value: `field(default=3, metadata={"minimum": 1})`.
    Where it does not, 0 and 1 are tried, since a shaper refuses what it cannot use.

    >>> from opencollab_nb.shaping.clear import ToolOutputClearShaper
    >>> [(f.name, f.kind, f.value) for f in fields_of(ToolOutputClearShaper(keep_recent=3))][:2]
    [('keep_recent', 'int', 3), ('clear_at_least', 'int', 0)]
    """
    if isinstance(shaper, type) or not dataclasses.is_dataclass(shaper):
        return []
    return [_field(shaper, f) for f in dataclasses.fields(shaper) if f.init]


def with_field(shaper: Any, name: str, value: Any) -> Any:
    """The same shaper with another value of one parameter.

    Raises:
        UnknownName: (a ValueError) it has no such parameter; the nearest is named.
        UsageProblem: (a ValueError) the value is of another kind, or too small.

    >>> from opencollab_nb.shaping.snip import OldHistorySnipShaper
    >>> with_field(OldHistorySnipShaper(), "keep_recent_groups", 2)
    OldHistorySnipShaper(keep_recent_groups=2)
    """
    known = {field.name: field for field in fields_of(shaper)}
    where = f"{name_of(shaper)}.{name}"
    if name not in known:
        if not known:
            raise UsageProblem(f"{name_of(shaper)} has no parameters to change, so none named {name!r}")
        raise UnknownName(f"parameter of {name_of(shaper)}", name, known)
    fitted = _fitted(where, known[name], value)
    try:
        return dataclasses.replace(shaper, **{name: fitted})
    except (TypeError, ValueError) as problem:
        raise UsageProblem(f"{where} cannot be {value!r}: {problem}") from problem


def _field(shaper: Any, field: dataclasses.Field[Any]) -> Field:
    value, default = getattr(shaper, field.name), None
    if field.default is not dataclasses.MISSING:
        default = field.default
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    kind = _kind(field, value, default)
    return Field(field.name, kind, value, default, _minimum(shaper, field, kind))


def _kind(field: dataclasses.Field[Any], value: Any, default: Any) -> Kind:
    written = str(getattr(field.type, "__name__", field.type)).lower()
    if "summarizer" in field.name.lower() or "summarizer" in written:
        return "summarizer"
    told = default if default is not None else value
    if isinstance(told, bool):
        return "bool"
    if isinstance(told, int):
        return "float" if written.startswith("float") else "int"
    if isinstance(told, float):
        return "float"
    if isinstance(told, str):
        return "str"
    if isinstance(told, SETS) and all(isinstance(one, str) for one in told):
        return "set"
    return "other"


def _minimum(shaper: Any, field: dataclasses.Field[Any], kind: Kind) -> int | None:
    if kind != "int":
        return None
    if "minimum" in field.metadata:
        return int(field.metadata["minimum"])
    return next((number for number in (0, 1) if _takes(shaper, field.name, number)), None)


def _takes(shaper: Any, name: str, number: int) -> bool:
    try:
        dataclasses.replace(shaper, **{name: number})
    except (TypeError, ValueError):
        return False
    return True


def _fitted(where: str, field: Field, value: Any) -> Any:
    """The value in the type that the parameter has."""
    kind = field.kind
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
    if kind == "set":
        return _names(where, field, value)
    if kind == "summarizer" and value is not None:
        fit = callable(getattr(value, "summarize", value)) and not isinstance(value, type)
        if not fit:
            raise UsageProblem(f"{where} is {value!r}: give a function of a SummaryRequest, or None")
    return value


def _number(where: str, field: Field, value: Any) -> int | float:
    wanted = (int,) if field.kind == "int" else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted):
        whole = "whole number" if field.kind == "int" else "number"
        raise UsageProblem(f"{where} is {value!r}: give a {whole}, such as {field.default!r}")
    if field.minimum is not None and value < field.minimum:
        raise UsageProblem(f"{where} is {value!r}: give at least {field.minimum}")
    return value if field.kind == "int" else float(value)


def _names(where: str, field: Field, value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageProblem(f"{where} is {value!r}: give names in a list, such as {sorted(field.value)[:2]!r}")
    names = list(value)
    if not all(isinstance(one, str) for one in names):
        raise UsageProblem(f"{where} holds {next(n for n in names if not isinstance(n, str))!r}: give texts")
    return type(field.value if field.value is not None else field.default)(names)
