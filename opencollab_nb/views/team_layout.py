"""Where the roles of a team and the edges between them stand in a drawing: plain geometry, in pixels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from opencollab_nb.team.roster import Edge, TeamSpec

WIDE, TALL = 190, 62
BESIDE, BELOW = 110, 30
TASK_WIDE, MARGIN = 62, 8
PORT_STEP = 13
"""Between two edges at one side of a box."""
LANE, LANE_STEP = 16, 11
"""Above all boxes, for edges that pass a column: room for the first, and for each more."""
BULGE = 46
"""How far an edge between two boxes of one column that are no neighbours goes out."""


class Point(NamedTuple):
    """A place, from the upper left."""

    x: float
    y: float


@dataclass(frozen=True)
class Box:
    """A role's place."""

    name: str
    column: int
    x: float
    y: float

    @property
    def middle(self) -> Point:
        """Its centre."""
        return Point(self.x + WIDE / 2, self.y + TALL / 2)


@dataclass(frozen=True)
class Link:
    """An edge from one box to another, and at which ends it has a head."""

    kind: str
    """`spawn` or `message`."""
    names: Edge
    path: tuple[Point, ...]
    """Start, two points that bend it, end; or six corners of a way around what lies between."""
    at_start: bool
    at_end: bool


@dataclass(frozen=True)
class Layout:
    """A whole drawing."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    wide: float
    tall: float


class _Pair(NamedTuple):
    kind: str
    first: Box
    second: Box
    back: bool
    forth: bool


def laid_out(spec: TeamSpec) -> Layout:
    """The drawing of a team: columns by the way from the entry, edges of both directions as one.

    >>> from opencollab_nb.team import Role, TeamSpec, Topology
    >>> both = Topology(message=(("a", "b"), ("b", "a")))
    >>> drawn = laid_out(TeamSpec("a", (Role("a"), Role("b")), both))
    >>> [(box.name, box.column) for box in drawn.boxes], [(l.at_start, l.at_end) for l in drawn.links]
    ([('a', 0), ('b', 1)], [(True, True)])
    """
    columns = _columns(spec)
    column_of = {name: at for at, column in enumerate(columns) for name in column}
    passing = sum(
        len({frozenset(e) for e in edges if abs(column_of[e[0]] - column_of[e[1]]) > 1})
        for edges in (spec.topology.spawn, spec.topology.message)
    )
    above = LANE + passing * LANE_STEP if passing else 0
    tallest = max(len(column) for column in columns) * (TALL + BELOW) - BELOW
    boxes = []
    for at, column in enumerate(columns):
        top = above + MARGIN + (tallest - len(column) * (TALL + BELOW) + BELOW) / 2
        x = TASK_WIDE + at * (WIDE + BESIDE)
        boxes += [Box(name, at, x, top + row * (TALL + BELOW)) for row, name in enumerate(column)]
    pairs = _pairs(spec, {box.name: box for box in boxes})
    wide = TASK_WIDE + len(columns) * (WIDE + BESIDE) - BESIDE + MARGIN
    if any(
        pair.first.column == pair.second.column == len(columns) - 1 and not _touch(pair) for pair in pairs
    ):
        wide += BULGE
    return Layout(tuple(boxes), tuple(_links(pairs)), wide, above + tallest + 2 * MARGIN)


def _edges(spec: TeamSpec) -> tuple[Edge, ...]:
    return (*spec.topology.spawn, *spec.topology.message)


def _columns(spec: TeamSpec) -> list[list[str]]:
    """The roles by how many edges lead to them from the entry; those that none leads to stand last."""
    columns, placed = [[spec.entry]], {spec.entry}
    while columns[-1]:
        reached = [to for source, to in _edges(spec) if source in columns[-1]]
        columns.append([name for name in spec.names if name in set(reached) - placed])
        placed.update(columns[-1])
    columns[-1] = [name for name in spec.names if name not in placed]
    return [column for column in columns if column]


def _pairs(spec: TeamSpec, boxes: dict[str, Box]) -> list[_Pair]:
    found = []
    for kind, edges in (("spawn", spec.topology.spawn), ("message", spec.topology.message)):
        given = dict.fromkeys(edges)
        for source, to in given:
            first, second = sorted((boxes[source], boxes[to]), key=lambda box: (box.column, box.y))
            forth = (first.name, second.name) in given
            if (source, to) == (first.name, second.name) or not forth:
                found.append(_Pair(kind, first, second, (second.name, first.name) in given, forth))
    return found


def _touch(pair: _Pair) -> bool:
    """True for two neighbours in one column."""
    return pair.first.column == pair.second.column and pair.second.y - pair.first.y <= TALL + BELOW


def _links(pairs: list[_Pair]) -> Iterable[Link]:
    """The curves; edges that share a side of a box stand apart."""
    sides: defaultdict[tuple[str, str], list[tuple[Point, int]]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        for box, side, other in (
            (pair.first, _side(pair, 0), pair.second),
            (pair.second, _side(pair, 1), pair.first),
        ):
            sides[box.name, side].append((other.middle, at))
    ports = {}
    for (name, side), there in sides.items():
        there.sort(key=lambda one: ((one[0].x if side in "ns" else one[0].y), one[1]))
        for place, (_, at) in enumerate(there):
            ports[name, side, at] = (place - (len(there) - 1) / 2) * min(PORT_STEP, (TALL - 12) / len(there))
    lanes = count()
    for at, pair in enumerate(pairs):
        start, end = (
            _port(box, side, ports[box.name, side, at])
            for box, side in ((pair.first, _side(pair, 0)), (pair.second, _side(pair, 1)))
        )
        names = (pair.first.name, pair.second.name)
        if pair.second.column - pair.first.column > 1:
            path = _around(start, end, next(lanes))
        else:
            path = _bent(pair, start, end)
        yield Link(pair.kind, names, path, at_start=pair.back, at_end=pair.forth)


def _side(pair: _Pair, end: int) -> str:
    if pair.first.column != pair.second.column:
        return "ew"[end]
    return "sn"[end] if _touch(pair) else "e"


def _port(box: Box, side: str, off: float) -> Point:
    if side in "ns":
        return Point(box.middle.x + off, box.y + (TALL if side == "s" else 0))
    return Point(box.x + (WIDE if side == "e" else 0), box.middle.y + off)


def _around(start: Point, end: Point, lane: int) -> tuple[Point, ...]:
    """Up between two columns, over all boxes, down between two others."""
    y = LANE + lane * LANE_STEP
    out, back = start.x + 20 + 7 * (lane % 8), end.x - 20 - 7 * (lane % 8)
    return start, Point(out, start.y), Point(out, y), Point(back, y), Point(back, end.y), end


def _bent(pair: _Pair, start: Point, end: Point) -> tuple[Point, ...]:
    if pair.first.column != pair.second.column:
        half = (end.x - start.x) / 2
        return start, Point(start.x + half, start.y), Point(end.x - half, end.y), end
    if _touch(pair):
        third = (end.y - start.y) / 3
        return start, Point(start.x, start.y + third), Point(end.x, end.y - third), end
    return start, Point(start.x + BULGE, start.y), Point(end.x + BULGE, end.y), end
