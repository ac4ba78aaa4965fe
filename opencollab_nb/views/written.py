"""Code of the notebook under a name: a cell's body is run, and what it defines is looked at and kept."""

from __future__ import annotations
import __future__ as future

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.shaping import acts_of

SIGNATURES = {"shaper": "messages, pressure", "summarizer": "request"}
VERBS = {"shaper": "shape", "summarizer": "summarize"}
_MISSING = object()


@dataclass(frozen=True)
class Written:
    """A shaper or summarizer that was written in a cell."""

    kind: str
    """`shaper` or `summarizer`."""
    name: str
    body: str
    """The cell's body as it was typed."""
    is_python: bool
    """False where the body holds lines for IPython, such as `!ls`: it is no module then."""
    part: Any
    """What a session can use: a function, or an object made with the defaults of its class."""
    annotations: bool = False
    """True where annotations were not looked at, as after `from __future__ import annotations`."""


def define(shell: Any, kind: str, name: str, body: str) -> Written:
    """Run the body in the notebook; NAME is what it defines. A body that fails leaves the former one.

    Raises:
        UsageProblem: the body does not define the name, or something that cannot be used under it.
        Exception: what the body raised.
    """
    former = shell.user_ns.pop(name, _MISSING)
    source = shell.transform_cell(body)
    try:
        code = shell.compile(source, shell.compile.cache(source), "exec")
        exec(code, shell.user_ns)  # noqa: S102 - the user's cell
        part = part_of(kind, name, shell.user_ns.get(name, _MISSING))
    except BaseException:
        if former is not _MISSING:
            shell.user_ns[name] = former
        raise
    flag = future.annotations.compiler_flag
    lazy = bool((shell.compile.flags | code.co_flags) & flag)
    return Written(kind, name, body, source.strip() == body.strip(), part, lazy)


def part_of(kind: str, name: str, made: Any) -> Any:
    """What can be used of the thing a body has defined.

    Raises:
        UsageProblem: nothing can; it says what would.

    >>> def keep(messages, pressure): return messages
    >>> part_of("shaper", "keep", keep) is keep
    True
    """
    signature, verb = SIGNATURES[kind], VERBS[kind]
    wanted = f"def {name}({signature}): ..., or a class {name} with {verb}(self, {signature})"
    if made is _MISSING:
        raise UsageProblem(f"the body does not define {name!r}: {wanted}")
    if isinstance(made, type):
        if not callable(getattr(made, verb, None)):
            raise UsageProblem(f"the class {name} has no {verb}(self, {signature})")
        made = _made(name, made)
    call = getattr(made, verb, made)
    if not callable(call):
        raise UsageProblem(f"{name} is a {type(made).__name__} and no {kind}: {wanted}")
    _check_call(name, call, signature)
    if kind == "shaper":
        acts_of(made)
    return made


def _made(name: str, kind: type) -> Any:
    needed = [
        f.name
        for f in (fields(kind) if is_dataclass(kind) else ())
        if f.init and f.default is MISSING and f.default_factory is MISSING
    ]
    if needed:
        raise UsageProblem(
            f"{name} needs {', '.join(needed)}: give each field a default, so that it can be tried as it is"
        )
    try:
        return kind()
    except TypeError as problem:
        raise UsageProblem(f"{name}() cannot be made without arguments: {problem}") from None


def _check_call(name: str, call: Callable[..., Any], signature: str) -> None:
    try:
        inspect.signature(call).bind(*signature.split(", "))
    except TypeError as problem:
        raise UsageProblem(
            f"{name} is called with ({signature}), which it does not take: {problem}"
        ) from None
    except ValueError:  # a builtin that does not tell its signature
        return
    if inspect.iscoroutinefunction(call):
        raise UsageProblem(f"{name} is `async`: shapers and summarizers are plain functions")
