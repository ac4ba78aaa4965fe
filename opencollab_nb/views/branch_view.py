"""`%oc branches`: a run and its branches as a table with curves, and as a figure of all curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.branches import open_line
from opencollab_nb.views.family import Relative, family_of
from opencollab_nb.views.figures import plain
from opencollab_nb.views.labels import clean
from opencollab_nb.views.results import Shown
from opencollab_nb.views.snapshot import BARS
from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import head

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from opencollab_nb.session import Session

MOST_BARS = 40
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
"""Curves are told apart without their colours too."""


@dataclass(frozen=True, repr=False)
class BranchTable(Shown):
    """A run and its branches, a row each."""

    runs: Sequence[Relative]
    """The origin if there is one, the run itself, its branches."""
    own: int
    """Which of them is the run itself."""
    begun: int
    """After which step the run itself was begun; 0 for one that is no branch."""

    @classmethod
    def of(cls, session: Session) -> BranchTable:
        """The family of a session as it is now."""
        family = family_of(session)
        others = family.relatives()
        itself = Relative(session.path, "this run", family.step)
        itself.look()
        itself.name = session.name or itself.name
        origin = [one for one in others if one.role == "origin"]
        rest = [one for one in others if one.role != "origin"]
        return cls([*origin, itself, *rest], len(origin), family.step)

    def table(self) -> Table:
        """Name, chain, steps, tokens; and the pressure as bars on one scale."""
        last = max((step for run in self.runs for step in run.points), default=1)
        header = (
            "run",
            "after step",
            "chain",
            "steps",
            "state",
            "tokens sent",
            "now",
            "pressure by step",
            "show it",
        )
        rows = [
            (
                ("* " if at == self.own else "  ") + clean(run.name, 40),
                self.after(at),
                clean(f"{run.mode}: {run.chain_words()}", 90),
                run.steps,
                run.state,
                run.sent_tokens,
                run.tokens,
                bars(run, last),
                "" if at == self.own else head(open_line(run.path), 100),
            )
            for at, run in enumerate(self.runs)
        ]
        notes = ["a full bar is the trigger; %oc branches --figure draws the curves over each other"]
        return Table(
            header, rows, "branches, * this run" if len(rows) > 1 else "no branch yet: %oc fork STEP", notes
        )

    def after(self, at: int) -> int | None:
        """After which step this run was begun; None for one that is no branch."""
        step = self.runs[at].step
        return step if self.runs[at].role != "origin" and step else None

    def figure(self, *, theme: str | None = None) -> Figure:
        """The curves over each other, the trigger, and where each branch begins.

        Raises:
            UsageProblem: no request was sent yet.
        """
        import plotly.graph_objects as go

        from opencollab_nb.views.figures import blank
        from opencollab_nb.views.theme import look_of

        if not any(run.points for run in self.runs):
            raise UsageProblem("nothing to draw yet: no request was sent; take a step first")
        look = look_of(theme)
        title = f"Branches of {clean(self.runs[0].name, 60)}"
        figure = blank(title, look, "tokens of the request")
        figure.update_layout(hovermode="closest")
        colours = [look["text"], *look["marks"][1:]]
        for at, run in enumerate(self.runs):
            begun = self.after(at) or 0
            points = [(step, tokens) for step, tokens in run.drawn() if step >= begun]
            if not points:
                continue
            line = {"color": colours[at % len(colours)], "dash": DASHES[at % len(DASHES)], "width": 2}
            figure.add_trace(
                go.Scatter(
                    x=[step for step, _ in points],
                    y=[tokens for _, tokens in points],
                    name=plain(clean(run.name, 60)),
                    mode="lines",
                    line=line,
                    hovertemplate="step %{x}: %{y:,} tokens",
                )
            )
            if begun:
                mark = {"symbol": "circle", "size": 9, "color": line["color"]}
                place = {"x": [points[0][0]], "y": [points[0][1]], "marker": mark, "mode": "markers"}
                told = f"{plain(clean(run.name, 60))} begins after step {begun}"
                figure.add_trace(
                    go.Scatter(**place, showlegend=False, name=told, hovertemplate="%{fullData.name}")
                )
        trigger = self.runs[self.own].trigger
        if trigger:
            figure.add_hline(y=trigger, line={"dash": "dash", "color": look["text"], "width": 1.5})
            figure.add_annotation(
                x=1,
                xref="paper",
                y=trigger,
                yanchor="bottom",
                xanchor="right",
                text=f"trigger {trigger:,}",
                showarrow=False,
            )
        figure.fallback = self.table()
        return figure


def bars(run: Relative, last: int) -> str:
    """The pressure of a run as bars, the steps of all runs on one scale.

    >>> from pathlib import Path
    >>> run = Relative(Path("x"), "branch", 0); run.trigger = 100; run.points = {1: 10, 2: 60, 3: 130}
    >>> bars(run, 4)
    '▁▅█'
    """
    every = -(-last // MOST_BARS) or 1
    heights: dict[int, int] = {}
    for step, tokens in run.points.items():
        place = (step - 1) // every
        heights[place] = max(heights.get(place, 0), tokens)
    full = max(run.trigger, 1)
    return "".join(BARS[min(len(BARS) - 1, len(BARS) * t // (full + 1))] for t in heights.values())


def branches_of(session: Any, *, figure: bool) -> Any:
    """The table, or the figure."""
    found = BranchTable.of(session)
    return found.figure() if figure else found
