"""The grid of a sweep: chains × values of their parameters × windows × models × modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Any

from opencollab_nb.compare.chains import chains_of, trial_of
from opencollab_nb.compare.table import modes_of
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping import name_of

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """One chain with one value for each of its parameters."""

    chain: str
    """The name of the chain it was made from."""
    shapers: tuple[Any, ...]
    values: Values = field(default_factory=lambda: MappingProxyType({}))
    """The parameters that were set, by name."""
    target_ratio: float | None = None


@dataclass(frozen=True)
class Grid:
    """What a sweep goes through: every combination of what stands here.

    Args:
        shapers: the chains, as `compare` takes them.
        parameters: values by field name, `keep_recent`, or by shaper and field,
            `ToolOutputClearShaper.keep_recent`. A chain without such a field is taken once, as it is.
        windows: context windows in tokens; None for that of the transcript or of the model.
        models: whose tokens, windows and prices to take; None for those of the transcript.
        modes: `sticky`, `stateless`, or both.

    Raises:
        UsageProblem: (a ValueError) something that is no chain; a parameter that no chain has, a value that
            its shaper refuses, or nothing to choose from.

    >>> grid = Grid(["default", "no_history_compaction"], {"keep_recent": [3, 5]}, windows=[16_000, 32_000])
    >>> [(v.chain, dict(v.values)) for v in grid.variants()]
    [('default', {'keep_recent': 3}), ('default', {'keep_recent': 5}), ('no_history_compaction', {})]
    >>> len(list(grid.settings()))
    6
    """

    shapers: Any
    parameters: Mapping[str, Sequence[Any]] = field(default_factory=lambda: MappingProxyType({}))
    windows: Sequence[int | None] = (None,)
    models: Sequence[str | None] = (None,)
    modes: Sequence[str] = ("sticky",)

    def __post_init__(self) -> None:
        for name in ("windows", "models", "modes"):
            object.__setattr__(self, name, several(getattr(self, name), name))
        modes_of(self.modes)
        for window in self.windows:
            if window is not None and (type(window) is not int or window < 1):
                raise UsageProblem(f"window {window!r}: give a whole number of tokens, or None")
        for name, values in self.parameters.items():
            several(values, f"parameters[{name!r}]")
        made = self.variants()
        for name in self.parameters:
            if not any(name in variant.values for variant in made):
                raise UnknownName("parameter", name, self._known_parameters())

    def variants(self) -> list[Variant]:
        """Every chain with every combination of values for the parameters that it has."""
        return [v for name, chain in chains_of(self.shapers).items() for v in self._variants_of(name, chain)]

    def settings(self) -> Iterator[tuple[Variant, str, int | None, str | None]]:
        """Every combination: variant, mode, window and model."""
        yield from product(self.variants(), self.modes, self.windows, self.models)

    def _variants_of(self, name: str, chain: Any) -> Iterator[Variant]:
        tried = trial_of(chain, "sticky")
        shapers, target = tried.chain.shapers, tried.target_ratio
        own = [key for key in self.parameters if any(has(shaper, key) for shaper in shapers)]
        for values in product(*(several(self.parameters[key], key) for key in own)):
            chosen = dict(zip(own, values, strict=True))
            yield Variant(name, tuple(_with(s, chosen) for s in shapers), MappingProxyType(chosen), target)

    def _known_parameters(self) -> list[str]:
        shapers: list[Any] = [
            s for c in chains_of(self.shapers).values() for s in trial_of(c, "sticky").chain.shapers
        ]
        known = [f"{name_of(s)}.{f.name}" for s in shapers if is_dataclass(s) for f in fields(s) if f.init]
        return list(dict.fromkeys(known)) or ["none: these chains have no fields"]


def grid_of(given: Any) -> Grid:
    """A grid, one made of a mapping with its fields, or of chains alone.

    Raises:
        UsageProblem: (a ValueError) a key that is none of its fields; what `Grid` refuses.

    >>> grid_of({"shapers": "default", "windows": 16_000}).windows
    (16000,)
    """
    if isinstance(given, Grid):
        return given
    names = [f.name for f in fields(Grid)]
    if isinstance(given, Mapping) and "shapers" in given:
        for key in given:
            if key not in names:
                raise UnknownName("part of a grid", key, names)
        return Grid(**given)
    if isinstance(given, Mapping) and any(key in names for key in given):
        raise UsageProblem(f"this grid has no 'shapers', only {', '.join(map(str, given))}: name the chains")
    return Grid(given)


def several(given: Any, name: str) -> tuple[Any, ...]:
    """One value or several, as a tuple.

    Raises:
        UsageProblem: (a ValueError) none.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | set | frozenset | range):
        return (given,)
    if not given:
        raise UsageProblem(f"{name} is empty: give at least one value")
    return tuple(given)


def has(shaper: Any, parameter: str) -> bool:
    """True where a shaper has this field, named with the shaper or without."""
    owner, _, name = parameter.rpartition(".")
    if owner not in ("", name_of(shaper)) or not is_dataclass(shaper):
        return False
    return any(f.name == name and f.init for f in fields(shaper))


def _with(shaper: Any, values: Values) -> Any:
    """The shaper with the values that are meant for it."""
    own = {key.rpartition(".")[2]: value for key, value in values.items() if has(shaper, key)}
    try:
        return replace(shaper, **own) if own else shaper
    except (TypeError, ValueError) as problem:
        given = ", ".join(f"{key}={value!r}" for key, value in own.items())
        raise UsageProblem(f"{name_of(shaper)} refuses {given}: {problem}") from problem
