"""What shaping costs, in CPU and on disk: `python -m tests.shaping.measure_speed`."""

from __future__ import annotations

import json
import statistics
import time
from typing import NamedTuple

from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, default_pipeline
from tests.shaping.generate import session

WINDOW_TOKENS = 200_000


class Measured(NamedTuple):
    seconds: list[float]
    """CPU of each step."""
    rounds: int
    record_bytes: int
    fullest_ratio: float
    """The largest view of all steps, as a share of the trigger."""


def measure(steps: int, mode: str = "sticky", seed: int = 1) -> Measured:
    """Project a generated session step by step."""
    projection, pressure = Projection(default_pipeline(), mode), Pressure.of(WINDOW_TOKENS)
    seconds, rounds, record_bytes, fullest_tokens = [], 0, 0, 0
    for messages in session(steps, seed):
        started = time.process_time()
        projected = projection.project(messages, pressure)
        seconds.append(time.process_time() - started)
        rounds += any(report.layer != "ToolResultBudgetShaper" for report in projected.reports)
        record_bytes += len(json.dumps(projected.record)) if projected.record else 0
        fullest_tokens = max(fullest_tokens, projected.tokens)
    return Measured(seconds, rounds, record_bytes, fullest_tokens / pressure.trigger)


def growth() -> tuple[float, float]:
    """CPU seconds of the steps 2,001 to 4,000 and 4,001 to 6,000."""
    seconds = measure(6_000).seconds
    return sum(seconds[2_000:4_000]), sum(seconds[4_000:])


def main() -> None:
    first = measure(2_000)
    print(f"2,000 steps: {1_000 * statistics.mean(first.seconds):.3f} ms CPU a step, {first.rounds} rounds,")
    print(f"  fullest view {first.fullest_ratio:.3f} of the trigger, records {first.record_bytes:,} bytes")
    ratios = [later / early for early, later in (growth() for _ in range(3))]
    print(f"steps 4,001-6,000 against 2,001-4,000: {statistics.median(ratios):.2f} (median of three)")


if __name__ == "__main__":
    main()
