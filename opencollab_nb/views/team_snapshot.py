"""The static twin of a team's panel: plain text and escaped HTML, for all who read without the kernel."""

from __future__ import annotations

import html
import struct
from typing import TYPE_CHECKING, Any

from opencollab_nb.team.ledger import COLUMNS
from opencollab_nb.views.labels import clean
from opencollab_nb.views.snapshot import BARS, LAST_LINES, LINE_CHARS, MOST_BARS
from opencollab_nb.views.tables import Table, long_table
from opencollab_nb.views.team_folds import take
from opencollab_nb.views.team_lanes import MOST_TOKENS, Lane, Lanes
from opencollab_nb.views.team_state import figures_of, team_state
from opencollab_nb.views.text import percent

if TYPE_CHECKING:
    from opencollab_nb.team import Team

OUT = "✕"
"""Where an allowance ran out."""
NOTE = (
    "lane: all steps of the team from left to right, a bar where the member made one, as high as its "
    f"request; {OUT} where its tokens ran out"
)


class TeamSnapshot:
    """One moment of a team, taken when it is made."""

    def __init__(self, team: Team, lanes: Lanes) -> None:
        state = team_state(team, lanes)
        self.title = " · ".join(filter(None, [state["name"], state["model"], state["window_label"]]))
        said = f": {state['detail']}" if state["detail"] else ""
        self.facts = [
            ("state", f"{state['run']}{said}"),
            ("steps", f"{state['step']:,}"),
            ("messages", f"{len(lanes.letters):,}"),
            ("spent", spent_words(state)),
        ]
        self.members = members_table(team, lanes)
        lines = list(lanes.lines)[-LAST_LINES:]
        self.last_lines = [f"{line[0]:>4}  {clean(line[1], LINE_CHARS)}" for line in lines]

    @classmethod
    def of(cls, team: Team, lanes: Lanes | None = None) -> TeamSnapshot:
        """The team as it is now; without lanes, they are folded from the trace."""
        if lanes is None:
            lanes = folded(team)
        return cls(team, lanes)

    def text(self) -> str:
        """The snapshot as plain text."""
        wide = max(len(name) for name, _ in self.facts)
        lines = [f"{name:>{wide}}  {value}" for name, value in self.facts]
        return "\n".join([self.title, *lines, str(self.members), *self.last_lines])

    def markup(self) -> str:
        """The snapshot as HTML without scripts or ids; every text is escaped."""
        facts = " · ".join(f"{name}: {value}" for name, value in self.facts)
        steps = html.escape("\n".join(self.last_lines))
        return (
            f'<div class="oc-snapshot mathjax_ignore tex2jax_ignore"><p><b>{html.escape(self.title)}</b><br>'
            "A picture of the last state. Evaluate the team in a cell again for the live panel.</p>"
            f"<p>{html.escape(facts)}</p>{self.members.html()}<pre>{steps}</pre></div>"
        )

    def bundle(self) -> dict[str, Any]:
        """Both forms, by MIME type."""
        return {"text/plain": self.text(), "text/html": self.markup()}

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.markup()


def folded(team: Team) -> Lanes:
    """What the traces of a team tell."""
    lanes = Lanes()

    def look(lane: Lane) -> None:
        member = team.members.get(lane.name)
        if member is not None and member.session is not None:
            lane.look(member.session.trace.stored)

    for event in tuple(team.trace.stored):
        take(lanes, event, look)
    return lanes


def spent_words(state: dict[str, Any]) -> str:
    """Tokens spent, of the pool if there is one."""
    if state["pool"] is None:
        return f"{state['spent']:,} tokens, no limit"
    share = percent(state["spent"] / state["pool"])
    return f"{state['spent']:,} of {state['pool']:,} tokens, {share}"


def members_table(team: Team, lanes: Lanes) -> Table:
    """A row a member: what became of it, its account, its lane."""
    rows, bars = [], drawn(lanes)
    for name, lane in lanes.lanes.items():
        *figures, _trigger = figures_of(team, lane)
        rows.append((clean(name, 40), *figures, bars[lane.at]))
    return long_table(("member", "outcome", "steps", *COLUMNS[:-1], "lane"), rows, "", [NOTE])


def drawn(lanes: Lanes) -> list[str]:
    """Each lane as a row of bars, one for each stretch of the team's steps."""
    ticks = lanes.tick
    cells = min(ticks, MOST_BARS)
    tallest = [[0] * cells for _ in lanes.lanes]
    for tick, (at, step) in enumerate(struct.iter_unpack("<HI", lanes.steps)):
        row, cell = tallest[at], tick * cells // ticks
        row[cell] = max(row[cell], 1 + (step & MOST_TOKENS))
    greatest = max(map(max, filter(None, tallest)), default=0) + 1
    marks = [[BARS[len(BARS) * t // greatest] if t else "·" for t in row] for row in tallest]
    for tick, at, kind, *_ in lanes.moments:
        if kind == "out" and cells:
            marks[at][min(cells - 1, tick * cells // ticks)] = OUT
    return ["".join(row) for row in marks]
