"""A part of `python -m tests.reliability.long_haul --steps 10000`, judged by its slope."""

from __future__ import annotations

from pathlib import Path

from tests.reliability.long_haul import figures, haul

STEPS = 1_250
MOST_MB_PER_1000 = 25
"""Measured: 3 over 10,000 steps; here what is kept in memory is still being filled, and 19 were measured."""
MOST_RATIO = 2.0
"""Of CPU time, the last third to the first; measured 1.0 to 1.2."""


def test_a_long_run_with_its_panel_grows_little_slows_little_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    told = figures(haul(STEPS, tmp_path))
    assert told["steps"] == STEPS
    assert told["rounds"] > 20
    assert told["growth_mb_per_1000"] <= MOST_MB_PER_1000, told
    assert told["cpu_ratio"] <= MOST_RATIO, told
    assert told["left_behind"] == {"threads": []}, told
    assert told["grown_on_the_way"] == {"threads": 0}, told
