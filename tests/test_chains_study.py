"""What notebook 6 says of a sweep: the cheapest among equals, told as it was reckoned."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))

from chains_study import BARE, LEVELS, at_rates, cheapest, measured, modes, settings, winners
from chains_study_figure import figure
from chains_study_words import on_the_modes, on_the_rates, on_the_winners

from opencollab_nb import Grid, load, sweep

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
TEN = {"needed": 10, "needed_by_pointer": 0, "write_tokens": 0, "output_tokens": 10, "error": None}


def row(transcript: str, chain: str, mode: str, dollars: float, gone: int, **more: Any) -> dict[str, Any]:
    own = {"transcript": transcript, "chain": chain, "mode": mode, "dollars": dollars, "needed_gone": gone}
    return {**TEN, "window": 16_000, "over_window": 0, "uncached_tokens": 9, "cached_tokens": 1} | own | more


def a_frame() -> pd.DataFrame:
    """`clear` loses nothing and is dear, `snip` loses a tenth and is cheap, `bare` never fits."""
    told = []
    for name in ("a · plain 0", "b · plain 0"):
        for mode, more in (("sticky", 0.0), ("stateless", 0.2)):
            told.append(row(name, BARE, mode, 2.0, 0, over_window=3))
            told.append(row(name, "clear", mode, 1.0 + more, 0))
            told.append(row(name, "snip", mode, 0.5 + more, 1, uncached_tokens=1, cached_tokens=99))
    return pd.DataFrame(told)


ROWS = measured(a_frame())


def test_costs_are_shares_of_what_no_shaping_costs_on_the_same_transcript() -> None:
    assert set(ROWS[ROWS["chain"] == BARE]["cost"]) == {1.0}
    assert set(ROWS[ROWS["setting"] == "snip · sticky"]["cost"]) == {0.25}
    assert list(settings(ROWS)["fits in"]) == ["0 of 2", *["2 of 2"] * 4]


@pytest.mark.parametrize(("most_gone", "setting"), [(0.0, "clear · sticky"), (0.2, "snip · sticky")])
def test_the_cheapest_loses_no_more_than_allowed_and_fits(most_gone: float, setting: str) -> None:
    assert list(cheapest(ROWS, most_gone)["setting"]) == [setting] * 2


def test_where_no_setting_will_do_that_is_said() -> None:
    lossy = measured(a_frame()[lambda one: one["chain"] != "clear"])
    assert cheapest(lossy, 0.0).empty
    assert "none" in winners(lossy).index.get_level_values(2)
    assert "no setting will do" in on_the_winners(lossy).data


def test_the_words_name_the_winner_its_cost_and_who_was_refused() -> None:
    said = on_the_winners(ROWS).data
    assert "*no shaping* 2" in said
    assert "nothing needed may be gone, *clear · sticky* is cheapest in 2 of 2, at 50% of" in said
    assert "20% of what is needed may be gone, *snip · sticky* is cheapest in 2 of 2, at 25% of" in said
    assert "the next best chain costs +100%" in said


def test_the_modes_are_compared_in_pairs_that_both_fit() -> None:
    assert len(modes(ROWS)) == 4
    assert "*snip*: sticky is cheaper than stateless in 2 of 2 pairs" in on_the_modes(ROWS).data
    apart = a_frame()
    apart.loc[(apart["chain"] == "snip") & (apart["mode"] == "stateless"), "over_window"] = 1
    assert set(modes(measured(apart)).reset_index()["chain"]) == {"clear"}


def test_other_rates_need_no_other_sweep() -> None:
    dear_cache = at_rates(ROWS, input=1, cached=1, output=0)
    assert list(cheapest(dear_cache, 0.2)["setting"]) == ["clear · sticky"] * 2
    assert "another setting is cheapest in 2 of 2 cases, now *clear · sticky* 2" in (
        on_the_rates(ROWS, dear_cache).data
    )


def test_a_failed_cell_and_a_missing_baseline_are_named() -> None:
    with pytest.raises(ValueError, match="1 cells have failed: no"):
        measured(a_frame().assign(error=[*[None] * 11, "no"]))
    with pytest.raises(ValueError, match=r"no row of the chain 'no shaping' for a · plain 0"):
        measured(a_frame()[lambda one: one["chain"] != BARE])


def test_the_figure_leaves_out_what_was_refused_and_keeps_it_in_its_table() -> None:
    drawn = figure(ROWS)
    assert {trace.name for trace in drawn.data} == set(ROWS["setting"]) - {BARE}
    assert BARE in str(drawn.fallback)
    assert "simulated" in str(drawn.fallback)


def output(cell_id: str) -> str:
    cells = nbformat.read(NOTEBOOKS / "06_compare_and_sweep.ipynb", as_version=4).cells
    [cell] = [cell for cell in cells if cell.id == cell_id]
    told: str = cell.outputs[-1].data.get("text/markdown") or cell.outputs[-1].data["text/plain"]
    return told


def test_the_notebook_shows_what_a_sweep_gives() -> None:
    path = NOTEBOOKS.parent / "data/transcripts/quickstart-simulated-plain-0.jsonl.gz"
    grid = Grid({"default": "default"}, windows=32_000)
    rates = {"input": 1.25, "cached": 0.125, "output": 10.0}
    [dollars] = sweep({"one": load(path)}, grid, workers=0, progress=False, prices=rates)["dollars"]
    [bare] = sweep({"one": load(path)}, [None], workers=0, progress=False, prices=rates)["dollars"]
    [line] = [line for line in output("figure").splitlines() if line.startswith("32,000  default · sticky")]
    *_, low_and_high = line.rpartition("(")
    low, high = (float(one.strip("%)")) for one in low_and_high.split(" to "))
    assert low - 0.5 <= 100 * dollars / bare <= high + 0.5
    assert all(f"{level:.0%}" in output("winners") for level in LEVELS)
    assert "window of 16,000 tokens" in output("answer")
    assert "window of 32,000 tokens" in output("answer")
