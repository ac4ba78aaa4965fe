"""Cost against loss, a mark for each recording under each setting, for notebook 6."""

from __future__ import annotations

from typing import Any

import pandas as pd
from chains_study import settings, task_of

from opencollab_nb.views.drawing import axis_of, blank, plain
from opencollab_nb.views.tables import Table
from opencollab_nb.views.theme import look_of

TITLE = "Cost and loss in a replay of the simulated agent; requests larger than the window left out"
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross")


def figure(rows: pd.DataFrame, *, theme: str | None = None) -> Any:
    """A panel a window: to the left is cheaper, below less is gone; open marks are stateless."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    look, windows = look_of(theme), sorted(rows["window"].unique())
    drawn = blank(TITLE, look, "needed facts that are gone")
    grid = make_subplots(
        cols=len(windows),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[f"window of {window:,} tokens" for window in windows],
    )
    drawn.update_layout(**{name: grid.layout[name] for name in grid.layout if "axis" in name})
    drawn.update_layout(annotations=grid.layout.annotations)
    tasks = list(dict.fromkeys(rows["transcript"].map(task_of)))
    symbols = dict(zip(tasks, SYMBOLS, strict=False))
    chains = list(dict.fromkeys(rows["chain"]))
    colours = dict(zip(chains, (look["marks"] * 2)[: len(chains)], strict=True))
    seen = set()
    for column, window in enumerate(windows, 1):
        part = rows[(rows["window"] == window) & rows["fits"]]
        for setting, found in part.groupby("setting", sort=False):
            chain, mode = found["chain"].iloc[0], found["mode"].iloc[0]
            shapes = [symbols[task_of(name)] for name in found["transcript"]]
            own = "" if column == 1 else str(column)
            drawn.add_trace(
                go.Scatter(
                    x=found["cost"].round(4).tolist(),
                    y=found["gone"].round(4).tolist(),
                    name=plain(setting),
                    legendgroup=setting,
                    showlegend=setting not in seen,
                    mode="markers",
                    marker={
                        "symbol": [f"{one}-open" if mode == "stateless" else one for one in shapes],
                        "color": colours[chain],
                        "size": 9,
                        "line": {"width": 1.5, "color": colours[chain]},
                    },
                    customdata=found["transcript"].tolist(),
                    hovertemplate="%{customdata}: cost %{x:.0%} of no shaping, %{y:.0%} gone",
                    xaxis=f"x{own}",
                    yaxis=f"y{own}",
                )
            )
            seen.add(setting)
    axis = axis_of(look)
    drawn.update_xaxes(title={"text": "cost, of no shaping"}, tickformat=".0%", rangemode="tozero", **axis)
    most = max(0.05, float(rows.loc[rows["fits"], "gone"].max(skipna=True)))
    drawn.update_yaxes(title=None, tickformat=".0%", range=[-0.06 * most, 1.06 * most], **axis)
    drawn.update_layout(yaxis_title="needed facts that are gone", hovermode="closest", height=500)
    drawn.update_layout(legend={"y": -0.26}, margin={"b": 160, "t": 90})
    marks = ", ".join(f"{symbol} {task}" for task, symbol in symbols.items())
    place = {"x": 0, "xref": "paper", "y": -0.56, "yref": "paper", "xanchor": "left"}
    drawn.add_annotation(text=f"marks: {marks}; open: stateless", showarrow=False, **place)
    table = settings(rows)
    cells = [
        (window, setting, *row) for (window, setting), row in zip(table.index, table.values, strict=True)
    ]
    drawn.fallback = Table(("window", "setting", *table.columns), cells, TITLE)
    return drawn
