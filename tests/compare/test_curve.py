"""The curve of another chain, by replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import load_task, pressure_curve
from opencollab_nb.compare import what_if
from opencollab_nb.errors import UsageProblem
from opencollab_nb.session import Session
from opencollab_nb.shaping import (
    EagerToolOutputClearShaper,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
    prefix_kept,
)
from tests.compare.runs import footprint, pressed


@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_the_run_s_own_chain_gives_the_run_s_own_curve(tmp_path: Path, mode: str) -> None:
    session = load_task("quickstart").session(path=tmp_path / "run", mode=mode)
    session.run(32)
    points = pressure_curve(session, "default", mode=mode)
    sent = session.trace.of("request")
    assert [p.tokens for p in points] == [e["tokens"] for e in sent]
    assert [p.prefix_kept_tokens for p in points] == [e["prefix_kept_tokens"] for e in sent]
    acted = [(e["step"], e["layer"]) for e in session.trace.of("session.history_compaction")]
    assert [(p.step, layer) for p in points for layer in p.layers] == acted
    session.close()


def test_the_run_is_not_touched(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run")
    before = footprint(session)
    assert len(pressure_curve(session, ToolOutputClearShaper())) == 24
    assert footprint(session) == before


def test_pins_and_swaps_of_the_run_lie_at_their_steps(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run", steps=6)
    session.pin([3, 5])
    session.run(9)
    session.unpin(3)
    session.use_target(0.5)
    session.run(9)
    mine = [p.tokens for p in pressure_curve(session, "default")]
    assert mine == [e["tokens"] for e in session.trace.of("request")]


@pytest.mark.parametrize("chain", [("default",), (ToolOutputClearShaper(1), ToolResultBudgetShaper(900))])
def test_a_stateless_curve_is_what_new_shapers_make_of_each_step_s_whole_transcript(
    tmp_path: Path, chain: tuple[Any, ...]
) -> None:
    session = pressed(tmp_path / "run", steps=8)
    session.pin([3, 5])
    session.run(16)
    slow = [what_if(session, *map(anew, chain), step=k, mode="stateless") for k in range(1, 25)]
    points = pressure_curve(session, *chain, mode="stateless")
    assert [p.tokens for p in points] == [one.tokens_after for one in slow]
    acted = [tuple(r.layer for r in one.reports if r.acted) for one in slow]
    assert [p.layers for p in points] == acted
    assert any(acted)
    pairs = zip([[], *(one.after for one in slow)], (one.after for one in slow), strict=False)
    assert [p.prefix_kept_tokens for p in points] == [prefix_kept(old, new) for old, new in pairs]


def anew(shaper: Any) -> Any:
    """The same shaper, which remembers nothing."""
    return shaper if isinstance(shaper, str) else replace(shaper)


def test_the_eager_chain_keeps_less_of_the_prefix_than_the_sticky_one() -> None:
    session = pressed(steps=30)
    eager = pressure_curve(session, ToolResultBudgetShaper(), EagerToolOutputClearShaper(keep_recent=2))
    default = pressure_curve(session, "default")
    kept = [sum(p.prefix_kept_tokens for p in curve[5:]) for curve in (eager, default)]
    sent = [sum(p.tokens for p in curve[5:]) for curve in (eager, default)]
    assert kept[0] / sent[0] < kept[1] / sent[1]
    assert all("EagerToolOutputClearShaper" in p.layers for p in eager[5:])


def test_a_folder_opened_without_a_model_gives_the_same_curve(tmp_path: Path) -> None:
    session = pressed(tmp_path / "run")
    here = pressure_curve(session, ToolOutputClearShaper())
    session.close()
    assert pressure_curve(Session.resume(tmp_path / "run"), ToolOutputClearShaper()) == here


def test_a_curve_needs_a_session() -> None:
    with pytest.raises(UsageProblem, match="no session"):
        pressure_curve([], "default")
