"""The parameters of a shaper as data, for controls that change them."""

from __future__ import annotations

import dataclasses
import re
import typing
from dataclasses import dataclass
from typing import Any, Literal

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping.field_values import fitted, is_number
from opencollab_nb.shaping.report import name_of

Kind = Literal["int", "float", "bool", "str", "choice", "set", "numbers", "summarizer", "other"]
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
    options: tuple[str, ...] = ()
    """All that a `choice` may be."""
    optional: bool = False
    """True where it may be None."""


def fields_of(shaper: Any) -> list[Field]:
    """The parameters of a shaper, in order; none for a plain function.

    A field of a dataclass may name its least value: `field(default=3, metadata={"minimum": 1})`.
    Where it does not, -1, 0 and 1 are tried, since a shaper refuses what it cannot use.

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
    fit = fitted(where, known[name], value)
    try:
        return dataclasses.replace(shaper, **{name: fit})
    except (TypeError, ValueError) as problem:
        raise UsageProblem(f"{where} cannot be {value!r}: {problem}") from problem


def _field(shaper: Any, field: dataclasses.Field[Any]) -> Field:
    value, default = getattr(shaper, field.name), None
    if field.default is not dataclasses.MISSING:
        default = field.default
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    written = _written(field)
    options = _options(shaper, field.name) if "Literal[" in written else ()
    kind: Kind = "choice" if options else _kind(field.name, written, value if default is None else default)
    optional = "None" in written or "Optional[" in written
    return Field(field.name, kind, value, default, _minimum(shaper, field, kind), options, optional)


def _written(field: dataclasses.Field[Any]) -> str:
    """The type as it stands in the code."""
    return field.type.__name__ if isinstance(field.type, type) else str(field.type)


def _options(shaper: Any, name: str) -> tuple[str, ...]:
    """The texts that a `Literal` lists; none where it lists other things, or cannot be looked up."""
    try:
        hint = typing.get_type_hints(type(shaper))[name]
    except (NameError, TypeError, KeyError):  # a type that is not there at run time
        return ()
    listed = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
    return listed if all(isinstance(one, str) for one in listed) else ()


def _kind(name: str, written: str, told: Any) -> Kind:
    """The kind of what it is by default; where that is None or empty, of what is written there."""
    if "summarizer" in f"{name} {written}".lower():
        return "summarizer"
    if isinstance(told, bool):
        return "bool"
    if isinstance(told, (int, float)):
        return "float" if isinstance(told, float) or written.lower().startswith("float") else "int"
    if isinstance(told, str):
        return "str"
    if isinstance(told, SETS):
        if told and all(is_number(one) for one in told):
            return "numbers"
        if not told and re.search(r"\b(int|float)\b", written):
            return "numbers"
        return "set" if all(isinstance(one, str) for one in told) else "other"
    plain = re.fullmatch(r"(?:typing\.)?(?:Optional\[(\w+)\]|(\w+) \| None)", written)
    found = (plain[1] or plain[2]) if plain and told is None else ""
    return found if found in ("int", "float", "str") else "other"  # type: ignore[return-value]


def _minimum(shaper: Any, field: dataclasses.Field[Any], kind: Kind) -> int | None:
    if kind != "int":
        return None
    if "minimum" in field.metadata:
        return int(field.metadata["minimum"])
    taken = [number for number in (-1, 0, 1) if _takes(shaper, field.name, number)]
    return taken[0] if taken and taken[0] >= 0 else None


def _takes(shaper: Any, name: str, number: int) -> bool:
    try:
        dataclasses.replace(shaper, **{name: number})
    except (TypeError, ValueError):
        return False
    return True
