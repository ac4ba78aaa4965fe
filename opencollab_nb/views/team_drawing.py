"""A team's topology and allowances as a still picture: SVG without scripts or ids.

Text and lines take the page's own ink, so that light and dark are read alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from opencollab_nb.team.allocation import lead_reserve
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.views.team_layout import TALL, WIDE, Box, Layout, Link, Point, laid_out
from opencollab_nb.views.text import escaped, head

NAME_CHARS = 20
HEAD_PIXELS, CORNER_PIXELS = 9, 8
CURVE_POINTS = 4
INK = "var(--jp-ui-font-color1,var(--vscode-editor-foreground,currentColor))"
GROUND = "var(--jp-layout-color1,var(--vscode-editor-background,Canvas))"
ACCENT = f"color-mix(in srgb,#2b86d1 82%,{INK})"
"""Between the panel's blue on light and on dark."""
KINDS: Mapping[str, tuple[str, str, str]] = {
    "spawn": (ACCENT, "", "may spawn"),
    "message": (INK, "5 4", "may send messages"),
}
"""Colour, dashes and words of an edge."""
_FONT = "var(--jp-ui-font-family,system-ui,sans-serif)"


def allowance_words(spec: TeamSpec, role: str) -> str:
    """What a role may spend, in words."""
    own = spec.allowances.get(role)
    if own is not None:
        return f"{own:,} tokens"
    pool = spec.shared_tokens
    if pool is None:
        return "no limit of its own"
    if spec.declared:
        return f"shares {pool:,} tokens"
    share = lead_reserve(pool)
    return f"keeps {share:,} tokens" if role == spec.entry else f"up to {share:,} tokens"


def drawing(spec: TeamSpec) -> str:
    """The picture of a team, with its legend."""
    layout = laid_out(spec)
    told = f"Team {spec.name}: " + "; ".join(
        f"{link.names[0]} and {link.names[1]}: {link.kind}" for link in layout.links
    )
    inside = [
        *(_link(link) for link in layout.links),
        _task(layout),
        *(_box(spec, box) for box in layout.boxes),
    ]
    return (
        f'<svg role="img" aria-label="{escaped(head(told, 600))}" '
        f'viewBox="0 0 {layout.wide:g} {layout.tall:g}" width="{layout.wide:g}" height="{layout.tall:g}" '
        f'style="max-width:100%;height:auto;color:{INK};font:12px {_FONT}">{"".join(inside)}</svg>'
        f"{_legend(layout)}"
    )


def _box(spec: TeamSpec, box: Box) -> str:
    entry = box.name == spec.entry
    stroke = f'stroke="{ACCENT}" stroke-width="2"' if entry else f'stroke="{INK}" stroke-opacity=".45"'
    x, y = box.x + 12, box.y
    parts = [
        f"<title>{escaped(box.name)}: {escaped(allowance_words(spec, box.name))}</title>",
        f'<rect x="{box.x:g}" y="{y:g}" width="{WIDE}" height="{TALL}" rx="8" fill="{GROUND}" {stroke}/>',
        f'<text x="{x:g}" y="{y + 23:g}" font-weight="600" font-size="13.5" fill="{INK}">'
        f"{escaped(head(box.name, NAME_CHARS))}</text>",
        f'<text x="{x:g}" y="{y + 42:g}" fill="{INK}">{escaped(allowance_words(spec, box.name))}</text>',
        *_bar(spec, box),
    ]
    return f"<g>{''.join(parts)}</g>"


def _bar(spec: TeamSpec, box: Box) -> list[str]:
    """The share of the pool that is this role's own."""
    share = _share(spec, box.name)
    if share is None:
        return []
    x, y, whole = box.x + 12, box.y + TALL - 12, WIDE - 24
    return [
        f'<rect x="{x:g}" y="{y:g}" width="{whole}" height="4" rx="2" fill="{INK}" fill-opacity=".16"/>',
        f'<rect x="{x:g}" y="{y:g}" width="{max(3, whole * share):.1f}" height="4" rx="2" fill="{ACCENT}"/>',
    ]


