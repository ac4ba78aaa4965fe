"""A team as written text: read whole, all faults at once, each with its line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from opencollab_nb.errors import SpecificationError, UsageProblem
from opencollab_nb.policy import Policy
from opencollab_nb.team.allowances import allowed_at
from opencollab_nb.team.edges import topology_at
from opencollab_nb.team.faults import Faults
from opencollab_nb.team.nodes import MOST_CHARS, composed, represented
from opencollab_nb.team.parts import model_at, policy_at
from opencollab_nb.team.reading import Entry, Place, entries, known_entries, text_at, unknown, whole_at
from opencollab_nb.team.roles import ROLES_EXAMPLE, check_names, role_at
from opencollab_nb.team.roster import TeamSpec, Topology
from opencollab_nb.team.shipped import shipped
from opencollab_nb.workspace.schemas import TOOLS

KEYS = (
    *("name", "entry", "task", "roles", "topology", "context", "budget"),
    *("model", "window", "max_steps", "project"),
)
LEAST_WINDOW_TOKENS = 1_024
_HERE = "the team"


def read_team(
    given: TeamSpec | Mapping[str, Any] | Path | str, *, tools: Collection[str] | None = None
) -> TeamSpec:
    r"""The team that a file, a text or a mapping declares.

    Endpoints, keys, workspaces and what the shell may do are never taken from a file: they are given in code.

    Args:
        given: the path of a YAML file, its text (more than one line), the name of a shipped team, or a
            mapping with the same keys; a `TeamSpec` is given back as it is.
        tools: names of the tools that roles may be given; None for those of a `Workspace`.

    Raises:
        SpecificationError: (a ValueError) all faults of the file at once, each with its line and the
            nearest thing that would be right.

    >>> team = read_team("entry: solo\nroles:\n  solo: {prompt: You fix bugs.}")
    >>> team.entry, team.names, team.declared
    ('solo', ('solo',), True)
    >>> read_team("entry: sola\nroles:\n  solo: {promt: You fix bugs.}")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.SpecificationError: the team: 3 faults
    - line 1, entry: unknown role 'sola'; did you mean 'solo'? Known: solo
    - line 3, roles.solo: no prompt: say who this member is and how it works
    - line 3, roles.solo: unknown key 'promt'; did you mean 'prompt'? Known: ...
    """
    if isinstance(given, TeamSpec):
        return given
    root, source = _root(given)
    faults = Faults(source)
    spec = _team(Place(root, "", faults), tuple(TOOLS if tools is None else tools))
    faults.check()
    return spec


def _root(given: Mapping[str, Any] | Path | str) -> tuple[Any, str]:
    """The node of the whole, and what messages call it."""
    if isinstance(given, Mapping):
        root, source = represented(dict(given), _HERE), _HERE
    elif isinstance(given, str) and "\n" in given:
        root, source = composed(given, _HERE), _HERE
    elif isinstance(given, str | Path):
        path = shipped().get(str(given)) or Path(given).expanduser()
        root, source = composed(_read(path), path.name), path.name
    else:
        raise UsageProblem(f"{given!r} is no team: give the path of a YAML file, its text, or a mapping")
    if root is None:
        raise SpecificationError(f"{source}: nothing stands in it; a team has `entry:` and `roles:`")
    return root, source


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MOST_CHARS + 1)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise SpecificationError(
            f"team file {path} cannot be read: {error}. Teams that come with the house: "
            f"{', '.join(sorted(shipped()))}"
        ) from error


def _team(top: Place, tools: Collection[str]) -> TeamSpec:
    """The team, as far as it could be read: faults say whether it may be used."""
    found = {key: e.value for key, e in known_entries(top, KEYS, f"{{entry: lead, {ROLES_EXAMPLE}}}").items()}
    texts = {key: text_at(found[key]) for key in ("name", "task", "project") if key in found}
    named = _named(top, found.get("roles"))
    read = {name: role_at(entry, tools) for name, entry in named.items()}
    budgets = {name: budget for name, (_, budget) in read.items() if budget is not None}
    allowed = allowed_at(top, found.get("budget"), named, budgets)
    return TeamSpec(
        _entry(top, found.get("entry"), tuple(named)),
        tuple(replace(role, budget_tokens=allowed.own.get(name)) for name, (role, _) in read.items()),
        topology_at(found["topology"], tuple(named)) if "topology" in found else Topology(),
        (policy_at(found["context"]) if "context" in found else None) or Policy(),
        allowed.each_tokens,
        allowed.pool_tokens,
        name=texts.get("name") or "team",
        task=texts.get("task"),
        project=texts.get("project") or "",
        model=model_at(found["model"]) if "model" in found else None,
        window=_limit(found.get("window"), LEAST_WINDOW_TOKENS, "tokens", 64_000),
        max_steps=_limit(found.get("max_steps"), 1, "steps", 40),
    )


def _named(top: Place, roles: Place | None) -> dict[str, Entry]:
    if roles is None:
        top.wrong(f"no roles: {ROLES_EXAMPLE}")
        return {}
    named = entries(roles, ROLES_EXAMPLE)
    if not named:
        roles.wrong(f"a team has at least one role: {ROLES_EXAMPLE}")
    check_names(roles, named.values())
    return named


def _entry(top: Place, place: Place | None, names: tuple[str, ...]) -> str:
    """The role that gets the task; the only role, where the file names none."""
    if place is None:
        if len(names) > 1:
            top.wrong(f"no entry: which role gets the task? entry: {names[0]}")
        return names[0] if names else ""
    name = text_at(place)
    if name is not None and names and name not in names:
        place.wrong(unknown("role", name, names))
    return name or ""


def _limit(place: Place | None, least: int, unit: str, example: int) -> int | None:
    return None if place is None else whole_at(place, least, unit, example)
