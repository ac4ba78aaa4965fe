"""The table of the four moves: whole, made again with the same figures, told as measured in notebook 4."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from four_moves import MOVES, PROFILES, RESULTS, SETTINGS, SHORT_SETTINGS, Job, done_ids, jobs, play  # noqa: E402
from four_moves_table import differences, figure, means, of, recorded, worth  # noqa: E402

from opencollab_nb import ContextBudget, load_task  # noqa: E402

RUNS = recorded()
LONG, SHORT = of(RUNS, "orders_long"), of(RUNS, "orders")
WITH_COMPACT = [name for name, moves in SETTINGS.items() if "compact" in (moves or ())]
AGAIN = (
    Job("orders", "none", "plain", 0),
    Job("orders", "all", "hasty", 0),
    Job("orders", "compact", "careful", 0),
    Job("orders_long", "memory", "plain", 0),
)
"""Short runs of one session, and a chain of three with their handoffs."""
NOT_AGAIN = ("seconds", "commit", "cost_usd")


def test_every_setting_has_every_profile_and_seed_once() -> None:
    seeds = RUNS.seed.nunique()
    assert list(RUNS.seed.unique()) == list(range(seeds))
    wanted = {(j.task, j.setting, j.profile, j.seed) for j in jobs(seeds)}
    found = list(RUNS[["task", "setting", "profile", "seed"]].itertuples(index=False, name=None))
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert RUNS.commit.nunique() == 1


@pytest.mark.parametrize("job", AGAIN, ids=lambda job: f"{job.task} {job.setting} {job.profile}")
def test_a_row_played_again_has_the_same_figures(job: Job, tmp_path: Path) -> None:
    rows = pd.read_csv(RESULTS)
    for name, value in vars(job).items():
        rows = rows[rows[name] == value]
    [recorded_row] = rows.drop(columns=list(NOT_AGAIN)).to_dict("records")
    played = play(job, tmp_path / "run")
    assert {name: value for name, value in played.items() if name not in NOT_AGAIN} == recorded_row


def test_what_counts_as_done_is_what_the_judge_says(tmp_path: Path) -> None:
    task = load_task("orders")
    session = task.session(shapers=[], window=task.window, path=tmp_path / "run")
    session.run()
    report = task.judge(session)
    assert 0 < report.done < 1
    assert len(done_ids(task, session.workspace.root)) == round(report.done * len(task.plan.milestones))
    session.close()


def test_the_settings_are_the_moves_of_the_library() -> None:
    assert set(SETTINGS["all"] or ()) == ContextBudget().settings.moves
    assert set(SHORT_SETTINGS) <= set(SETTINGS)
    assert set(RUNS.profile) == set(PROFILES)


def test_only_with_compaction_does_a_run_come_to_its_end() -> None:
    done = means(LONG).done
    assert done["none"] < 30
    assert done["none"] < done["all but compact"] <= done["offload"] < 75
    assert all(done[name] > 95 for name in WITH_COMPACT)
    assert not LONG[~LONG.setting.isin(WITH_COMPACT)].whole.any()
    assert (LONG[LONG.setting == "all"].whole == 100).all()


def test_compaction_alone_is_dearer_in_every_way_than_all_four() -> None:
    table = means(LONG)
    for measure in ("rework", "violations", "steps", "dollars", "cents_each"):
        assert table[measure]["all"] < table[measure]["compact"]


def test_what_is_lost_where_a_move_is_left_out_is_told_as_measured() -> None:
    without = {move: differences(LONG, f"all but {move}", "all").mean() for move in MOVES}
    assert all(without[move].dollars > 0 for move in MOVES if move != "compact")
    assert without["offload"].rework < 0
    assert without["restate"].rework > 0
    assert without["restate"].steps > 0
    assert without["memory"].violations > 1


def test_alone_restating_and_memory_finish_no_more_than_the_cap() -> None:
    for move in ("restate", "memory"):
        alone = differences(LONG, move, "cap only")
        assert alone.done.mean() <= 0
        assert alone.rework.mean() <= 0, "less was done, so less was done again"


def test_on_the_short_task_two_moves_only_cost_a_third_buys_little_and_compaction_pays() -> None:
    table, overflows = means(SHORT), SHORT.ends.str.contains("overflow").groupby(SHORT.setting).sum()
    for move in ("offload", "restate", "memory"):
        assert table.cents_each[move] > table.cents_each["cap only"]
        assert table.done[move] <= table.done["cap only"]
    for move in ("offload", "memory"):
        assert table.violations[move] >= table.violations["cap only"]
    assert 0 < table.violations["cap only"] - table.violations["restate"] < 0.1
    assert table.cents_each["compact"] < table.cents_each["all"] < table.cents_each["cap only"]
    assert overflows["restate"] > overflows["cap only"]
    assert SHORT[SHORT.setting == "restate"].whole.mean() < 100


def outputs() -> dict[str, str]:
    cells = nbformat.read(NOTEBOOKS / "04_four_moves.ipynb", as_version=4).cells
    return {
        cell.id: "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)
        for cell in cells
        if cell.cell_type == "code"
    }


def test_the_notebook_shows_this_table_and_no_older_one() -> None:
    shown = outputs()
    assert shown["recorded"].startswith(f"'{len(RUNS)} runs of a simulated agent")
    lines = shown["worth"].splitlines()
    for name, row in worth(LONG).iterrows():
        [line] = [line for line in lines if line.startswith(str(name))]
        assert all(str(value) in line for value in row)
    assert str(figure(LONG).fallback) == shown["figure"]


def test_the_notebook_shows_each_move_at_work() -> None:
    shown = outputs()
    assert "stopped(overflow)" in shown["twice"]
    assert "100%" in shown["twice"]
    assert shown["restatement"].startswith("[Restatement")
    assert shown["offload"].startswith("[offloaded: result")
    assert "every anchor stood in every request" in shown["audit"]
    assert shown["handoff"].startswith("[Handoff")
    assert "CHANGELOG.md must not be changed" in shown["handoff"]
    assert "stopped(budget)" in shown["continued"]
    assert "done" in shown["continued"]
    assert "compact" in shown["bill"]
    assert "YES" in shown["checklist"]
