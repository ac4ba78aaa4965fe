from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from opencollab_nb.compare import compare
from opencollab_nb.compare.cell import Cell, measured
from opencollab_nb.compare.grid import Grid
from opencollab_nb.compare.subject import subjects_of
from opencollab_nb.compare.sweeping import sweep
from opencollab_nb.compare.workers import packed
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import Messages
from opencollab_nb.shaping import OldHistorySnipShaper, ToolOutputClearShaper
from tests.build import assistant, call, result, user


def a_run(turns: int = 30, name: str = "file") -> Messages:
    messages = [user("Find it.")]
    for n in range(turns):
        messages += [
            assistant("", call("bash", {"command": f"cat {name}{n}"}, f"c{n}")),
            result(f"line {n} of {name}. " + "much more text. " * 60, f"c{n}"),
        ]
    return [*messages, assistant("It is there.")]


def a_log() -> Messages:
    """A number that is read at the start and used at the end."""
    read = [
        assistant("", call("bash", {"command": "head log"}, "first")),
        result("port 48213. " + "much more text. " * 60, "first"),
    ]
    last = assistant("The port is 48213.")
    run = a_run()
    return [run[0], *read, *run[1:-1], last]


RUNS = {"one": a_run(), "two": a_run(40, "other")}
GRID = {
    "shapers": {"clear": ToolOutputClearShaper(), "none": None},
    "parameters": {"keep_recent": [2, 8]},
    "windows": [8_000, 32_000],
}


def quiet(*given: Any, **settings: Any) -> pd.DataFrame:
    return sweep(*given, **{"workers": 0, "progress": False, **settings})


def without_seconds(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="seconds")


@dataclass(frozen=True)
class Fails:
    """Raises where there is anything to shape."""

    acts = "over"

    def shape(self, messages: Messages, pressure: Any) -> Messages:
        raise ValueError("a shaper with a fault")


@dataclass(frozen=True)
class Kills:
    """Ends the process it runs in."""

    acts = "always"

    def shape(self, messages: Messages, pressure: Any) -> Messages:
        os._exit(9)


def test_every_combination_is_one_row() -> None:
    frame = quiet(RUNS, GRID)
    assert len(frame) == 2 * (2 + 1) * 2
    assert not frame.duplicated(["transcript", "chain", "window", "keep_recent"]).any()
    assert frame["error"].isna().all()
    assert list(frame["requests"].unique()) == [31, 41]


def test_a_row_sums_up_what_compare_shows() -> None:
    frame = quiet(RUNS["one"], {"shapers": {"clear": ToolOutputClearShaper(keep_recent=2)}, "windows": 8_000})
    steps = compare(RUNS["one"], {"clear": ToolOutputClearShaper(keep_recent=2)}, window=8_000, mode="sticky")
    [row] = frame.to_dict("records")
    assert row["tokens"] == steps["tokens"].sum()
    assert row["peak_tokens"] == steps["tokens"].max()
    assert row["acted"] == (steps["layers"] != "").sum() > 0
    assert row["lost_messages"] == steps["lost_messages"].iloc[-1]


def test_a_row_tells_which_facts_survive_as_compare_does() -> None:
    chains = {"snip": OldHistorySnipShaper(), "clear": ToolOutputClearShaper(keep_recent=2), "none": None}
    rows = quiet({"log": a_log()}, {"shapers": chains, "windows": 8_000}).set_index("chain")
    steps = compare({"log": a_log()}, chains, window=8_000, mode="sticky", survival=True)
    for chain, of_one in steps.groupby("chain"):
        row, facts = rows.loc[chain], of_one["facts"].sum()
        assert row["facts"] == of_one["facts"].iloc[-1]
        assert row["facts_kept_ratio"] == of_one["facts_verbatim"].sum() / facts
        assert row["facts_gone_ratio"] == of_one["facts_gone"].sum() / facts
        for name in ("needed", "needed_gone", "needed_by_pointer"):
            assert row[name] == of_one[name].sum()
    assert list(rows.loc[["snip", "clear", "none"], "needed_gone"]) == [1, 0, 0]
    assert list(rows.loc[["snip", "clear", "none"], "needed_by_pointer"]) == [0, 1, 0]


