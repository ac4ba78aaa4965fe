"""What shaping costs on long sessions; measured figures by `python -m tests.shaping.measure_speed`."""

from __future__ import annotations

import statistics

from tests.shaping.measure_speed import growth, measure

MOST_MS_A_STEP = 0.5
MOST_GROWTH = 1.5
SLACK = 10
"""Other work shares the machine."""


def test_two_thousand_steps_cost_little_and_every_view_is_under_the_trigger() -> None:
    measured = measure(2_000)
    assert measured.rounds >= 5
    assert measured.fullest_ratio <= 1
    assert 1_000 * statistics.mean(measured.seconds) <= SLACK * MOST_MS_A_STEP


def test_late_steps_cost_about_what_early_ones_do() -> None:
    early, late = growth()
    assert late <= SLACK * MOST_GROWTH * early
