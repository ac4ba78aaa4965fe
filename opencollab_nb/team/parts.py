"""The parts of a team file that the whole team and each role may have: model, context policy, budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.errors import SpecificationError
from opencollab_nb.policy import Policy
from opencollab_nb.team.nodes import is_scalar, shown, value_of
from opencollab_nb.team.reading import Entry, Place, entries, known_entries, text_at, whole_at

MOST_TEMPERATURE = 2.0
"""The range of chat endpoints."""
_POLICY_EXAMPLE = "{policy: summarize, tool_result_budget: 8000}"


def model_at(place: Place) -> str | None:
    """The name of a model; an address is none."""
    name = text_at(place)
    if name is not None and "://" in name:
        place.wrong(
            "an endpoint is never taken from a file: give model=OpenAIModel(..., base_url=...) in code"
        )
        return None
    return name


def temperature_at(place: Place) -> float | None:
    """A number from 0 to 2."""
    value = value_of(place.node)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TEMPERATURE:
        return float(value)
    place.wrong(f"{shown(place.node)} is no number from 0 to {MOST_TEMPERATURE:g}, such as 0.2")
    return None


def policy_at(place: Place) -> Policy | None:
    """A context policy, by its name or with its numbers; each fault at its own key."""
    if is_scalar(place.node):
        name = value_of(place.node)
        return _policy(place, place.node, {"policy": name if name is None else str(name)})
    found = entries(place, f"`default` or {_POLICY_EXAMPLE}")
    values = {key: value_of(entry.value.node) for key, entry in found.items()}
    faults = len(place.faults)
    for key, value in values.items():
        _policy(place, found[key].key, {key: value})
    return Policy(**values) if len(place.faults) == faults and found else None


def _policy(place: Place, node: Any, values: Mapping[str, Any]) -> Policy | None:
    try:
        return Policy.from_mapping(values)
    except SpecificationError as problem:
        place.wrong(str(problem), node)
        return None


def tokens_at(place: Place, *, pool: bool) -> dict[str, tuple[Entry, int | None]]:
    """What a `budget` says: `tokens` for each seat, at the top also `pool` for all, with the keys' nodes."""
    if isinstance(value_of(place.node), int):
        place.wrong(f"{shown(place.node)} of what? budget: {{tokens: {value_of(place.node)}}}")
        return {}
    found = known_entries(place, ("tokens", "pool") if pool else ("tokens",), "{tokens: 60000}")
    return {key: (entry, whole_at(entry.value, 1, "tokens", 60_000)) for key, entry in found.items()}
