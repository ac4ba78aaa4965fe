"""Shapers on a magic line: reading what `use` is given.

Names and literals only: nothing of the line is evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import opencollab_nb
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping.policies import POLICIES


def shaper_names() -> list[str]:
    """The shipped shapers, as they are written on a line."""
    return [name for name in opencollab_nb.__all__ if name.endswith("Shaper")]


def read_chain(texts: Sequence[str], user_names: Mapping[str, Any]) -> list[Any]:
    """What `session.use` is to be called with.

    One policy name, or shapers one after another: a shipped shaper with or without arguments
    (`ToolOutputClearShaper(keep_recent=3)`), or a Python name of the notebook.

    Raises:
        UsageProblem: no words, arguments that are no literals.
        UnknownName: neither a policy nor a shaper nor a name of the notebook.

    >>> read_chain(["ToolOutputClearShaper(keep_recent=3)"], {})[0].keep_recent
    3
    """
    if not texts:
        raise UsageProblem(
            "use what? A policy (%oc use summarize), shapers (%oc use OldHistorySnipShaper) or a Python name"
        )
    if len(texts) == 1 and texts[0] in POLICIES:
        return [texts[0]]
    return [_one(text, user_names) for text in texts]


def _one(text: str, user_names: Mapping[str, Any]) -> Any:
    tree = _parsed(text)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        made = _named(tree.func.id, user_names)
        if not callable(made):
            raise UsageProblem(f"{tree.func.id} is no shaper class")
        return _made(made, tree, text)
    if isinstance(tree, ast.Name):
        found = _named(tree.id, user_names)
        return _made(found, None, text) if isinstance(found, type) else found
    raise UsageProblem(f"use takes a policy, shapers with literal arguments or a Python name, not {text!r}")


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise UsageProblem(
            f"use takes a policy, shapers with literal arguments or a Python name, not {text!r}"
        ) from None


def _named(name: str, user_names: Mapping[str, Any]) -> Any:
    if name in user_names:
        return user_names[name]
    if name in shaper_names():
        return getattr(opencollab_nb, name)
    raise UnknownName("policy or shaper", name, [*POLICIES, *shaper_names()])


def _made(shaper: Any, call: ast.Call | None, text: str) -> Any:
    try:
        positional = [ast.literal_eval(a) for a in call.args] if call else []
        named = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords} if call else {}
        if "None" in named:
            raise ValueError("** on a line")
    except ValueError:
        raise UsageProblem(
            f"the arguments in {text} must be Python literals such as 3, 'text' or [1, 2]"
        ) from None
    _check_fields(shaper, named)
    try:
        return shaper(*positional, **named)
    except (TypeError, ValueError) as problem:
        raise UsageProblem(f"{text}: {problem}") from None


def _check_fields(shaper: Any, named: Mapping[str, Any]) -> None:
    if not is_dataclass(shaper):
        return
    known = [f.name for f in fields(shaper) if f.init]
    for name in named:
        if name not in known:
            raise UnknownName(f"setting of {getattr(shaper, '__name__', shaper)}", name, known)
