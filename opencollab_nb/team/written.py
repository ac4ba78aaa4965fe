"""A team as plain data, in the form of its file: what a run's record opens with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from opencollab_nb.policy import Policy
from opencollab_nb.team.roster import Edge, Role, TeamSpec

_ROLE_KEYS = ("prompt", "model", "temperature", "skill")


def as_data(spec: TeamSpec) -> dict[str, Any]:
    """The team as `read_team` takes it; what was not given is left out.

    >>> data = as_data(TeamSpec("solo", (Role("solo", "You fix bugs.", tools=()),), shared_tokens=9_000))
    >>> data["budget"], data["roles"]
    ({'pool': 9000}, {'solo': {'prompt': 'You fix bugs.', 'tools': []}})
    """
    topology = {
        kind: _by_source(edges)
        for kind, edges in (("spawn", spec.topology.spawn), ("message", spec.topology.message))
        if edges
    }
    budget = {
        key: tokens
        for key, tokens in (("tokens", spec.budget_tokens), ("pool", spec.shared_tokens))
        if tokens is not None
    }
    data: dict[str, Any] = {"name": spec.name, "entry": spec.entry}
    if spec.context != Policy():
        data["context"] = asdict(spec.context)
    for key in ("task", "model", "window", "max_steps"):
        if getattr(spec, key) is not None:
            data[key] = getattr(spec, key)
    if spec.project:
        data["project"] = spec.project
    if budget:
        data["budget"] = budget
    data["roles"] = {role.name: _role(role) for role in spec.roles}
    return data | ({"topology": topology} if topology else {})


def _role(role: Role) -> dict[str, Any]:
    data: dict[str, Any] = {
        key: value for key in _ROLE_KEYS if (value := getattr(role, key)) not in (None, "")
    }
    if role.tools is not None:
        data["tools"] = list(role.tools)
    if role.budget_tokens is not None:
        data["budget"] = {"tokens": role.budget_tokens}
    return data | ({} if role.context is None else {"context": asdict(role.context)})


def _by_source(edges: Iterable[Edge]) -> dict[str, list[str]]:
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        targets[source].append(target)
    return dict(targets)