def _share(spec: TeamSpec, role: str) -> float | None:
    if role in spec.allowances and spec.pool_tokens:
        return spec.allowances[role] / spec.pool_tokens
    if spec.declared or not spec.shared_tokens:
        return None
    return lead_reserve(spec.shared_tokens) / spec.shared_tokens


def _task(layout: Layout) -> str:
    """The arrow by which the user's task comes in."""
    entry = layout.boxes[0]
    y, end = entry.middle.y, entry.x
    line = Link(
        "spawn", ("", ""), (Point(34, y), Point(40, y), Point(end - 6, y), Point(end, y)), False, True
    )
    return f'<text x="2" y="{y + 4:g}" fill="{INK}">task</text>{_link(line)}'


def _link(link: Link) -> str:
    colour, dashes, words = KINDS[link.kind]
    path = link.path
    ends = (((path[-2], path[-1]), link.at_end), ((path[1], path[0]), link.at_start))
    heads = "".join(_head(before, tip, colour) for (before, tip), there in ends if there)
    arrow = "↔" if link.at_start and link.at_end else "→" if link.at_end else "←"
    said = f"{escaped(link.names[0])} {arrow} {escaped(link.names[1])}: {words}"
    title = f"<title>{said}</title>" if any(link.names) else ""
    line = _curve(path) if len(path) == CURVE_POINTS else _corners(path)
    return f"<g>{title}{_stroke(line, colour, dashes)}{heads}</g>"


def _stroke(line: str, colour: str, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="1.6"{dashed}/>'


def _curve(path: Sequence[Point]) -> str:
    start, *bends = path
    return f"M{start.x:g} {start.y:g}C{' '.join(f'{p.x:g} {p.y:g}' for p in bends)}"


def _corners(path: Sequence[Point]) -> str:
    """Straight lines with round corners."""
    line = f"M{path[0].x:g} {path[0].y:g}"
    for before, corner, after in zip(path, path[1:], path[2:], strict=False):
        into, out = _towards(corner, before), _towards(corner, after)
        line += f"L{into.x:g} {into.y:g}Q{corner.x:g} {corner.y:g} {out.x:g} {out.y:g}"
    return f"{line}L{path[-1].x:g} {path[-1].y:g}"


def _towards(corner: Point, other: Point) -> Point:
    """Where the rounding of a corner begins."""
    far = math.dist(corner, other) or 1
    part = min(CORNER_PIXELS, far / 2) / far
    return Point(corner.x + (other.x - corner.x) * part, corner.y + (other.y - corner.y) * part)


def _head(before: Point, tip: Point, colour: str) -> str:
    """A small triangle at the end of a curve."""
    way = math.atan2(tip.y - before.y, tip.x - before.x)
    corners = [
        tip,
        *(
            Point(tip.x - HEAD_PIXELS * math.cos(way + turn), tip.y - HEAD_PIXELS * math.sin(way + turn))
            for turn in (-0.42, 0.42)
        ),
    ]
    return f'<polygon points="{" ".join(f"{c.x:.1f},{c.y:.1f}" for c in corners)}" fill="{colour}"/>'


def _legend(layout: Layout) -> str:
    there = [kind for kind in KINDS if any(link.kind == kind for link in layout.links)]
    if not there:
        return ""
    samples = []
    for kind in there:
        colour, dashes, words = KINDS[kind]
        line = _stroke("M1 6H30", colour, dashes) + _head(Point(20, 6), Point(32, 6), colour)
        samples.append(
            '<span style="white-space:nowrap;margin-right:18px">'
            f'<svg aria-hidden="true" width="34" height="12">{line}</svg> {words}</span>'
        )
    return f'<div style="font:12px {_FONT};color:{INK};margin:6px 0">{"".join(samples)}</div>'
