"""The table of one agent against a team: whole, made again with the same figures, told as measured."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from team_runs import ALLOWANCES, PARTS, RESULTS, TASK, Job, jobs, play  # noqa: E402
from team_table import KEYS, figure, means, more_than_alone, recorded, said  # noqa: E402

from opencollab_nb import load_task  # noqa: E402
from opencollab_nb.team.seats import SEATS  # noqa: E402

RUNS = recorded()
TABLE = means(RUNS)
FEW, SOME, MORE, AMPLE = ALLOWANCES
AGAIN = (Job("solo", FEW, "plain", 0), Job("team, same total", FEW, "careful", 1))
NOT_AGAIN = ("seconds", "commit", "cost_usd")


def at(setting: str, allowance: int) -> pd.Series:
    return TABLE.loc[(allowance, setting)]


def test_every_setting_has_every_allowance_profile_and_seed_once() -> None:
    seeds = RUNS.seed.nunique()
    assert seeds >= 5
    wanted = {(j.setting, j.allowance, j.profile, j.seed) for j in jobs(seeds)}
    found = list(RUNS[["setting", *KEYS]].itertuples(index=False, name=None))
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert RUNS.commit.nunique() == 1


@pytest.mark.parametrize("job", AGAIN, ids=lambda job: job.setting)
def test_a_row_played_again_has_the_same_figures(job: Job, tmp_path: Path) -> None:
    rows = pd.read_csv(RESULTS, keep_default_na=False)
    for name, value in vars(job).items():
        rows = rows[rows[name] == value]
    [row] = rows.drop(columns=list(NOT_AGAIN)).to_dict("records")
    played = play(job, tmp_path / "run")
    assert {name: value for name, value in played.items() if name not in NOT_AGAIN} == row


def test_a_total_is_divided_whole_and_each_seat_of_the_last_setting_has_what_one_alone_has() -> None:
    for job in jobs(1):
        total = job.allowance * (len(SEATS) if job.setting == "team, same each" else 1)
        assert total - len(SEATS) < sum(job.tokens.values()) <= total
    assert set(Job("team, same each", FEW, "plain", 0).tokens.values()) == {FEW}


def test_no_seat_spends_more_than_its_allowance_and_one_call() -> None:
    assert (RUNS.ktokens * 1_000 <= RUNS.total + len(SEATS) * load_task(TASK).window).all()


def test_the_sentences_hold() -> None:
    each, alone = at("team, same each", FEW), at("solo", FEW)
    assert each.done > 2 * alone.done
    assert each.ktokens > 2 * alone.ktokens, "it is paid for"
    for allowance in (FEW, SOME):
        pairs = more_than_alone(RUNS, "team, same total", allowance)
        assert (pairs.ktokens < 0).all()
        assert pairs.done.mean() > 0
    assert at("team, same total", SOME).ktokens < 0.9 * SOME / 1_000, "tokens are left over"
    assert at("team, same total", SOME).done < 9, "while work is not done"
    assert at("team, by need", SOME).done < at("team, same total", SOME).done
    free, solo = at("team, same each", AMPLE), at("solo", AMPLE)
    assert free.done == solo.done == 9
    assert free.ktokens > solo.ktokens
    assert free.steps > solo.steps > free.longest


def test_the_sentences_and_the_figure_name_every_setting_of_the_table() -> None:
    text = str(said(RUNS).data)
    for setting, allowance in (("solo", FEW), ("team, same each", FEW), ("team, by need", SOME)):
        assert f"{at(setting, allowance).done:.1f}" in text
    plot = figure(RUNS)
    assert {trace.name for trace in plot.data} == set(PARTS)
    assert len(plot.fallback.rows) == len(TABLE)


def test_the_notebook_says_that_its_agents_are_simulated_and_reads_this_table() -> None:
    notebook = nbformat.read(NOTEBOOKS / "07_teams_and_budgets.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert "**simulated**" in text
    assert "from team_table import" in text
    shown = "".join(str(cell.get("outputs", "")) for cell in notebook.cells)
    assert f"{len(RUNS)} runs of simulated agents" in shown
    assert str(said(RUNS).data)[:80] in shown
