"""What a sweep of chains says of cost and survival: tables, a figure and sentences for notebook 6.

Everything is reckoned from the frame of the sweep; nothing here knows how it comes out.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

BARE = "no shaping"
LEVELS = (0.0, 0.05, 0.2)
"""How much of what is needed may be gone, as shares."""
KEYS = ["window", "transcript"]


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with what they are compared by.

    Args:
        frame: of `sweep`, with a chain named `no shaping` for every transcript.

    Raises:
        ValueError: a cell failed, or that chain is missing.
    """
    if frame["error"].notna().any():
        raise ValueError(
            f"{frame['error'].notna().sum()} cells have failed: {frame['error'].dropna().iloc[0]}"
        )
    bare = frame[frame["chain"] == BARE].groupby("transcript")["dollars"].mean()
    missing = set(frame["transcript"]) - set(bare.index)
    if missing:
        raise ValueError(f"no row of the chain {BARE!r} for {min(missing)}")
    done = frame.copy()
    done["setting"] = done["chain"] + " · " + done["mode"]
    done.loc[done["chain"] == BARE, "setting"] = BARE
    done["fits"] = done["over_window"] == 0
    needed = done["needed"].clip(lower=1).astype(float)
    done["gone"] = done["needed_gone"].astype(float) / needed
    done["pointed"] = done["needed_by_pointer"].astype(float) / needed
    done["cost"] = done["dollars"] / done["transcript"].map(bare)
    return done.drop_duplicates([*KEYS, "setting"])


def at_rates(rows: pd.DataFrame, *, input: float, cached: float, output: float) -> pd.DataFrame:  # noqa: A002
    """The same rows at other rates in dollars per million tokens; nothing is measured again."""
    fresh = rows["uncached_tokens"] + rows["write_tokens"]
    million = fresh * input + rows["cached_tokens"] * cached + rows["output_tokens"] * output
    return measured(rows.assign(dollars=million.astype(float) / 1e6))


def spread(values: Any, form: str = "{:.0%}") -> str:
    """The middle, and from the least to the most.

    >>> spread(pd.Series([0.1, 0.2, 0.6]))
    '20% (10% to 60%)'
    """
    low, middle, high = (form.format(value) for value in (values.min(), values.median(), values.max()))
    return middle if low == high else f"{middle} ({low} to {high})"


def settings(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a window and setting: the middle of all recordings, and their spread."""
    told = {}
    for (window, setting), found in rows.groupby(["window", "setting"], sort=False):
        told[f"{window:,}", setting] = {
            "fits in": f"{found['fits'].sum()} of {len(found)}",
            "needed and gone": spread(found["gone"]),
            "needed, behind a pointer": spread(found["pointed"]),
            "cost, of no shaping": spread(found["cost"]),
        }
    return pd.DataFrame(told).T.rename_axis(["window", "simulated, median (spread)"])


def cheapest(rows: pd.DataFrame, most_gone: float) -> pd.DataFrame:
    """Of each window and recording the cheapest setting that always fits and loses no more than that.

    Returns:
        One row for each in which there is one: `setting`, `cost`, and `next_cost` of the best of the other
        chains, missing where there is none. Of settings that cost the same it is the one swept first.
    """
    fit = rows[rows["fits"] & (rows["gone"] <= most_gone)]
    told = []
    for (window, transcript), found in fit.groupby(KEYS, sort=False):
        best = found.loc[found["cost"].idxmin()]
        others = found[found["chain"] != best["chain"]]["cost"]
        told.append((window, transcript, best["setting"], best["cost"], others.min()))
    return pd.DataFrame(told, columns=[*KEYS, "setting", "cost", "next_cost"])


def winners(rows: pd.DataFrame) -> pd.DataFrame:
    """Which setting is cheapest in how many recordings, at each level of loss."""
    told = {}
    for window, part in rows.groupby("window"):
        recordings = part["transcript"].nunique()
        for level in LEVELS:
            best = cheapest(part, level)
            for setting, found in best.groupby("setting"):
                told[f"{window:,}", f"{level:.0%}", setting] = {
                    "cheapest in": f"{len(found)} of {recordings}",
                    "tasks": ", ".join(dict.fromkeys(found["transcript"].map(task_of))),
                    "cost, of no shaping": spread(found["cost"]),
                }
            if len(best) < recordings:
                told[f"{window:,}", f"{level:.0%}", "none"] = {
                    "cheapest in": f"{recordings - len(best)} of {recordings}",
                    "tasks": ", ".join(
                        dict.fromkeys(map(task_of, sorted(set(part["transcript"]) - set(best["transcript"]))))
                    ),
                    "cost, of no shaping": "",
                }
    index = ["window", "may be gone", "simulated"]
    return pd.DataFrame(told).T.rename_axis(index)


def task_of(transcript: str) -> str:
    """The task in the name of a recording.

    >>> task_of("orders · plain 0")
    'orders'
    """
    return transcript.partition(" ")[0]


def distances(rows: pd.DataFrame) -> pd.DataFrame:
    """How far recordings lie apart under one setting, at most, in cost and loss: of one task, and of all."""
    told = {}
    fit = rows[rows["fits"] & (rows["chain"] != BARE)]
    for name, keys in (
        ("of one task", ["window", "setting", "task"]),
        ("of all tasks", ["window", "setting"]),
    ):
        groups = fit.assign(task=fit["transcript"].map(task_of)).groupby(keys)[["cost", "gone"]]
        told[name] = (groups.max() - groups.min()).max()
    return pd.DataFrame(told).T


def modes(rows: pd.DataFrame) -> pd.DataFrame:
    """Pairs of the same chain, recording and window: what sticky costs and loses against stateless."""
    shaped = rows[rows["chain"] != BARE]
    sides = [shaped[shaped["mode"] == mode].set_index([*KEYS, "chain"]) for mode in ("sticky", "stateless")]
    sticky, stateless = (side[["cost", "gone", "fits"]] for side in sides)
    pairs = sticky.add_suffix("_sticky").join(stateless.add_suffix("_stateless"), how="inner")
    pairs = pairs[pairs["fits_sticky"] & pairs["fits_stateless"]]
    pairs["dearer"] = pairs["cost_sticky"] / pairs["cost_stateless"] - 1
    pairs["more_gone"] = pairs["gone_sticky"] - pairs["gone_stateless"]
    return pairs
