"""The recorded runs of one agent and of teams, as tables, a figure and sentences for notebook 7.

That the sentences hold, and not only their figures, is tested in tests/test_team_runs.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from four_moves_table import seeds_of
from IPython.display import Markdown
from team_runs import ALLOWANCES, PARTS, RESULTS

KEYS = ["allowance", "profile", "seed"]
SHOWN = {
    "done": ("milestones done", "{:.1f}"),
    "ktokens": ("thousand tokens", "{:.0f}"),
    "cents": ("cents", "{:.0f}"),
    "cents_each": ("cents a milestone", "{:.1f}"),
    "steps": ("steps", "{:.0f}"),
    "longest": ("of the longest seat", "{:.0f}"),
}


def recorded(path: Path = RESULTS) -> pd.DataFrame:
    """All rows, with what is reckoned from them."""
    runs = pd.read_csv(path, keep_default_na=False)
    runs["ktokens"] = (runs.input_tokens + runs.output_tokens) / 1_000
    runs["cents"] = 100 * runs.cost_usd
    return runs


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """One row an allowance and setting, over seeds and profiles."""
    groups = runs.groupby(["allowance", "setting"], sort=False)
    table = groups[[name for name in SHOWN if name in runs]].mean()
    sums = groups[["cents", "done"]].sum()
    table["cents_each"] = sums.cents / sums.done
    order = [(allowance, setting) for allowance in ALLOWANCES for setting in PARTS]
    return table.reindex(pd.MultiIndex.from_tuples(order, names=["allowance", "setting"]))[list(SHOWN)]


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The same as short texts."""
    shown = {title: table[name].map(form.format) for name, (title, form) in SHOWN.items()}
    return pd.DataFrame(shown).rename(index="{:,}".format, level="allowance")


def more_than_alone(runs: pd.DataFrame, setting: str, allowance: int) -> pd.DataFrame:
    """One row a profile and seed: what the team has more than the agent alone."""
    of_one = runs[runs.allowance == allowance]
    names = ["done", "ktokens", "cents", "steps", "longest"]
    team, solo = (of_one[of_one.setting == name].set_index(KEYS)[names] for name in (setting, "solo"))
    return team - solo


def said(runs: pd.DataFrame) -> Markdown:
    """What the table says, and what it does not."""
    few, some, _, ample = ALLOWANCES
    table = means(runs)
    row = {(setting, allowance): table.loc[(allowance, setting)] for allowance, setting in table.index}
    each, alone = row["team, same each", few], row["solo", few]
    free, solo = row["team, same each", ample], row["solo", ample]
    dearer = (more_than_alone(runs, "team, same each", ample).ktokens > 0).sum()
    pairs = len(more_than_alone(runs, "team, same each", ample))
    return Markdown(
        f"**With the same allowance for each seat the team does more, and pays for it.** At {few:,} tokens "
        f"the agent alone gets {alone.done:.1f} of nine milestones done, three seats with as many tokens "
        f"*each* get {each.done:.1f}: with {each.ktokens / alone.ktokens:.1f} times the tokens. That is no "
        "gain of the team, it is three times the budget.\n\n"
        f"**With the same total it does a little more here, and spends less.** At {some:,} tokens it is "
        f"{row['team, same total', some].done:.1f} milestones against {row['solo', some].done:.1f}, for "
        f"{row['team, same total', some].ktokens:.0f} thousand tokens against "
        f"{row['solo', some].ktokens:.0f}. Each seat sees its own part only, so its requests are shorter. "
        "But what one seat cannot spend no other gets: declared allowances are not a pool, and tokens are "
        "left over while work is not done.\n\n"
        "**Sharing out by need does not help.** Six, three and one parts are about what the seats spend when "
        f"nothing limits them; with them {some:,} tokens do {row['team, by need', some].done:.1f} "
        "milestones. An analyst with little runs out early, and then the coder looks up what it needs, in a "
        "transcript that is shorter. Where the tokens go when all have enough is no guide to where they do "
        "most when they are scarce.\n\n"
        f"**Where nothing is scarce, the team costs more tokens, for the same work.** At {ample:,} it takes "
        f"{free.ktokens:.0f} thousand tokens and {free.steps:.0f} steps against {solo.ktokens:.0f} and "
        f"{solo.steps:.0f} (more tokens in {dearer} of {pairs} pairs): what the analyst found is said once "
        f"more to the coder, and read by both. In return its longest seat makes {free.longest:.0f} steps: at "
        "once, in threads, that is what one waits for."
    )


def figure(runs: pd.DataFrame, *, theme: str | None = None) -> Any:
    """Milestones done, and tokens spent, against the allowance: a line for each setting."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    from opencollab_nb.views.drawing import axis_of, ground
    from opencollab_nb.views.run_figure import RunFigure
    from opencollab_nb.views.tables import Table
    from opencollab_nb.views.theme import look_of

    look, table = look_of(theme), means(runs)
    title = f"Simulated agents, orders: mean of {seeds_of(runs)}, {runs.profile.nunique()} profiles"
    plot = make_subplots(1, 2, horizontal_spacing=0.12, figure=RunFigure())
    panels = {"done": "milestones done", "ktokens": "thousand tokens spent"}
    marks = zip(PARTS, look["marks"], ("circle", "diamond", "square", "cross"), strict=False)
    for setting, colour, symbol in marks:
        rows = table.xs(setting, level="setting")
        for column, name in enumerate(panels, 1):
            plot.add_trace(
                go.Scatter(
                    x=[allowance / 1_000 for allowance in rows.index],
                    y=rows[name].round(2).tolist(),
                    name=setting,
                    legendgroup=setting,
                    showlegend=column == 1,
                    mode="lines+markers",
                    marker={"symbol": symbol, "size": 8, "color": colour},
                    line={"color": colour, "width": 1.5},
                    hovertemplate=f"{setting}, %{{x}} thousand: %{{y}}",
                ),
                row=1,
                col=column,
            )
    grid = axis_of(look)
    for column, text in enumerate(panels.values(), 1):
        plot.update_yaxes(title={"text": text}, rangemode="tozero", row=1, col=column, **grid)
    plot.update_xaxes(title={"text": "allowance of the agent alone, thousand tokens"}, **grid)
    plot.update_layout(
        **ground(title, look),
        legend={"orientation": "h", "y": -0.3},
        margin={"l": 60, "r": 20, "t": 50, "b": 90},
        height=360,
    )
    shown = readable(table)
    rows = [
        (allowance, setting, *row)
        for (allowance, setting), row in zip(shown.index, shown.values, strict=True)
    ]
    plot.fallback = Table(("allowance", "setting", *shown.columns), rows, title)
    return plot
