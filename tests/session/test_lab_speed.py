"""What the lab costs, with much room for a busy machine; figures by `python -m tests.session.measure_lab`."""

from __future__ import annotations

import time
from pathlib import Path

from opencollab_nb.session.warming import begin_warming
from tests.session.measure_lab import curves, long_run, looks, swaps

STEPS = 300
SLACK = 10
MOST_MS_A_SWAP, MOST_MS_A_LOOK, MOST_MS_A_WHAT_IF = 100, 150, 500
"""Of a run of 2,000 steps."""
MOST_SECONDS_A_CURVE = 5
"""Of 1,000 steps."""


def test_looks_swaps_and_curves_of_a_resumed_run_cost_little(tmp_path: Path) -> None:
    long_run(tmp_path / "long", STEPS, window=40_000).close()
    session = long_run(tmp_path / "long")
    for name, ms in looks(session, asked_at=(STEPS, 7, 150), end=STEPS - 1).items():
        assert ms < SLACK * (MOST_MS_A_WHAT_IF if name.startswith("what_if") else MOST_MS_A_LOOK), name
    for name, ms in swaps(session).items():
        assert ms < SLACK * MOST_MS_A_SWAP, name
    for name, seconds in curves(session).items():
        assert seconds < SLACK * MOST_SECONDS_A_CURVE * (STEPS / 1_000) ** 2, name


def test_the_messages_of_a_resumed_run_are_weighed_before_anybody_asks(tmp_path: Path) -> None:
    long_run(tmp_path / "long", 40).close()
    session = long_run(tmp_path / "long")
    weights = session.pressure.snapshot().weigh
    deadline = time.monotonic() + 60
    while weights.remembered < len(session.transcript) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert weights.remembered >= len(session.transcript)


def test_a_session_that_is_closed_is_weighed_no_further(tmp_path: Path) -> None:
    session = long_run(tmp_path / "long", 10)
    session.close()
    before = session.pressure.snapshot().weigh.remembered
    thread = begin_warming(session._bench)
    thread.join(60)
    assert not thread.is_alive()
    assert session.pressure.snapshot().weigh.remembered == before
