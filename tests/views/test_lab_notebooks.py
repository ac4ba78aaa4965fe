"""What the notebooks on exploring and writing shapers say is what their outputs show."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

HERE = Path(__file__).parents[2] / "notebooks"


def outputs(name: str) -> dict[str, str]:
    """The text of each code cell's outputs."""
    cells = nbformat.read(HERE / name, as_version=4).cells
    return {
        c.id: "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in c.outputs)
        for c in cells
        if c.cell_type == "code"
    }


@pytest.fixture(scope="module")
def explore() -> dict[str, str]:
    return outputs("02_explore_shaping.ipynb")


@pytest.fixture(scope="module")
def write() -> dict[str, str]:
    return outputs("03_write_a_shaper.ipynb")


def table(text: str) -> dict[str, list[float]]:
    """A printed frame: the last word before the numbers is the row's name."""
    rows = [line.replace("%", "").split() for line in text.splitlines()[1:]]
    return {row[0]: [float(v) for v in row[1:]] for row in rows if len(row) > 2}


def runs(text: str) -> dict[str, tuple[float, ...]]:
    """Steps, input tokens and cost of each run."""
    found = {}
    for line in text.splitlines()[1:]:
        words = line.replace(", hasty", "").split()
        found[words[1]] = float(words[2]), float(words[5]), float(words[7])
    return found


def test_the_eager_chain_sends_the_fewest_tokens_and_is_the_dearest(explore: dict[str, str]) -> None:
    made = runs(explore["plain"])
    assert min(made, key=lambda name: made[name][1]) == "eager"
    assert max(made, key=lambda name: made[name][2]) == "eager"
    assert explore["plain"].count("100%") == 3


def test_the_eager_chain_loses_its_prefix_most_often(explore: dict[str, str]) -> None:
    lost = {line.split()[0]: int(line.split()[1]) for line in explore["prefix"].splitlines()[:3]}
    assert lost["eager"] > 3 * lost["sticky"]
    assert lost["eager"] > 0.4 * runs(explore["plain"])["eager"][0]


def test_for_the_hasty_agent_sticky_takes_more_steps_and_is_a_little_cheaper(explore: dict[str, str]) -> None:
    made = runs(explore["hasty"])
    assert made["sticky"][0] > made["stateless"][0]
    assert made["sticky"][1] > made["stateless"][1]
    assert 0.85 * made["stateless"][2] < made["sticky"][2] < made["stateless"][2]


def test_on_the_recorded_run_eager_is_the_dearest_from_twelve_thousand_tokens_up(
    explore: dict[str, str],
) -> None:
    costs = table(explore["costs"])
    assert all(max(row) == row[2] for window, row in costs.items() if window != "8000")
    assert max(costs["8000"]) == costs["8000"][1]


def test_where_sticky_is_dearer_is_told_as_measured(explore: dict[str, str]) -> None:
    percent = table(explore["dearer"].replace("window", ""))
    assert [window for window, row in percent.items() if row[0] > 0] == ["16000"]
    assert sum(row[3] > 0 for row in percent.values()) > len(percent) / 2
    sent, new = (list(map(int, line.split()[-2:])) for line in explore["exception"].splitlines()[1:])
    assert sent[1] < 0.9 * sent[0]
    assert new[1] < 1.1 * new[0]


def test_the_first_try_breaks_the_three_laws_that_are_explained(write: dict[str, str]) -> None:
    assert write["first"].startswith("forget_stale: breaks calm, shorter, sendable (")
    assert "JSONDecodeError" in write["first"]
    assert "all 9 laws hold" in write["repaired"]
    assert "ForgetStaleReads" in write["rounds"]
    assert write["passed"] == "True"
    assert "wrote forget_stale_reads.py: ForgetStaleReads: all 9 laws hold" in write["export"]


def test_no_output_is_an_error_or_a_warning() -> None:
    for path in HERE.glob("0[23]*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", ()):
                assert output.output_type != "error"
                assert output.get("name") != "stderr", json.dumps(output)
