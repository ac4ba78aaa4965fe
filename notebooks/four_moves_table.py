"""The recorded runs of docs/four-moves.md as tables and as a figure, for notebook 4 and its tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from four_moves import MOVES, PROFILES, RESULTS, SETTINGS, SHORT_SETTINGS, rates

MEASURES = {
    "done": "milestones done, %",
    "rework": "done again",
    "violations": "violations",
    "dollars": "dollars",
}
"""The panels of the figure."""
SHOWN = {
    "done": "{:.0f} %",
    "whole": "{:.0f} %",
    "rework": "{:.0f}",
    "violations": "{:.1f}",
    "steps": "{:.0f}",
    "Mtokens": "{:.1f}",
    "cached": "{:.0f} %",
    "dollars": "{:.2f}",
    "cents_each": "{:.1f}",
}


def recorded(path: Path = RESULTS) -> pd.DataFrame:
    """All rows, with what is reckoned from them: shares in percent, millions of tokens, dollars."""
    runs = pd.read_csv(path)
    fresh, cached, output = rates()
    runs["finished"] = runs.done
    runs["done"] = 100 * runs.finished / runs.milestones
    runs["whole"] = 100 * (runs.finished == runs.milestones)
    runs["Mtokens"] = (runs.input_tokens + runs.output_tokens) / 1e6
    runs["cached"] = 100 * runs.cached_input_tokens / runs.input_tokens
    runs["fresh_tokens"] = runs.input_tokens - runs.cached_input_tokens
    million = (runs.fresh_tokens * fresh, runs.cached_input_tokens * cached, runs.output_tokens * output)
    runs["dollars"] = sum(million) / 1e6
    runs["dollars_uncached"] = (runs.input_tokens * fresh + runs.output_tokens * output) / 1e6
    return runs


def of(runs: pd.DataFrame, task: str) -> pd.DataFrame:
    """The runs of one task."""
    return runs[runs.task == task]


def means(runs: pd.DataFrame, by: tuple[str, ...] = ("setting",)) -> pd.DataFrame:
    """One row a setting, over seeds and profiles; cents for each milestone that was finished."""
    groups = runs.groupby(list(by), sort=False)
    table = groups[[name for name in SHOWN if name in runs]].mean()
    sums = groups[["dollars", "finished"]].sum()
    table["cents_each"] = 100 * sums.dollars / sums.finished
    return table.reindex([name for name in SETTINGS if name in table.index], level=0 if len(by) > 1 else None)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The same as short texts."""
    shown = {name: table[name].map(form.format) for name, form in SHOWN.items()}
    return pd.DataFrame(shown).rename(columns={"whole": "all done", "cents_each": "cents a milestone"})


def differences(runs: pd.DataFrame, one: str, other: str) -> pd.DataFrame:
    """One row a profile and seed: what `one` has more than `other`."""
    keys, names = ["profile", "seed"], [*MEASURES, "steps", "Mtokens", "fresh_tokens", "dollars_uncached"]
    first, second = (runs[runs.setting == setting].set_index(keys)[names] for setting in (one, other))
    return (first - second).dropna()


def worth(runs: pd.DataFrame) -> pd.DataFrame:
    """A row a move: what changes when it is left out of all four; and in how many pairs that costs more."""
    rows = {}
    for move in MOVES:
        without = differences(runs, f"all but {move}", "all")
        rows[f"without {move}"] = {
            "done": f"{without.done.mean():+.0f} %",
            "done again": f"{without.rework.mean():+.0f}",
            "violations": f"{without.violations.mean():+.1f}",
            "steps": f"{without.steps.mean():+.0f}",
            "dollars": f"{without.dollars.mean():+.2f}",
            "dearer without": f"{(without.dollars > 0).sum()} of {len(without)}",
        }
    return pd.DataFrame(rows).T.rename_axis("simulated, in pairs")


def cost_alone(runs: pd.DataFrame) -> pd.DataFrame:
    """A row a move: what it adds to the cap alone."""
    rows = {}
    for setting in [name for name in SHORT_SETTINGS if name not in ("none", "cap only")]:
        more = differences(runs, setting, "cap only")
        rows[setting] = {
            "done": f"{more.done.mean():+.0f} %",
            "done again": f"{more.rework.mean():+.1f}",
            "violations": f"{more.violations.mean():+.1f}",
            "thousand tokens": f"{1_000 * more.Mtokens.mean():+.0f}",
            "cents": f"{100 * more.dollars.mean():+.1f}",
            "cents without a cache": f"{100 * more.dollars_uncached.mean():+.1f}",
            "dearer": f"{(more.dollars > 0).sum()} of {len(more)}",
        }
    return pd.DataFrame(rows).T.rename_axis("simulated, in pairs")


def seeds_of(runs: pd.DataFrame) -> str:
    """The seeds in words."""
    seeds = sorted(runs.seed.unique())
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"


def figure(runs: pd.DataFrame, *, theme: str | None = None) -> Any:
    """What each setting finished, did again, broke and cost: a mark for each profile, a line over seeds."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    from opencollab_nb.views.drawing import axis_of, ground
    from opencollab_nb.views.run_figure import RunFigure
    from opencollab_nb.views.tables import Table
    from opencollab_nb.views.theme import look_of

    look, settings = look_of(theme), [name for name in SETTINGS if name in set(runs.setting)]
    title = f"Simulated agent, {runs.task.iloc[0]}: mean of {seeds_of(runs)}, lines from least to most"
    plot = make_subplots(*(1, len(MEASURES)), shared_yaxes=True, horizontal_spacing=0.03, figure=RunFigure())
    lift = dict(zip(PROFILES, (0.22, 0.0, -0.22), strict=True))
    for column, measure in enumerate(MEASURES, 1):
        for profile, colour, symbol in zip(
            PROFILES, look["marks"][1:], ("circle", "diamond", "square"), strict=False
        ):
            groups = runs[runs.profile == profile].groupby("setting")[measure]
            mean, low, high = (
                found.reindex(settings).round(3) for found in (groups.mean(), groups.min(), groups.max())
            )
            plot.add_trace(
                go.Scatter(
                    x=mean.tolist(),
                    y=[at + lift[profile] for at in range(len(settings))],
                    error_x={
                        "array": (high - mean).round(3).tolist(),
                        "arrayminus": (mean - low).round(3).tolist(),
                        "symmetric": False,
                        "thickness": 1.2,
                        "width": 0,
                    },
                    name=profile,
                    legendgroup=profile,
                    showlegend=column == 1,
                    mode="markers",
                    marker={"color": colour, "symbol": symbol, "size": 8},
                    customdata=settings,
                    hovertemplate=f"%{{customdata}}, {profile}: %{{x}}",
                ),
                row=1,
                col=column,
            )
    grid = axis_of(look)
    plot.update_yaxes(tickvals=list(range(len(settings))), ticktext=settings, autorange="reversed", **grid)
    plot.update_xaxes(rangemode="tozero", **grid)
    for column, title_of in enumerate(MEASURES.values(), 1):
        plot.update_xaxes(title={"text": title_of}, row=1, col=column)
    plot.update_layout(
        **ground(title, look),
        legend={"orientation": "h", "y": -0.18},
        margin={"l": 110, "r": 20, "t": 60, "b": 90},
        height=480,
    )
    rows = [
        (setting, profile, *(f"{row[measure]:.1f}" for measure in MEASURES))
        for (setting, profile), row in means(runs, ("setting", "profile")).iterrows()
    ]
    plot.fallback = Table(("setting", "profile", *MEASURES.values()), rows, title)
    return plot
