"""What a sweep of chains says, in sentences whose figures and names come from its rows, for notebook 6."""

from __future__ import annotations

import pandas as pd
from chains_study import BARE, LEVELS, cheapest, distances, modes, spread
from IPython.display import Markdown

MOST = 0.5
"""A setting that wins in more than this share of the recordings is said to win."""


def on_the_winners(rows: pd.DataFrame) -> Markdown:
    """Which chain costs least at equal survival, with the spread; a paragraph for each window."""
    return Markdown("\n\n".join(_of_window(window, part) for window, part in rows.groupby("window")))


def _of_window(window: int, part: pd.DataFrame) -> str:
    recordings = part["transcript"].nunique()
    refused = part[~part["fits"]].groupby("setting")["transcript"].nunique()
    told = [f"**In a window of {window:,} tokens.**"]
    if len(refused):
        named = ", ".join(f"*{name}* {count}" for name, count in refused.items())
        told.append(f"Of {recordings} recordings a provider would have refused a request in: {named}.")
    else:
        told.append("No request of any setting is larger than the window.")
    return " ".join([*told, *(_at_level(cheapest(part, level), level, recordings) for level in LEVELS)])


def _at_level(best: pd.DataFrame, level: float, recordings: int) -> str:
    allowed = f"up to {level:.0%} of what is needed may be gone" if level else "nothing needed may be gone"
    if best.empty:
        return f"Where {allowed}, no setting will do."
    counts = best["setting"].value_counts()
    name, wins = counts.index[0], int(counts.iloc[0])
    cost = spread(best[best["setting"] == name]["cost"])
    other = (best["next_cost"] / best["cost"] - 1).dropna()
    margin = f"; the next best chain costs {spread(other, '{:+.0%}')}" if len(other) else ""
    if wins > MOST * recordings:
        said = f"*{name}* is cheapest in {wins} of {recordings}, at {cost} of what {BARE} costs{margin}"
    else:
        named = ", ".join(f"*{setting}* in {count}" for setting, count in counts.items())
        said = f"no setting is cheapest in most of the {recordings}: {named}{margin}"
    without = "" if len(best) == recordings else f" ({recordings - len(best)} have none that does it)"
    return f"Where {allowed}, {said}{without}."


def on_the_spread(rows: pd.DataFrame) -> Markdown:
    """How far recordings of one task lie apart, and those of all tasks."""
    far = distances(rows)
    (cost, gone), (all_cost, all_gone) = (
        100 * far.loc[name, ["cost", "gone"]] for name in ("of one task", "of all tasks")
    )
    return Markdown(
        f"Under the same setting, recordings of one task lie at most {cost:.0f} points of cost and "
        f"{gone:.0f} points of loss apart, those of all tasks {all_cost:.0f} and {all_gone:.0f}: "
        + (
            "the task matters more than the agent's profile and seed."
            if all_cost > cost
            else "the agent's profile and seed matter as much as the task."
        )
    )


def on_the_modes(rows: pd.DataFrame) -> Markdown:
    """Sticky against stateless, in pairs, for each chain."""
    pairs = modes(rows)
    if pairs.empty:
        return Markdown("There is no chain here that fits in both modes.")
    lines = []
    for chain, found in pairs.groupby("chain", sort=False):
        cheaper = int((found["dearer"] < 0).sum())
        lines.append(
            f"- *{chain}*: sticky is cheaper than stateless in {cheaper} of {len(found)} pairs; its cost is "
            f"{spread(found['dearer'], '{:+.0%}')} against stateless, and of what is needed "
            f"{spread(100 * found['more_gone'], '{:+.0f}')} points more are gone."
        )
    return Markdown("\n".join(lines))


def on_the_rates(rows: pd.DataFrame, others: pd.DataFrame) -> Markdown:
    """How many winners change where the rates are others."""
    lines = []
    for level in LEVELS:
        before, after = (
            cheapest(one, level).set_index(["window", "transcript"])["setting"] for one in (rows, others)
        )
        both = before.index.intersection(after.index)
        changed = before[both] != after[both]
        new = after[both][changed].value_counts()
        named = ", ".join(f"*{name}* {count}" for name, count in new.items())
        lines.append(
            f"- {level:.0%} may be gone: another setting is cheapest in {int(changed.sum())} of {len(both)} "
            f"cases{f', now {named}' if named else ''}."
        )
    return Markdown("\n".join(lines))
