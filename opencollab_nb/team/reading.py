"""Reading one node: the value where it is right, a fault where it is not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from opencollab_nb.errors import nearest
from opencollab_nb.team.faults import MOST_FAULTS, Faults
from opencollab_nb.team.nodes import is_scalar, shortened, shown, value_of

MOST_KNOWN = 60
"""Known names that a message lists."""
NEVER = {
    **dict.fromkeys(("api_key", "key", "token", "secret", "secrets", "password"), "secrets={...}"),
    **dict.fromkeys(("base_url", "endpoint", "url", "host"), "model=OpenAIModel(..., base_url=...)"),
    **dict.fromkeys(("workspace", "path", "folder", "cwd"), "workspace=..."),
    "shell": "workspace=Workspace(..., shell=...)",
}
"""What a file says of these counts for nothing, and where it is given in code instead."""


class Place(NamedTuple):
    """A node, where it stands, and where its faults go."""

    node: Any
    path: str
    """Keys on the way there, such as `roles.coder`; empty for the top."""
    faults: Faults

    def at(self, key: str, node: Any) -> Place:
        """The place of a value below this one."""
        return Place(node, f"{self.path}.{key}" if self.path else key, self.faults)

    def wrong(self, says: str, node: Any = None) -> None:
        """Note a fault here, or at a node below."""
        self.faults.add(node or self.node, self.path, says)


class Entry(NamedTuple):
    """A key of a mapping, as a node, and the place of its value."""

    key: Any
    value: Place


def entries(place: Place, example: str) -> dict[str, Entry]:
    """The keys of a mapping with their values; empty, and a fault, for anything else.

    Args:
        place: where it stands.
        example: what a message gives as one.
    """
    import yaml

    if not isinstance(place.node, yaml.MappingNode):
        place.wrong(f"{shown(place.node)} stands where a mapping should, such as {example}")
        return {}
    found: dict[str, Entry] = {}
    for key, value in place.node.value:
        if not is_scalar(key):
            place.wrong("a key is one word", key)
        elif key.value in found:
            place.wrong(f"the key {shortened(key.value)!r} is given twice", key)
        else:
            found[key.value] = Entry(key, place.at(shortened(key.value), value))
    return found


def known_entries(place: Place, known: Collection[str], example: str) -> dict[str, Entry]:
    """Those of the known keys that are there and hold something, the rest as faults.

    Of an endpoint, a key or a workspace nothing is repeated but its name.
    """
    found = {}
    for key, entry in entries(place, example).items():
        if key in known:
            found[key] = entry
        elif key.lower() in NEVER:
            place.wrong(f"{key!r} is never taken from a file: give {NEVER[key.lower()]} in code", entry.key)
        else:
            unknown_at(place, "key", key, known, entry.key)
    return found


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """What is said of a name that is not known.

    >>> unknown("role", "tster", ["coder", "tester"])
    "unknown role 'tster'; did you mean 'tester'? Known: coder, tester"
    """
    guess = nearest(name[:200], known)
    hint = f"; did you mean {guess!r}?" if guess else "."
    listed, more = [*known][:MOST_KNOWN], len(known) - MOST_KNOWN
    told = f"{', '.join(listed) or 'none'}{f' and {more:,} more' if more > 0 else ''}"
    return f"unknown {what} {shortened(name)!r}{hint} Known: {told}"


def unknown_at(place: Place, what: str, name: str, known: Collection[str], node: Any = None) -> None:
    """Note a name that is not known; what is nearest to it is looked for only where that is shown."""
    many = len(place.faults) >= MOST_FAULTS
    place.wrong(f"unknown {what} {shortened(name)!r}" if many else unknown(what, name, known), node)


def text_at(place: Place) -> str | None:
    """A text that says something; None, and a fault, for anything else."""
    value = value_of(place.node)
    if isinstance(value, str) and value.strip():
        return value
    place.wrong(f"{shown(place.node)} is no text: give one, in quotes where it looks like something else")
    return None


def whole_at(place: Place, least: int, unit: str, example: int) -> int | None:
    """A whole number from `least` up; None, and a fault, for anything else."""
    value = value_of(place.node)
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    place.wrong(f"{shown(place.node)} is no whole number of {unit} from {least:,} up, such as {example}")
    return None


def names_at(place: Place, example: str) -> list[Place]:
    """The places of the names in a list, or of one name that stands alone; a fault for anything else."""
    import yaml

    if value_of(place.node) is not None:
        return [place]
    if not isinstance(place.node, yaml.SequenceNode):
        place.wrong(f"{shown(place.node)} is no list of names, such as {example}")
        return []
    found: list[Place] = []
    names: set[str] = set()
    for item in place.node.value:
        if not is_scalar(item):
            place.wrong(f"{shown(item)} is no name", item)
        elif item.value in names:
            place.wrong(f"{shortened(item.value)!r} is given twice", item)
        else:
            names.add(item.value)
            found.append(place._replace(node=item))
    return found
