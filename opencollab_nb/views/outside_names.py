"""What code of a cell uses of the notebook, written so that it stands in a module of its own."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import re
import symtable
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from opencollab_nb.errors import UsageProblem

MODULE_NAMES = frozenset({"__name__", "__file__", "__doc__", "__builtins__"})
MOST_CONSTANT_CHARS = 2_000


class Needs:
    """Imports and definitions that come before the code, in an order in which they work.

    Args:
        user_names: the notebook's names.

    Raises:
        UsageProblem: (from `add`) the code uses a thing that cannot be written down; it is named.
    """

    def __init__(self, user_names: Mapping[str, Any]) -> None:
        self._user_names = user_names
        self._done: set[str] = set()
        self.imports: list[str] = []
        self.definitions: list[str] = []

    def add(self, code: str) -> None:
        """All that this code uses and does not define."""
        for name in used_names(code):
            if name in self._done or name in MODULE_NAMES:
                continue
            self._done.add(name)
            if name in self._user_names:
                self._write(name, self._user_names[name])
            elif not hasattr(builtins, name):
                raise UsageProblem(f"the code uses {name!r}, which the notebook does not have")

    def _write(self, name: str, value: Any) -> None:
        if (line := import_of(name, value)) is not None:
            self.imports.append(line)
        elif (source := source_of(name, value)) is not None:
            self.add(source)
            self.definitions.append(source)
        elif (text := constant(value)) is not None:
            if isinstance(value, re.Pattern):
                self.imports.append("import re")
            self.definitions.append(f"{name} = {text}")
        else:
            raise UsageProblem(
                f"the code uses {name!r} of the notebook, a {type(value).__name__} that cannot be written "
                "into a module: define it in the same cell, or import it"
            )


def used_names(code: str) -> list[str]:
    r"""The global names that code reads and does not bind at its top level, in order.

    >>> used_names("import re\ndef f(x):\n    return re.sub(A, g(x), B)")
    ['A', 'g', 'B']
    """
    table = symtable.symtable(code, "<cell>", "exec")
    bound = {
        s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()
    }
    read = {name for scope in _scopes(table) for name in _globals_of(scope)} - bound
    names = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name))
    ordered = sorted(names, key=lambda node: (node.lineno, node.col_offset))
    return [name for name in dict.fromkeys(node.id for node in ordered) if name in read]


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _globals_of(scope: symtable.SymbolTable) -> Iterator[str]:
    top = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or (top and not symbol.is_assigned())):
            yield symbol.get_name()


def import_of(name: str, value: Any) -> str | None:
    """The line that imports this value under this name in any process; None where there is none.

    >>> import re
    >>> import_of("re", re), import_of("sub", re.sub), import_of("d", {})
    ('import re', 'from re import sub', None)
    """
    if isinstance(value, ModuleType):
        if value.__name__ == "__main__":
            return None
        parent, _, last = value.__name__.rpartition(".")
        if parent and last == name:
            return f"from {parent} import {name}"
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    module, qualified = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    for home, own in ((module, qualified), *((m, name) for m in _package_of(module))):
        if isinstance(home, str) and isinstance(own, str) and _has(home, own, value):
            return f"from {home} import {own}" + ("" if own == name else f" as {name}")
    return None


def _package_of(module: Any) -> list[str]:
    """The top package of a module, where a thing is often to be had under a shorter path."""
    return [module.partition(".")[0]] if isinstance(module, str) and "." in module else []


def _has(module: str, name: str, value: Any) -> bool:
    if module == "__main__" or not name.isidentifier():
        return False
    try:
        return getattr(sys.modules.get(module) or import_module(module), name, None) is value
    except ImportError:
        return False


def source_of(name: str, value: Any) -> str | None:
    """The source of a function or class that a cell defined under this name."""
    if (
        not isinstance(value, (type, FunctionType))
        or value.__module__ != "__main__"
        or value.__name__ != name
    ):
        return None
    if isinstance(value, FunctionType):
        try:
            source = inspect.getsource(value)
        except (OSError, TypeError):
            return None
        return inspect.cleandoc(source) if source[:1].isspace() else source.rstrip()
    return _class_source(name, value)


def _class_source(name: str, kind: type) -> str | None:
    """The source of a class: `inspect` looks for it in a file, and a cell has none."""
    methods = [m for m in vars(kind).values() if isinstance(m, FunctionType)]
    for path in {m.__code__.co_filename for m in methods}:
        text = "".join(linecache.getlines(path))
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return None


def constant(value: Any) -> str | None:
    """The value as Python that makes an equal one; None where there is none, or it is long."""
    if isinstance(value, re.Pattern):
        flags = value.flags & ~re.UNICODE
        return f"re.compile({value.pattern!r}" + (f", {int(flags)})" if flags else ")")
    if isinstance(value, frozenset):
        inner = constant(set(value)) if value else ""
        return None if inner is None else f"frozenset({inner})"
    text = repr(value)
    try:
        same = len(text) <= MOST_CONSTANT_CHARS and ast.literal_eval(text) == value
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return text if same else None