def test_cells_of_one_transcript_may_be_measured_at_once() -> None:
    [subject] = subjects_of({"log": a_log()})
    variants = Grid({"snip": OldHistorySnipShaper(), "none": None}).variants()
    cells = [packed(Cell("d", "log", variant, "sticky", 8_000, None)) for variant in variants * 8]
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda cell: measured(subject, cell), cells))
    told = {at % 2: {**row, "seconds": 0} for at, row in enumerate(done)}
    assert all({**row, "seconds": 0} == told[at % 2] for at, row in enumerate(done))


def test_a_parameter_bears_on_the_chains_that_have_it() -> None:
    frame = quiet(RUNS["one"], GRID)
    small = frame[(frame["chain"] == "clear") & (frame["window"] == 8_000)].set_index("keep_recent")
    assert small.loc[2, "removed_tokens"] != small.loc[8, "removed_tokens"]
    assert frame[frame["chain"] == "none"]["keep_recent"].isna().all()


def test_processes_give_what_this_one_gives() -> None:
    here, there = quiet(RUNS, GRID), quiet(RUNS, GRID, workers=2)
    pd.testing.assert_frame_equal(without_seconds(here), without_seconds(there))


def test_a_failing_layer_is_told_and_a_failing_cell_is_a_row() -> None:
    frame = quiet(
        RUNS["one"], {"shapers": {"fails": Fails(), "fine": ToolOutputClearShaper()}, "windows": [8_000, 5]}
    )
    fails = frame[(frame["chain"] == "fails") & (frame["window"] == 8_000)].iloc[0]
    assert "a shaper with a fault" in f"{fails['problem']} {fails['error']}"
    small = frame[frame["window"] == 5]
    assert small["error"].str.contains("window").all()
    assert small["requests"].isna().all()
    assert frame[(frame["chain"] == "fine") & (frame["window"] == 8_000)]["error"].isna().all()


