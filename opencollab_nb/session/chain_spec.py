"""A chain of shapers as plain data, so that a resumed run can have the same one.

Only names and plain field values are written. A shaper or summarizer that lives in a notebook cell
or a script cannot be imported by another process; its name is kept, so that it can be asked for.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench

Spec = dict[str, Any]
PLAIN = (str, int, float, bool, type(None))
HIDDEN = "<hidden>"
"""Before the name of a function whose module has another one, or none, of that name."""
HERE_ONLY = ("__main__", "<locals>", "<lambda>", HIDDEN)
"""Parts of names that mean nothing in another process."""


class CannotImport(UsageProblem):
    """A part of a chain that this process does not have; `str()` names it."""


class NoSummarizer(str):
    """Names a summarizer that this process does not have; its layer is in the chain, and is off."""


def describe_chain(pipeline: ShaperPipeline) -> list[Spec]:
    """The shapers in order, as plain data."""
    return [describe(shaper) for shaper in pipeline.shapers]


def describe(part: Any) -> Spec:
    """One shaper or summarizer: a class with its fields, or a function by name.

    >>> from opencollab_nb.shaping import OldHistorySnipShaper
    >>> describe(OldHistorySnipShaper())["fields"]
    {'keep_recent_groups': 4}
    """
    if inspect.isfunction(part) or inspect.isbuiltin(part):
        name = name_of(part)
        return {"shaper": name if _stands_for(name, part) else f"{HIDDEN}:{name}", "fields": None}
    fields: dict[str, Any] = {}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = {f.name: _plain(getattr(part, f.name)) for f in dataclasses.fields(part) if f.init}
    elif _holds_something(part):
        fields = {"": {"object": name_of(type(part))}}
    return {"shaper": name_of(type(part)), "fields": fields}


def key_of(spec: Spec) -> str:
    """A text that is the same for the same spec."""
    return json.dumps(spec, sort_keys=True)


def remember_parts(bench: Bench) -> None:
    """Keep the parts now in force, so that a fork has those that cannot be imported too."""
    for part in (*bench.chain.shapers, bench.summarizer):
        if part is not None:
            bench.seen[key_of(describe(part))] = part


def name_of(thing: Any) -> str:
    """`module:qualified name`."""
    return f"{getattr(thing, '__module__', '?')}:{getattr(thing, '__qualname__', type(thing).__qualname__)}"


def _stands_for(name: str, part: Any) -> bool:
    """True unless another process would find something else by this name."""
    if any(mark in name for mark in HERE_ONLY):
        return True
    try:
        return _imported(name) is part
    except CannotImport:
        return False


def _holds_something(part: Any) -> bool:
    if getattr(part, "__dict__", None):
        return True
    return any(vars(kind).get("__slots__") for kind in type(part).__mro__)


def _plain(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(v, PLAIN) for v in value):
        return list(value)
    if isinstance(value, (set, frozenset)) and all(isinstance(v, PLAIN) for v in value):
        return sorted(value, key=repr)
    if hasattr(value, "reply"):
        return {"model": str(getattr(value, "label", None) or type(value).__name__)}
    return {"part": describe(value)}


def restore_chain(
    specs: Iterable[Spec], *, model: Any = None, given: Mapping[str, Any] | None = None
) -> tuple[ShaperPipeline, list[str]]:
    """The chain, and the names of those parts that could not be had again.

    Shapers are left out; a compacting layer that lacks only its summarizer is there, and off.

    Args:
        specs: from `describe_chain`.
        model: stands where a part held a model; a file never says which.
        given: parts by name that the caller has at hand.
    """
    return restored(specs, lambda spec: restore(spec, model=model, given=given))


def restored(specs: Iterable[Spec], made: Callable[[Spec], Any]) -> tuple[ShaperPipeline, list[str]]:
    """Like `restore_chain`, where `made` gives each part or raises `CannotImport`."""
    shapers, missing = [], []
    for spec in specs:
        try:
            shapers.append(made(spec))
        except CannotImport as problem:
            layer = _turned_off(spec)
            shapers += [] if layer is None else [layer]
            missing.append(str(problem) if layer is None else NoSummarizer(problem))
    return ShaperPipeline(*shapers), missing


def _turned_off(spec: Spec) -> AutoCompactShaper | None:
    """The compacting layer without its summarizer; None for what cannot be had for another reason."""
    fields = spec.get("fields")
    if not fields or fields.get("summarizer") is None:
        return None
    try:
        layer = restore({**spec, "fields": {**fields, "summarizer": None}})
    except CannotImport:
        return None
    return layer if isinstance(layer, AutoCompactShaper) else None


def lacks_shapers(missing: Iterable[str]) -> bool:
    """True where whole layers are missing, and not only summarizers."""
    return not all(isinstance(name, NoSummarizer) for name in missing)


def how_to_fill(missing: Iterable[str]) -> str:
    """What to do about missing parts."""
    if not lacks_shapers(missing):
        return "Give a summarizer with use_summarizer(...), or choose another chain with use(...)"
    return "Give the chain again with use(...), or choose a policy: use('default')"


def check_filled(missing: Iterable[str]) -> None:
    """Refuse to go on without them.

    Raises:
        UsageProblem: some are missing; they are named.
    """
    if missing:
        raise UsageProblem(f"this process does not have {'; '.join(missing)}. {how_to_fill(missing)}")


def restore(spec: Spec, *, model: Any = None, given: Mapping[str, Any] | None = None) -> Any:
    """One part.

    Raises:
        CannotImport: it is not to be had in this process.
    """
    name, fields = str(spec.get("shaper")), spec.get("fields")
    if given and name in given:
        return given[name]
    found = _imported(name)
    if fields is None:
        if not inspect.isfunction(found):
            raise CannotImport(f"{name} (no function)")
        return found
    if not (isinstance(found, type) and (dataclasses.is_dataclass(found) or not fields) and _acts(found)):
        raise CannotImport(f"{name} (no shaper)")
    if "" in fields:
        raise CannotImport(f"{name} (an object whose making is not known)")
    values = {key: _value(found, key, value, model, given) for key, value in fields.items()}
    try:
        return found(**values)
    except (TypeError, UsageProblem) as problem:
        raise CannotImport(f"{name} ({problem})") from problem


def _value(
    owner: Callable[..., Any], key: str, value: Any, model: Any, given: Mapping[str, Any] | None
) -> Any:
    if isinstance(value, dict) and "model" in value:
        if model is None:
            raise CannotImport(
                f"{owner.__qualname__}.{key} (the model {value['model']!r}; give one with model=)"
            )
        return model
    if isinstance(value, dict) and "part" in value:
        return restore(value["part"], model=model, given=given)
    default = next((f.default for f in dataclasses.fields(owner) if f.name == key), None)  # type: ignore[arg-type]
    return type(default)(value) if isinstance(default, (tuple, frozenset)) else value


def _acts(kind: type) -> bool:
    """True for a class whose objects can be a shaper or a summarizer."""
    return any(name in vars(base) for base in kind.__mro__ for name in ("shape", "summarize", "__call__"))


def _imported(name: str) -> Any:
    module_name, _, path = name.partition(":")
    if not path or any(part in name for part in HERE_ONLY):
        where = "behind a decorator" if HIDDEN in name else "in a notebook cell, a script or a function"
        raise CannotImport(f"{path or name} (made {where})")
    try:
        found: Any = import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as problem:  # a module of the user's may raise anything at its import
        raise CannotImport(f"{name} ({type(problem).__name__}: {problem})") from problem
    return found
