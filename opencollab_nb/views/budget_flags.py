"""The flags of `%agent` for the four moves: a context budget, and a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.lines import COUNT, TEXT, Flag

QUOTAS = ("default", "log_heavy", "code_heavy")
MOVES = ("offload", "compact", "restate", "memory")
DEFAULT_STORE = "default"

BUDGET_FLAGS = (
    Flag(
        "--quotas",
        "QUOTAS",
        "a context budget with the four moves: default, log_heavy, code_heavy, or the Python name of a "
        "ContextBudget",
        TEXT,
        lambda: QUOTAS,
    ),
    Flag("--moves", "MOVES", "those it makes, parted by commas; else all", TEXT, lambda: MOVES),
    Flag("--restate-every", "N", "steps between two restatements of direction and todos", COUNT),
    Flag(
        "--memory",
        "STORE",
        "what is remembered across sessions: default (the user's own), a file, or the Python name of a "
        "MemoryStore",
        TEXT,
        lambda: (DEFAULT_STORE,),
    ),
)
_OF_BUDGET = {"moves": "--moves", "restate_every": "--restate-every"}


def budgeted(options: Mapping[str, Any], user_names: Mapping[str, Any], window: int | None) -> dict[str, Any]:
    """The arguments of a session that these flags ask for: `budget`, `memory`.

    Args:
        options: values of the flags, by name without dashes.
        user_names: the notebook's Python names.
        window: tokens of the context window, where it is given; the quotas are shares of it.

    Raises:
        UnknownName: no such quotas or moves, and no such Python name.
        UsageProblem: flags that do not go together.
    """
    found: dict[str, Any] = {}
    asked = {name: options[name] for name in _OF_BUDGET if options.get(name) is not None}
    quotas = options.get("quotas") or None
    own = user_names.get(quotas or "")
    if hasattr(own, "build_restatement"):
        if asked:
            raise UsageProblem(f"{_OF_BUDGET[next(iter(asked))]} is set in {quotas} already: leave it out")
        found["budget"] = own
    elif quotas is not None or asked:
        found["budget"] = _made(quotas or QUOTAS[0], asked, window)
    if memory := options.get("memory"):
        found["memory"] = memory_named(memory, user_names)
    return found


def _made(quotas: str, asked: dict[str, Any], window: int | None) -> Any:
    from opencollab_nb.budget import ContextBudget

    if quotas not in QUOTAS:
        raise UnknownName("quotas (and no ContextBudget of that Python name)", quotas, QUOTAS)
    if "moves" in asked:
        asked = {**asked, "moves": _moves(asked["moves"])}
    if window is not None:
        asked = {**asked, "total_budget": window}
    return ContextBudget(quotas=quotas, **asked)


def _moves(text: str) -> frozenset[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in MOVES:
            raise UnknownName("move", name, MOVES)
    return frozenset(names)


def memory_named(name: str, user_names: Mapping[str, Any]) -> Any:
    """A store of the notebook by its Python name, else the one in that file; `default` for the user's own.

    Raises:
        UsageProblem: the file cannot be used.
    """
    found = user_names.get(name)
    if hasattr(found, "remember"):
        return found
    from opencollab_nb.budget import MemoryStore

    return MemoryStore(None if name == DEFAULT_STORE else name)