def test_a_cell_that_kills_its_process_is_a_row_and_all_others_are_measured() -> None:
    grid = {
        "shapers": {"a": None, "kills": Kills(), "b": ToolOutputClearShaper(), "c": OldHistorySnipShaper()}
    }
    frame = quiet(RUNS["one"], {**grid, "windows": 8_000}, workers=2).set_index("chain")
    assert "died" in frame.loc["kills", "error"]
    assert frame.drop("kills")["error"].isna().all()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_table_is_in_its_file(tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"study.{kind}"
    frame = quiet(RUNS, GRID, out=out)
    back = pd.read_csv(out) if kind == "csv" else pd.read_parquet(out)
    assert list(back.columns) == list(frame.columns)
    assert list(back["tokens"]) == list(frame["tokens"])


def test_a_restart_makes_only_what_is_not_there(tmp_path: Path) -> None:
    out = tmp_path / "study.csv"
    first = quiet(RUNS["one"], {**GRID, "windows": 8_000}, out=out)
    journal = tmp_path / "study.csv.cells.jsonl"
    before = len(journal.read_text().splitlines())
    again = quiet(RUNS["one"], {**GRID, "windows": 8_000}, out=out)
    pd.testing.assert_frame_equal(first, again)
    assert len(journal.read_text().splitlines()) == before == 3
    quiet(RUNS["one"], GRID, out=out)
    assert len(journal.read_text().splitlines()) == 6


def test_a_failed_cell_and_a_torn_line_are_made_again(tmp_path: Path) -> None:
    out = tmp_path / "study.csv"
    quiet(RUNS["one"], {"shapers": {"c": ToolOutputClearShaper()}, "windows": [8_000, 5]}, out=out)
    journal = tmp_path / "study.csv.cells.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    assert sum("error" in json.loads(line)["row"] for line in lines) == 1
    journal.write_text(lines[0] + lines[1][:20])
    frame = quiet(RUNS["one"], {"shapers": {"c": ToolOutputClearShaper()}, "windows": [8_000, 5]}, out=out)
    assert list(frame["error"].isna()) == [True, False]


def test_another_transcript_under_the_same_name_is_measured_anew(tmp_path: Path) -> None:
    out = tmp_path / "study.csv"
    first = quiet({"run": a_run(5)}, ["default"], out=out)
    second = quiet({"run": a_run(6)}, ["default"], out=out)
    assert first["requests"].iloc[0] + 1 == second["requests"].iloc[0]


CELL = """
    from dataclasses import dataclass
    from opencollab_nb.compare.sweeping import sweep
    KEPT = {kept}

    @dataclass(frozen=True)
    class Newest:
        acts = "over"

        def shape(self, messages, pressure):
            if not pressure.over(messages):
                return messages
            return [m if m["role"] != "tool" or n >= len(messages) - KEPT else {{**m, "content": "gone"}}
                    for n, m in enumerate(messages)]

    talk = [{{"role": "user", "content": "go"}}]
    for n in range(40):
        name = {{"name": "bash", "arguments": "{{}}"}}
        calls = [{{"id": str(n), "type": "function", "function": name}}]
        talk.append({{"role": "assistant", "content": "", "tool_calls": calls}})
        talk.append({{"role": "tool", "tool_call_id": str(n), "content": "text " * 200}})
    talk.append({{"role": "assistant", "content": "done"}})
    grid = {{"shapers": [Newest()], "windows": 8_000}}
    frame = sweep({{"t": talk}}, grid, workers=2, progress=False, out={out!r})
    print(int(frame["acted"].iloc[0]), int(frame["removed_tokens"].iloc[0]), frame["error"].iloc[0])
"""


def script(tmp_path: Path, kept: int) -> list[str]:
    """A plain script, as a cell is: its class lives in `__main__`, and nothing guards its body."""
    path = tmp_path / "cell.py"
    path.write_text(textwrap.dedent(CELL).format(kept=kept, out=str(tmp_path / "out.csv")))
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_shaper_of_a_cell_travels_with_its_code_and_what_it_uses(tmp_path: Path) -> None:
    acted, removed, error = script(tmp_path, kept=4)
    assert int(acted) > 0
    assert int(removed) > 0
    assert error in ("nan", "None", "<NA>")
    assert script(tmp_path, kept=4) == [acted, removed, error]
    assert script(tmp_path, kept=20)[1] != removed, "what the code uses has changed, so it is measured anew"


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra `sweep` is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def test_a_cluster_gives_what_this_machine_gives(cluster: Any) -> None:
    there = quiet(RUNS, GRID, cluster)
    pd.testing.assert_frame_equal(without_seconds(quiet(RUNS, GRID)), without_seconds(there))


def test_what_is_no_client_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"dask\.distributed"):
        quiet(RUNS, GRID, "tcp://cluster:8786")


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ({"shapers": []}, "no chain"),
        ({"shapers": ["default"], "window": [5]}, "did you mean 'windows'"),
        ({"windows": [5]}, "no 'shapers'"),
        ({"shapers": ["default"], "windows": []}, "windows is empty"),
        ({"shapers": ["default"], "windows": ["64k"]}, "window '64k'"),
        ({"shapers": ["default"], "windows": [64_000.5]}, "window 64000.5"),
        ({"shapers": ["default"], "modes": ["warm"]}, "warm"),
        ({"shapers": ["default"], "parameters": {"keep_recnt": [1]}}, "keep_recent"),
        ({"shapers": ["default"], "parameters": {"keep_recent": []}}, "is empty"),
        ({"shapers": ["default"], "parameters": {"keep_recent": [-1]}}, "keep_recent=-1"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused_before_the_start(odd: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageProblem, match=words):
        quiet(RUNS["one"], odd)


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ({"workers": -1}, "workers is -1"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"out": "study.xlsx"}, r"\.csv or \.parquet"),
        ({"out": "/no/such/folder/study.csv"}, "does not exist"),
    ],
)
def test_what_cannot_be_is_refused_before_the_start(odd: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageProblem, match=words):
        quiet(RUNS["one"], GRID, **odd)


def test_a_chain_that_cannot_travel_is_refused_by_name(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:

        @dataclass(frozen=True)
        class Holds:
            handle: Any = file
            acts = "over"

            def shape(self, messages: Messages, pressure: Any) -> Messages:
                return messages

        grid = {"shapers": {"holds": Holds()}}
        with pytest.raises(UsageProblem, match="cannot be sent to another process"):
            quiet(RUNS["one"], grid, workers=1)
        assert quiet(RUNS["one"], grid, workers=0)["error"].isna().all(), "as the message says"


def test_parameters_may_name_their_shaper() -> None:
    grid = Grid(["default"], {"ToolOutputClearShaper.keep_recent": [1, 2], "keep_recent_groups": [3]})
    values = [dict(variant.values) for variant in grid.variants()]
    assert values == [{"ToolOutputClearShaper.keep_recent": n, "keep_recent_groups": 3} for n in (1, 2)]
    with pytest.raises(UnknownName):
        Grid(["default"], {"EagerToolOutputClearShaper.keep_recent": [1]})
