"""The topology of a team file: who may spawn and message whom."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from opencollab_nb.team.nodes import shortened
from opencollab_nb.team.reading import Place, entries, known_entries, names_at, unknown_at
from opencollab_nb.team.roster import Edge, Topology

KINDS = ("spawn", "message")
_EXAMPLE = "{lead: [coder, tester]}"


def topology_at(place: Place, names: Collection[str]) -> Topology:
    """The edges between known roles; every other one is a fault at its own line."""
    names = dict.fromkeys(names)
    found = known_entries(place, KINDS, f"{{spawn: {_EXAMPLE}}}")
    edges = {kind: tuple(_edges(entry.value, names)) for kind, entry in found.items()}
    return Topology(edges.get("spawn", ()), edges.get("message", ()))


def _edges(place: Place, names: Collection[str]) -> Iterator[Edge]:
    for source, entry in entries(place, _EXAMPLE).items():
        if source not in names:
            unknown_at(place, "role", source, names, entry.key)
        for target in names_at(entry.value, "[coder, tester]"):
            name = str(target.node.value)
            if name not in names:
                unknown_at(target, "role", name, names)
            elif name == source:
                target.wrong(f"{shortened(name)!r} stands on both ends of an edge; name another role")
            elif source in names:
                yield source, name
